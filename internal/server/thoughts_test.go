package server_test

import (
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// A study over HTTP that somebody thinks better of, again and again.
func TestSecondThoughts(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	var item api.Item
	for range 2 { // once, however often it is sent
		g.post("/studies/kiln/queue", `{"setting":{"x":0.5,"n":3,"glaze":"ash"}}`, "Idempotency-Key", "k").fine(200, &item)
	}
	var queue api.Queue
	g.get("/studies/kiln/queue").fine(200, &queue)
	if item.Number != 1 || len(queue.Items) != 1 {
		t.Errorf("%+v %+v", item, queue)
	}
	g.post("/studies/kiln/queue", `{"setting":{"x":50,"n":3,"glaze":"ash"}}`).refused(422, fault.BadRequest, "body.setting")
	g.post("/studies/kiln/queue/7/drop", `{}`).refused(404, fault.NotFound, "")
	var leases api.Leases
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, &leases)
	if got := leases.Trials[0]; got.Item != 1 || got.Setting["x"].String() != "0.5" {
		t.Errorf("%+v", got)
	}
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":2}`).fine(200, nil)

	var trial api.Trial
	g.post("/studies/kiln/trials/1/correct", `{"cost":3,"note":"misread"}`).fine(200, &trial)
	if trial.Charged != 3 || *trial.Value != 1 || len(trial.Was) != 1 || trial.Was[0].Charged != 2 {
		t.Errorf("%+v", trial)
	}
	g.post("/studies/kiln/trials/1/correct", `{"value":2,"failed":true}`).refused(422, fault.BadRequest, "")
	var s api.Study
	g.post("/studies/kiln/forget", `{"trials":[1]}`).fine(200, &s)
	if s.Best != nil || s.Ledger.Spent != 3 {
		t.Errorf("%+v", s)
	}
	g.post("/studies/kiln/forget", `{"trials":[1],"undo":true}`).fine(200, &s)
	g.post("/studies/kiln/forget", `{"trials":[9]}`).refused(404, fault.NotFound, "")
	g.post("/studies/kiln/retry", `{"trials":[1]}`).fine(200, &queue)
	if s.Best == nil || len(queue.Items) != 1 || queue.Items[0].Retries != 1 {
		t.Errorf("%+v %+v", s.Best, queue)
	}

	g.post("/studies/kiln/pause", nil).fine(200, &s)
	g.post("/studies/kiln/pause", nil).fine(200, &s)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).refused(503, fault.Paused, "")
	g.post("/studies/kiln/resume", nil).fine(200, &s)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, &leases)
	if leases.Trials[0].Retries != 1 || s.Paused {
		t.Errorf("%+v", leases.Trials[0])
	}
	g.post("/studies/kiln/archive", `{}`).refused(409, fault.Conflict, "")
	g.post("/studies/kiln/trials/2/stop", nil).fine(200, &trial)
	var beat api.Beat
	g.post("/studies/kiln/trials/2/heartbeat", `{"worker":"w"}`).fine(200, &beat)
	if !trial.Stopping || !beat.Stop {
		t.Errorf("%+v %+v", trial, beat)
	}
	trial = api.Trial{}
	g.post("/studies/kiln/trials/2/fail", `{"state":"cut","cost":1}`).fine(200, &trial)
	if trial.Stopping || trial.State != study.Cut {
		t.Errorf("%+v", trial)
	}
}

func TestImportRenameDelete(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	results := `{"results":[{"setting":{"x":0.5,"n":3,"glaze":"ash"},"value":4,"cost":5},{"setting":{"x":0.5,"n":300,"glaze":"ash"},"value":4}],"charge":true`
	var done api.Import
	g.post("/studies/kiln/results", results+`,"dry_run":true}`).fine(200, &done)
	var s api.Study
	g.get("/studies/kiln").fine(200, &s)
	if done.Added != 1 || done.Charged != 5 || len(done.Refused) != 1 || done.Refused[0].Index != 1 || s.Ledger.Spent != 0 {
		t.Errorf("%+v %+v", done, s.Ledger)
	}
	for range 2 {
		g.post("/studies/kiln/results", results+`}`).fine(200, &done)
	}
	g.get("/studies/kiln").fine(200, &s)
	if done.Added != 0 || done.Known != 1 || s.Ledger.Spent != 5 || s.Best == nil || s.Initial != s.Ledger.Total {
		t.Errorf("%+v %+v", done, s.Ledger)
	}
	g.post("/studies/kiln/rename", `{"name":"a b"}`).refused(422, fault.BadRequest, "body.name")
	g.post("/studies/kiln/rename", `{"name":"oven"}`).fine(200, &s)
	if s.Name != "oven" || s.Definition.Name != "oven" || s.Ledger.Spent != 5 {
		t.Errorf("%+v", s)
	}
	g.get("/studies/kiln").refused(404, fault.NotFound, "")
	g.create(kiln)
	g.get("/studies/kiln").fine(200, &s)
	if s.Ledger.Spent != 0 {
		t.Errorf("%+v", s.Ledger)
	}
	g.post("/studies/oven/delete", `{"confirm":"kiln"}`).refused(422, fault.BadRequest, "body.confirm")
	g.post("/studies/oven/delete", `{"confirm":"oven"}`).fine(200, nil)
	g.get("/studies/oven").refused(404, fault.NotFound, "")
}
