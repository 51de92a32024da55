// Package gen holds tests only. They check that the OpenAPI document, and everything generated from it, matches the server:
//
//	internal/api/openapi.json                       the document
//	docs/API.md                                     the interface, for people
//	internal/server/dashboard/web/src/api/types.ts  the page's types and limits
//	clients/python/eke/_wire.py                     the Python client's types, codes and limits
//
// After changing the interface, generate them again: go generate ./internal/api
package gen
