package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/eke-bo/eke/internal/api"
)

// Keyed is the input of an operation that can be repeated.
type Keyed struct {
	Key string `header:"Idempotency-Key" maxLength:"200" pattern:"^[!-~]+$" doc:"A request that is repeated with the same key is carried out once, and answered as before. Another request with that key is refused."`
}

// key identifies a request in the log: what the client sent, and a digest of the body, so that another request with the same key is
// noticed. No key that a client sends contains a space.
func (k Keyed) key(body any) string {
	if k.Key == "" {
		return ""
	}
	raw, _ := json.Marshal(body) // it was read from JSON
	sum := sha256.Sum256(raw)
	return k.Key + " " + hex.EncodeToString(sum[:8])
}

// isSame reports whether a key in the log belongs to this request. Keys of version 0.1.0 have no digest.
func (k Keyed) isSame(logged string, body any) bool {
	return logged != "" && (logged == k.Key || logged == k.key(body))
}

// reuse refuses this request if a key in the log belongs to another one.
func (k Keyed) reuse(logged string, body any) error {
	if k.Key == "" || !strings.HasPrefix(logged, k.Key+" ") || strings.HasPrefix(logged, k.key(body)) {
		return nil
	}
	return api.Invalid("header.Idempotency-Key", "this key came with another request before; use a new key for each request")
}
