// Package server offers studies over HTTP: many people, many machines, one ledger.
//
// The server suggests and keeps the books; it never runs anything. A trial that is asked for over HTTP is a lease: its worker
// says now and then that it is alive, and one that falls silent has its trial abandoned and charged by rule. All that is
// known is in the store, so a server may be killed at any moment, and several may share one store.
//
//	server.go serve.go   Config, New; listening, timeouts, an orderly end
//	api.go               the operations, and the OpenAPI document that follows from them
//	shell.go             what every request passes: recovering, logging, limits, hosts and origins
//	guard.go token.go    who may do what
//	hosts.go rate.go     which names are served, and how often one client may call
//	problem.go           what went wrong, as RFC 9457 has it
//	seat.go turn.go      a study at hand; who may write to it next
//	view.go              a study, its trials and leases as JSON
//	definition.go        from a request's body to a study
//	sweep.go watch.go    silent leases; who wants to know of changes
//
// Every other file is one or a few operations.
package server
