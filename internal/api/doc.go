// Package api is the HTTP interface of an eke server, as both sides see it: the bodies of requests and answers, the limits
// that both keep, and the client. Bodies about trials are in trial.go. Bodies between a worker and the server,
// such as the body of tell, are in worker.go.
//
// The server implements the operations and describes them in an OpenAPI document. The types of the page and of the Python client
// are generated from that document, so nothing is written twice.
//
//go:generate go test ./gen -update
package api
