package server

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/store"
)

// Long answers that one token does not read, and choices that take long, keep that token waiting, and nobody else.
func TestOneTokenWaitsForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStill(t)
		secret, token := NewToken(Admin, "")
		if err := s.store.all.(store.Tokens).AddToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * tokensAge)
		slow := sender{"token " + token.ID, "token " + token.ID}
		for _, all := range []*shares{s.answers, s.thinkers} {
			for range all.one {
				if _, err := all.take(t.Context(), slow, 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, path := range []string{"/studies", "/studies/quick/trials", "/studies/quick/columns", "/studies/quick/log", "/studies/quick/export"} {
			s.send("GET", path, "", http.StatusOK)
		}
		s.send("POST", "/studies/quick/ask", `{"worker":"w"}`, http.StatusOK)

		s.secret = secret
		s.send("GET", "/studies/quick/trials", "", http.StatusTooManyRequests)
		s.send("GET", "/studies/quick", "", http.StatusOK)
		s.send("POST", "/studies/quick/labels", `{"tags":["a"]}`, http.StatusOK)
		if held := s.answers.held; held != someAnswers {
			t.Errorf("%d answers are being sent", held)
		}
	})
}
