// Package gen holds tests only. They hold the OpenAPI document and all that is made from it to what the server says of itself:
//
//	internal/api/openapi.json                       the document
//	docs/API.md                                     the interface, for people
//	internal/server/dashboard/web/src/api/types.ts  the page's types and limits
//	clients/python/eke/_wire.py                     the Python client's types, codes and limits
//
// After a change of the interface, write them anew: go generate ./internal/api
package gen
