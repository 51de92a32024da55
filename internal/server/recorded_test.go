package server_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/recorded"
	"github.com/eke-bo/eke/internal/server"
)

// Workers, runs and Python clients of e491636, which know no identities, go on to work with this server: it answers with all that they were
// answered then, and books what they say once.
func TestClientsOfE491636(t *testing.T) {
	for name, studies := range map[string][]string{"worker": {"kiln"}, "run": {"curves", "oven"}, "python": {"clear-glass", "curve"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := serve(t, func(c *server.Config) { c.Lease = longLease })
			charged := map[string]float64{} // by the path of the trial
			for _, e := range recorded.Read(t, "../../testdata/e491636/"+name+".jsonl") {
				answer, sent := g.replay(e)
				if !sent || !e.Ends() || e.Status != http.StatusOK {
					continue
				}
				var ended struct{ Charged float64 }
				answer.fine(e.Status, &ended)
				charged[e.Path] = ended.Charged
				again := g.call(e.Method, e.Path, string(e.Body()), headersOf(e)...) // its answer was lost
				if again.fine(e.Status, nil); !bytes.Equal(again.body, answer.body) {
					t.Errorf("%s, repeated: %s, not %s", e.Path, again.body, answer.body)
				}
			}
			want, spent := 0.0, 0.0
			for _, c := range charged {
				want += c
			}
			for _, name := range studies {
				var s struct{ Ledger struct{ Spent float64 } }
				g.get("/studies/"+name).fine(http.StatusOK, &s)
				spent += s.Ledger.Spent
			}
			if len(charged) < 5 || math.Abs(spent-want) > 1e-9 {
				t.Errorf("%d trials were charged %v, and %v is spent", len(charged), want, spent)
			}
		})
	}
}

// replay sends a request of then, and compares the answers. It says whether the request makes sense today.
func (g *given) replay(e recorded.Exchange) (answer answered, sent bool) {
	g.t.Helper()
	var was, is any
	if err := json.Unmarshal(e.Answer, &was); err != nil {
		g.t.Fatal(err)
	}
	answer = g.call(e.Method, e.Path, string(e.Body()), headersOf(e)...)
	if strings.HasSuffix(e.Path, "/ask") && e.Status == http.StatusConflict && answer.status == http.StatusOK {
		return answer, false // whether anything is worth trying is a decision of today's models
	}
	answer.fine(e.Status, &is)
	if at := missing(was, is, ""); at != "" {
		g.t.Errorf("%s %s: %s\nwas %v\nnow %v", e.Method, e.Path, at, was, is)
	}
	for name, value := range e.Answered {
		if got := answer.header.Get(name); got != value {
			g.t.Errorf("%s %s: %s is %q, and was %q", e.Method, e.Path, name, got, value)
		}
	}
	return answer, true
}

func headersOf(e recorded.Exchange) (list []string) {
	for name, value := range e.Headers {
		list = append(list, name, value)
	}
	return list
}
