// Package engine says what an engine is: a place where trials are evaluated. The package local evaluates them by processes on
// this machine. A cluster would be another engine under the same loop, internal/runner, and not another loop.
//
// To add one, implement Engine, and run enginetest.Run on it in a test.
//
// An engine is crash-only. Its controller, the process that holds an Engine, may die at any moment, and another one comes back
// to the same jobs: it polls them without having submitted them. Whatever an engine knows of a job it must find again by the
// job alone, above all by its folder.
package engine
