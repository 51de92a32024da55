package server_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// A key belongs to one request: repeated it is answered as before, and another request with that key is refused and changes nothing.
func TestKeyReuse(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	const ask = "/studies/kiln/ask"
	key := func(name string) []string { return []string{"Idempotency-Key", name} }
	var first, again api.Leases
	g.post(ask, `{"worker":"w","count":3}`, key("k")...).fine(200, &first)
	g.post(ask, ` {"count":3, "worker":"w"}`, key("k")...).fine(200, &again)
	if len(first.Trials) != 3 || len(again.Trials) != 3 || first.Trials[2].Number != again.Trials[2].Number {
		t.Errorf("%+v\n%+v", first, again)
	}
	for _, other := range []string{`{"worker":"w","count":5}`, `{"worker":"w","count":2}`, `{"worker":"w"}`, `{"worker":"v","count":3}`, `{"by_hand":true,"count":3}`} {
		g.post(ask, other, key("k")...).refused(422, fault.BadRequest, "header.Idempotency-Key")
	}
	g.post(ask, `{"worker":"w"}`, key("one")...).fine(200, nil)
	g.post(ask, `{"worker":"w"}`, key("one")...).fine(200, &again)
	g.post(ask, `{"worker":"w","count":2}`, key("one")...).refused(422, fault.BadRequest, "header.Idempotency-Key")
	if again.Trials[0].Number != 4 {
		t.Errorf("%+v", again)
	}

	const tell = "/studies/kiln/trials/1/tell"
	g.post(tell, `{"value":1,"cost":2}`, key("t")...).fine(200, nil)
	g.post(tell, `{"value":1,"cost":2}`, key("t")...).fine(200, nil)
	for _, other := range []string{`{"value":1,"cost":3}`, `{"value":2,"cost":2}`, `{"value":1,"cost":2,"note":"x"}`} {
		g.post(tell, other, key("t")...).refused(422, fault.BadRequest, "header.Idempotency-Key")
	}
	g.post("/studies/kiln/trials/1/fail", `{"cost":2}`, key("t")...).refused(422, fault.BadRequest, "header.Idempotency-Key")
	g.post("/studies/kiln/trials/2/fail", `{"cost":2}`, key("t")...).fine(200, nil)
	g.post("/studies/kiln/trials/2/fail", `{"cost":2}`, key("t")...).fine(200, nil)
	g.post("/studies/kiln/trials/2/fail", `{"cost":1}`, key("t")...).refused(422, fault.BadRequest, "header.Idempotency-Key")

	var s api.Study
	for range 3 {
		g.post("/studies/kiln/budget", `{"add":7}`, key("b")...).fine(200, &s)
	}
	g.post("/studies/kiln/budget", `{"add":8}`, key("b")...).refused(422, fault.BadRequest, "header.Idempotency-Key")
	g.post("/studies/kiln/budget", `{"add":1}`, key("c")...).fine(200, &s)
	if s.Ledger.Total != 108 || s.Ledger.Spent != 4 || s.Counts["running"] != 2 {
		t.Errorf("%+v %v", s.Ledger, s.Counts)
	}

	const queue, setting = "/studies/kiln/queue", `{"setting":{"x":0.5,"n":3,"glaze":"ash"}}`
	g.post(queue, setting, key("q")...).fine(200, nil)
	g.post(queue, setting, key("q")...).fine(200, nil)
	g.post(queue, `{"setting":{"x":0.6,"n":3,"glaze":"ash"}}`, key("q")...).refused(422, fault.BadRequest, "header.Idempotency-Key")
	var q api.Queue
	if g.get(queue).fine(200, &q); len(q.Items) != 1 {
		t.Errorf("%+v", q)
	}
}

// What a client says of time is checked by the server's clock: no more is charged than has passed, and the value is kept.
func TestTimeThatHasNotPassed(t *testing.T) { ownClock(t, testTimeThatHasNotPassed) }

func testTimeThatHasNotPassed(t *testing.T) {
	g, n := serveInside(t), 0
	for _, c := range []struct {
		file, verb, body      string
		passed, charged, wall float64
	}{
		{timed, "tell", `{"value":1,"wall":1500}`, 0, 2, 2},
		{timed, "tell", `{"value":1,"cost":1500}`, 0, 2, 2},
		{timed, "tell", `{"value":1,"cost":1500,"wall":1}`, 0, 2, 1},
		{timed, "tell", `{"value":1,"cost":1,"wall":1500}`, 0, 1, 2},
		{timed, "tell", `{"value":1,"wall":1500}`, 10, 12.1, 12.1},
		{timed, "tell", `{"value":1,"wall":11}`, 10, 11, 11},
		{timed, "fail", `{"wall":1500}`, 0, 2, 2},
		{timed, "fail", `{"cost":1500,"state":"abandoned"}`, 0, 2, 2},
		{kiln, "tell", `{"value":1,"cost":4,"wall":1500}`, 0, 4, 2},
		{kiln, "tell", `{"value":1,"cost":4,"wall":0.5}`, 0, 4, 0.5}, // what was paid is for the client to say
		{kiln, "fail", `{"cost":4,"wall":1500}`, 0, 4, 2},
	} {
		for _, by := range []string{`{"worker":"w"}`, `{"by_hand":true}`} {
			n++
			name := fmt.Sprint("study-", n)
			_, rest, _ := strings.Cut(c.file, "\n")
			g.create("name: " + name + "\n" + rest)
			g.post("/studies/"+name+"/ask", by).fine(200, nil)
			time.Sleep(time.Duration(c.passed * float64(time.Second)))
			var told api.Trial
			g.post("/studies/"+name+"/trials/1/"+c.verb, c.body).fine(200, &told)
			if math.Abs(told.Charged-c.charged) > 1e-6 || math.Abs(told.Wall-c.wall) > 1e-6 || strings.Contains(told.Note, "cannot have run for 25m") != strings.Contains(c.body, "1500") {
				t.Errorf("%s %s: %+v", c.verb, c.body, told)
			}
		}
	}
}

// Two servers share a database, and the clock of the one that handed a trial out is ahead; or a clock was set back. The result is kept, and
// the trial is charged what has passed for sure.
func TestResultOfAnotherClock(t *testing.T) {
	ownClock(t, func(t *testing.T) {
		g := serveInside(t)
		g.create(timed)
		g.create(strings.Replace(timed, "name: timed", "name: model", 1))
		g.post("/studies/model/ask", `{"worker":"w"}`).fine(200, nil)
		_, events, err := g.store.Read(t.Context(), "model", 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = store.Follow(g.store, "timed").Update(t.Context(), func(*study.Record, store.Header) (list []study.Event, _ error) {
			for _, e := range events {
				if e.Kind == study.EventAsked || e.Kind == study.EventStarted {
					list = append(list, study.Event{Kind: e.Kind, Trial: e.Trial, Runner: e.Runner, Asked: e.Asked, At: time.Now().Add(10 * time.Second)})
				}
			}
			return list, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Second)
		var told api.Trial
		for range 2 {
			g.post("/studies/timed/trials/1/tell", `{"value":7,"wall":3.5}`, "Idempotency-Key", "k").fine(200, &told)
		}
		if told.State != study.Done || told.Value == nil || *told.Value != 7 || told.Charged != 2 {
			t.Errorf("%+v", told)
		}
	})
}

// A trial without a value has none, wherever it is shown.
func TestNoValueIsNull(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	var asked struct{ Trials []map[string]any }
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, &asked)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	if v, there := asked.Trials[0]["value"]; !there || v != nil {
		t.Errorf("%v", asked)
	}
	g.post("/studies/kiln/trials/1/tell", `{"value":0,"cost":1}`).fine(200, nil)
	g.post("/studies/kiln/trials/2/fail", `{"cost":1}`).fine(200, nil)
	for _, path := range []string{"/studies/kiln/trials", "/studies/kiln/export?format=json"} {
		if g.get(path).fine(200, &asked); asked.Trials[0]["value"] != 0.0 || asked.Trials[1]["value"] != nil {
			t.Errorf("%s: %v", path, asked)
		}
	}
}

// A slip in the name of a limited quantity is refused where a person can give it again, and kept where a worker has measured it.
func TestMisnamedMetric(t *testing.T) {
	g := serve(t)
	g.create(strings.Replace(kiln, "budget:", "limits: {pH: {max: 4}}\nbudget:", 1))
	g.post("/studies/kiln/ask", `{"by_hand":true}`).fine(200, nil)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1,"metrics":{"ph":3}}`).refused(422, fault.BadRequest, "")
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1,"metrics":{"pH":3}}`).fine(200, nil)
	var told api.Trial
	g.post("/studies/kiln/trials/2/tell", `{"value":1,"cost":1,"metrics":{"ph":3}}`).fine(200, &told)
	if !strings.Contains(told.Note, "was pH meant?") || told.Metrics["ph"] != 3 {
		t.Errorf("%+v", told)
	}
	g.post("/studies/kiln/trials/2/correct", `{"metrics":{"Ph":3}}`).refused(422, fault.BadRequest, "")
	g.post("/studies/kiln/trials/2/correct", `{"metrics":{"pH":3}}`).fine(200, nil)
}
