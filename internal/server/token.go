package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"time"

	"github.com/eke-bo/eke/store"
)

// Role says what a token allows. Each role may do everything that the roles before it may.
type Role string

const (
	Anyone Role = ""
	Reader Role = "reader" // reads
	Worker Role = "worker" // asks for trials and tells their results
	Admin  Role = "admin"  // creates studies, ends them, and adds money
)

// Roles lists the roles, the weakest first.
func Roles() []Role { return []Role{Reader, Worker, Admin} }

// may reports whether a role includes another.
func (r Role) may(need Role) bool { return rank(r) >= rank(need) }

// rank of anyone, who has no role, is below all others.
func rank(r Role) int { return slices.Index(Roles(), r) }

// tokenPrefix tells people, and scanners for leaked secrets, what this is.
const tokenPrefix = "eke_"

// NewToken makes a token. The secret is for its owner and is kept nowhere. The rest goes into the store.
func NewToken(role Role, name string) (secret string, t store.Token) {
	raw := make([]byte, 32+4)
	rand.Read(raw) // never fails
	secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(raw[:32])
	return secret, store.Token{
		ID: hex.EncodeToString(raw[32:]), Name: name, Role: string(role), Hash: hashOf(secret), Created: time.Now().UTC(),
	}
}

// A secret of 256 random bits needs no slow hash: nobody can try them all.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// match finds the token with a secret. It takes the same time wherever the hashes differ.
func match(list []store.Token, secret string) (found store.Token, ok bool) {
	hash := []byte(hashOf(secret))
	for _, t := range list {
		if subtle.ConstantTimeCompare(hash, []byte(t.Hash)) == 1 {
			found, ok = t, true
		}
	}
	return found, ok
}
