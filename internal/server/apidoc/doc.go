// Package apidoc holds tests only: docs/API.md is what the server says of itself in /openapi.json, and its examples work.
// After a change of the API:
//
//	go test ./internal/server/apidoc -update
package apidoc
