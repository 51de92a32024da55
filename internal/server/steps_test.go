package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

const epochs = `{"yaml": "name: epochs\nobjective: {name: loss, goal: minimize}\ncost: {unit: euros, source: reported}\nbudget: {total: 100}\nparameters:\n  x: {type: float, min: 0, max: 1}\nfidelity: {name: epochs, min: 1, max: 9, log: true, stop_early: median}\npolicy: {name: random}\n"}`

// A trial reports the values of its way, and hears when it is to stop. It is charged once, when it ends; and whatever it tells after
// an early stop is no result.
func TestReport(t *testing.T) {
	g := serve(t)
	g.post("/studies", epochs).fine(http.StatusCreated, nil)
	report := func(trial int, step, value float64) (out api.Reported) {
		t.Helper()
		g.post(fmt.Sprintf("/studies/epochs/trials/%d/report", trial), map[string]any{"step": step, "value": value, "cost": step}).fine(200, &out)
		return out
	}
	for i := range 4 {
		g.post("/studies/epochs/ask", `{"worker":"w"}`).fine(200, nil)
		if i == 3 {
			break
		}
		for _, step := range []float64{1, 3, 9} {
			if out := report(i+1, step, 1/step); out.Stop || out.Reason != "" {
				t.Errorf("%+v", out)
			}
		}
		g.post(fmt.Sprintf("/studies/epochs/trials/%d/tell", i+1), `{"value": 0.1, "cost": 9}`).fine(200, nil)
	}
	if out := report(4, 1, 0.9); out.Stop {
		t.Errorf("a good one: %+v", out)
	}
	out := report(4, 3, 0.8)
	if !out.Stop || out.EarlyAt != 3 || !strings.Contains(out.Reason, "median of 3 other trials") {
		t.Errorf("a bad one: %+v", out)
	}
	if again := report(4, 3, 0.8); again != out {
		t.Errorf("asked again: %+v, not %+v", again, out)
	}
	var beat api.Beat
	g.post("/studies/epochs/trials/4/heartbeat", `{"worker":"w"}`).fine(200, &beat)
	var s api.Study
	g.get("/studies/epochs").fine(200, &s)
	if !beat.Stop || s.Ledger.Spent != 27 {
		t.Errorf("%+v, %+v", beat, s.Ledger)
	}
	var told api.Trial
	for range 2 { // the answer may have been lost
		g.post("/studies/epochs/trials/4/tell", `{"value": 0.001, "cost": 4}`, "Idempotency-Key", "k").fine(200, &told)
	}
	if told.State != study.StoppedEarly || told.Value != nil || told.Charged != 4 || told.Early != out.Reason || told.EarlyAt != 3 || len(told.Steps) != 2 {
		t.Errorf("%+v", told)
	}
	g.get("/studies/epochs").fine(200, &s)
	if s.Ledger.Spent != 31 || *s.Best.Value != 0.1 || s.Counts[study.StoppedEarly] != 1 {
		t.Errorf("%+v", s)
	}
	g.post("/studies/epochs/trials/4/report", `{"step": 5, "value": 1}`).refused(409, fault.Conflict, "")
	g.post("/studies/epochs/trials/9/report", `{"step": 5, "value": 1}`).refused(404, fault.NotFound, "")
	g.post("/studies/epochs/trials/4/report", `{"step": 0, "value": 1}`).refused(422, fault.BadRequest, "body.step")

	g.post("/studies", kiln).fine(http.StatusCreated, nil)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/report", `{"step": 5, "value": 1}`).refused(422, fault.BadRequest, "")
}

// A worker that reports steps is not silent, even if it sends no heartbeats.
func TestReportsKeepALease(t *testing.T) {
	ownClock(t, func(t *testing.T) {
		g := serveInside(t, short)
		g.post("/studies", epochs).fine(http.StatusCreated, nil)
		g.post("/studies/epochs/ask", `{"worker":"w"}`).fine(200, nil)
		for step := range 9 {
			g.post("/studies/epochs/trials/1/report", map[string]any{"step": step + 1, "value": 1}).fine(200, nil)
			time.Sleep(shortLease / 2)
		}
		if trial := g.trial("epochs", 1); trial.State != study.Running {
			t.Errorf("%+v", trial)
		}
	})
}
