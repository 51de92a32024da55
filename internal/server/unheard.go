package server

import (
	"net/http"
	"sync"
)

// unheard has the tokens whose workers tried to say something of a trial and were not heard, because the server was busy or its store away. A
// worker that is turned away is not silent. The empty ID stands for all who have no token.
type unheard struct {
	mu     sync.Mutex
	tokens map[string]bool
}

// note remembers the token of a request that was answered with a status, if that means that the server could not listen.
func (u *unheard) note(r *http.Request, token string, status int) {
	if status != http.StatusTooManyRequests && status < http.StatusInternalServerError || !isOnTrial(r) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.tokens == nil {
		u.tokens = map[string]bool{}
	}
	u.tokens[token] = true
}

// take returns the tokens that were not heard since it was called last.
func (u *unheard) take() map[string]bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.tokens
	u.tokens = nil
	return taken
}
