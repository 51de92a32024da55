// Package server offers studies over HTTP to many people and many machines, with one ledger.
//
// The server suggests trials and keeps the books. It never runs anything. A trial that is handed out over HTTP is a lease:
// its worker sends heartbeats, and when they stop, the trial is abandoned and charged by rule. Everything that the server
// knows is in the store, so it may be killed at any moment, and several servers may share one store.
//
// The bodies of requests and answers are in package api. Each file here is one or a few operations, such as tell.go, or a layer
// that all requests pass. For the layers, see shell.go (the way in), guard.go (who may do what), open.go (the study that an
// operation works on) and problem.go (how an error becomes an answer). The operations are registered in routes.go.
package server
