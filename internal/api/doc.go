// Package api is the HTTP interface of an eke server, as both sides see it: the bodies of requests and answers, the limits
// that both keep, and the client. A body is defined in the file named after its operation: that of tell in tell.go.
//
// The server adds what it does about a request, and describes the whole interface as an OpenAPI document. The types of the page
// and of the Python client are generated from that document, so nothing is written twice.
//
//go:generate go test ./gen -update
package api
