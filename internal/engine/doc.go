// Package engine says what an engine is: a place where trials are evaluated. Package local runs them as processes on
// this machine, package slurm as jobs of Slurm, package kubernetes as Jobs of Kubernetes, and Run of package eke as calls of a Go
// function. All are under the same trial loop, internal/runner.
//
// To add an engine, implement Engine and follow CONTRIBUTING.md, Add an engine. One that runs commands must pass enginetest.Run in a test.
//
// The controller, which is the process that holds an Engine, may die at any moment. Another controller then polls the same
// jobs without having submitted them. So an engine must find everything about a job again from the job alone, above all from
// its folder.
package engine
