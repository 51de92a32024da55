package server_test

import (
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
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

// What a client says of time is checked by the server's clock.
func TestTimeThatHasNotPassed(t *testing.T) {
	g := serve(t)
	g.create(timed)
	g.create(kiln)
	for _, name := range []string{"timed", "kiln"} {
		g.post("/studies/"+name+"/ask", `{"worker":"w"}`).fine(200, nil)
		g.post("/studies/"+name+"/ask", `{"by_hand":true}`).fine(200, nil)
	}
	for _, c := range []struct{ path, body, field string }{
		{"/studies/timed/trials/1/tell", `{"value":1,"wall":1500}`, "body.wall"},
		{"/studies/timed/trials/2/tell", `{"value":1,"wall":1500}`, "body.wall"},
		{"/studies/timed/trials/1/tell", `{"value":1,"cost":1500}`, "body.cost"},
		{"/studies/timed/trials/1/tell", `{"value":1,"cost":1500,"wall":1}`, "body.cost"},
		{"/studies/timed/trials/1/tell", `{"value":1,"cost":1,"wall":1500}`, "body.wall"},
		{"/studies/timed/trials/1/fail", `{"wall":1500}`, "body.wall"},
		{"/studies/timed/trials/1/fail", `{"cost":1500,"state":"abandoned"}`, "body.cost"},
		{"/studies/kiln/trials/1/tell", `{"value":1,"cost":20,"wall":1500}`, "body.wall"},
		{"/studies/kiln/trials/1/fail", `{"cost":20,"wall":1500}`, "body.wall"},
	} {
		g.post(c.path, c.body).refused(422, fault.BadRequest, c.field)
	}
	var s api.Study
	if g.get("/studies/timed").fine(200, &s); s.Ledger.Spent != 0 || s.Counts["running"] != 2 {
		t.Errorf("%+v %v", s.Ledger, s.Counts)
	}
	g.post("/studies/timed/trials/1/tell", `{"value":1,"wall":0.5}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":20,"wall":0.5}`).fine(200, nil) // what was paid is for the client to say
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
