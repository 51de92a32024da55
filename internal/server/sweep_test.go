package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/webhook"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

const quick = `name: quick
objective: {goal: minimize}
cost: {source: reported, unit: euros}
budget: {total: 100, per_trial: 5}
parameters: {x: {type: float, min: 0, max: 1}}
policy: {name: random}
`

// still is a server that sweeps only when it is told to, with a study and a token.
type still struct {
	*Server
	t      *testing.T
	secret string
}

func newStill(t *testing.T) *still {
	t.Helper()
	st := store.Memory()
	t.Cleanup(func() { st.Close() })
	secret, token := NewToken(Admin, "")
	if err := st.(store.Tokens).AddToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	s := &still{New(Config{Store: st, Lease: time.Hour, Rate: 1e6}), t, secret}
	s.Close()
	s.send("POST", "/studies", quick, http.StatusCreated)
	return s
}

func (s *still) send(method, path, body string, want int) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://localhost/api/v1"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if path == "/studies" {
		r.Header.Set("Content-Type", "application/yaml")
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != want {
		s.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, want, w.Body)
	}
	return w
}

func (s *still) state(trial int) study.State {
	s.t.Helper()
	r, _, err := store.Load(s.t.Context(), s.store, "quick")
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Trials[trial-1].State
}

// While the server refuses a worker's heartbeats, its lease does not end. Neither do those of other workers with that token, which
// would have been refused too. Afterwards all of them have their full time again.
func TestRefusedWorkersAreNotSilent(t *testing.T) {
	s := newStill(t)
	s.send("POST", "/studies/quick/ask", `{"worker":"w","count":2}`, 200)
	s.rates = newRates(1e-9) // one request in each lane, and the next in 30 years
	s.send("POST", "/studies/quick/trials/1/heartbeat", `{"worker":"w"}`, 200)
	signs := s.sweep(t.Context(), nil, 0)
	for range 20 { // each a quarter of the lease later
		s.send("POST", "/studies/quick/trials/1/heartbeat", `{"worker":"w"}`, 429)
		signs = s.sweep(t.Context(), signs, time.Hour/4)
	}
	for range 4 {
		if s.state(1) != study.Running || s.state(2) != study.Running {
			t.Fatal("workers that were refused lost their trials")
		}
		signs = s.sweep(t.Context(), signs, time.Hour/4)
	}
	if s.sweep(t.Context(), signs, time.Hour/4); s.state(1) != study.Abandoned || s.state(2) != study.Abandoned {
		t.Error("silent workers keep their trials")
	}
}

// What the server refuses for other reasons than that it is busy does not keep a lease.
func TestWrongRequestsKeepNoLease(t *testing.T) {
	s := newStill(t)
	s.send("POST", "/studies/quick/ask", `{"worker":"w"}`, 200)
	signs := s.sweep(t.Context(), nil, 0)
	for range 5 {
		s.send("POST", "/studies/quick/trials/1/heartbeat", `{"worker":7}`, 422)
		s.send("POST", "/studies/quick/trials/9/heartbeat", `{"worker":"w"}`, 404)
		signs = s.sweep(t.Context(), signs, time.Hour/4)
	}
	if s.state(1) != study.Abandoned {
		t.Error("a silent worker keeps its trial")
	}
}

// damage is a store in which a study may be damaged.
type damage struct {
	store.Store
	of string
}

func (d *damage) Read(ctx context.Context, name string, after int64) (store.Header, []study.Event, error) {
	if name == d.of {
		return store.Header{}, nil, store.ErrDamaged
	}
	return d.Store.Read(ctx, name, after)
}

// What the server refuses since one study is damaged keeps the leases of no other study.
func TestDamageKeepsNoOtherLease(t *testing.T) {
	s := newStill(t)
	d := &damage{Store: s.store.all}
	s.store.all = d
	s.send("POST", "/studies", strings.Replace(quick, "name: quick", "name: other", 1), http.StatusCreated)
	for _, name := range []string{"quick", "other"} {
		s.send("POST", "/studies/"+name+"/ask", `{"worker":"w"}`, 200)
	}
	signs := s.sweep(t.Context(), nil, 0)
	d.of = "other"
	for range 5 {
		s.send("POST", "/studies/other/trials/1/heartbeat", `{"worker":"w"}`, 503)
		signs = s.sweep(t.Context(), signs, time.Hour/4)
	}
	if s.state(1) != study.Abandoned {
		t.Error("a silent worker keeps its trial while another study is damaged")
	}
	d.of = ""
	for range 5 { // once the study can be read again, its lease has its full time
		if got := s.send("GET", "/studies/other/trials/1", "", 200).Body.String(); !strings.Contains(got, `"state":"running"`) {
			t.Fatal(got)
		}
		signs = s.sweep(t.Context(), signs, time.Hour/4)
	}
}

// A server that stood still, such as one whose machine slept, has heard nobody meanwhile.
func TestStandstillEndsNoLease(t *testing.T) {
	s := newStill(t)
	s.send("POST", "/studies/quick/ask", `{"worker":"w"}`, 200)
	signs := s.sweep(t.Context(), nil, 0)
	for range 4 {
		if signs = s.sweep(t.Context(), signs, 24*time.Hour); s.state(1) != study.Running {
			t.Fatal("a worker lost its trial for the time in which the server stood still")
		}
	}
	if s.sweep(t.Context(), signs, time.Hour/4); s.state(1) != study.Abandoned {
		t.Error("a silent worker keeps its trial")
	}
}

// News is told once, whatever the study is called afterwards, and even if it could not be read for a while, or one look at the studies missed it.
func TestNewsIsToldOnce(t *testing.T) {
	s := newStill(t)
	marks := s.tellNews(t.Context(), nil, nil, nil)
	look := func(hurt bool) []*card {
		t.Helper()
		cards, err := s.look(t.Context())
		if err != nil || len(cards) != 1 {
			t.Fatal(len(cards), err)
		}
		if hurt {
			return []*card{{head: cards[0].head, summary: damaged(cards[0].head, "its record in the store is damaged")}}
		}
		return cards
	}
	s.send("POST", "/studies/quick/ask", `{"worker":"w","count":2}`, 200)
	s.send("POST", "/studies/quick/trials/1/tell", `{"value":1,"cost":2}`, 200)
	s.send("POST", "/studies/quick/trials/2/fail", `{"state":"abandoned","cost":1}`, 200)
	s.send("POST", "/studies/quick/end", "", 200)
	fromHere := s.tellNews(t.Context(), nil, look(true), nil) // how the study stands cannot be seen yet
	rename := func(to string) func() []*card {
		return func() []*card {
			s.send("POST", "/studies/"+look(false)[0].summary.Name+"/rename", `{"name":"`+to+`"}`, 200)
			return look(false)
		}
	}
	steps := []struct {
		name  string
		cards func() []*card
		want  string
	}{
		{"new", func() []*card { return look(false) }, "best trouble end"},
		{"again", func() []*card { return look(false) }, ""},
		{"renamed", rename("second"), ""},
		{"missed", func() []*card { return nil }, ""},
		{"there again", rename("third"), ""},
		{"damaged", func() []*card { return look(true) }, "trouble"},
		{"still damaged", func() []*card { return look(true) }, ""},
		{"missed while damaged", func() []*card { return nil }, ""},
		{"damaged and there again", func() []*card { return look(true) }, ""},
		{"healed", func() []*card { return look(false) }, ""},
		{"damaged again", func() []*card { return look(true) }, "trouble"},
	}
	hear := func(told *[]string) func(webhook.Notice) {
		return func(n webhook.Notice) { *told = append(*told, string(n.Event)) }
	}
	for _, step := range steps {
		var told []string
		marks = s.tellNews(t.Context(), marks, step.cards(), hear(&told))
		if got := strings.Join(told, " "); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
	marks = s.tellNews(t.Context(), marks, nil, nil)
	if marks = s.tellNews(t.Context(), marks, nil, nil); len(marks) != 0 {
		t.Errorf("studies that are gone are kept in mind: %v", marks)
	}

	var told []string
	fromHere = s.tellNews(t.Context(), fromHere, look(false), hear(&told))
	fromHere = s.tellNews(t.Context(), fromHere, look(true), hear(&told))
	s.tellNews(t.Context(), fromHere, look(false), hear(&told))
	if got := strings.Join(told, " "); got != "trouble" {
		t.Errorf("of a study that was damaged at first: %q", got)
	}
}

// With several objectives, every result that is on the front when its trial ends is told, in the order of their ends, and no other: not even the best by the first
// objective. That does not change while nobody knows the front.
func TestNewsOfAFront(t *testing.T) {
	s := newStill(t)
	s.send("POST", "/studies", `name: oven
objectives: {accuracy: {goal: maximize}, latency_ms: {goal: minimize, worst: 200}}
cost: {source: reported, unit: euros}
budget: {total: 100}
parameters: {x: {type: float, min: 0, max: 1}}
policy: {name: random}
`, http.StatusCreated)
	look := func() []*card {
		t.Helper()
		cards, err := s.look(t.Context())
		if err != nil || len(cards) != 2 {
			t.Fatal(len(cards), err)
		}
		return cards[1:]
	}
	trials := 0
	end := func(accuracy, latency float64) {
		trials++
		s.send("POST", "/studies/oven/ask", `{"worker":"w"}`, 200)
		s.send("POST", fmt.Sprintf("/studies/oven/trials/%d/tell", trials), fmt.Sprintf(`{"value":%v,"cost":2,"metrics":{"latency_ms":%v}}`, accuracy, latency), 200)
	}
	end(0.1, 190)
	end(0.2, 195)
	marks := s.tellNews(t.Context(), nil, look(), nil) // how it stands at first is no news
	for _, step := range []struct {
		name    string
		results [][2]float64
		want    string
	}{
		{"the best by the first objective", [][2]float64{{0.5, 100}}, "on the front: accuracy 0.5, latency_ms 100 for 2 euros (x="},
		{"again", nil, ""},
		{"the best by the first objective, but beyond the worst", [][2]float64{{0.9, 250}}, ""},
		{"as good by the first objective, and dominated", [][2]float64{{0.5, 120}}, ""},
		{"worse by the first objective", [][2]float64{{0.3, 50}}, "on the front: accuracy 0.3, latency_ms 50 for 2 euros (x="},
		{"two at once, and another", [][2]float64{{0.2, 20}, {0.1, 60}, {0.6, 110}}, "on the front: accuracy 0.2, latency_ms 20 for 2 euros (x= on the front: accuracy 0.6, latency_ms 110 for 2 euros (x="},
	} {
		for _, y := range step.results {
			end(y[0], y[1])
		}
		var told []string
		hear := func(n webhook.Notice) {
			text, _, _ := strings.Cut(n.Text, "x=")
			told = append(told, text+"x=")
			if trial, is := n.Trial.(api.Trial); n.Event != study.NoticeBest || n.Study != "oven" || !is || trial.Why != nil || !strings.Contains(n.Text, fmt.Sprint("accuracy ", *trial.Value)) {
				t.Errorf("%s: %+v", step.name, n)
			}
		}
		unknown := *look()[0]
		unknown.front = nil
		if marks = s.tellNews(t.Context(), marks, []*card{&unknown}, hear); len(told) > 0 {
			t.Errorf("%s: %q is told though the front is not known", step.name, told)
		}
		marks = s.tellNews(t.Context(), marks, look(), hear)
		if got := strings.Join(told, " "); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
	// Nothing has ended when a result comes onto the front because others were forgotten, nor when the study's name changes.
	s.send("POST", "/studies/oven/forget", `{"trials":[3,9]}`, 200)
	s.send("POST", "/studies/oven/rename", `{"name":"kiln"}`, 200)
	s.tellNews(t.Context(), marks, look(), func(n webhook.Notice) { t.Errorf("%+v", n) })
}
