package server_test

import (
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

const clustered = `name: jobs
objective: {goal: minimize}
cost: {source: slurm, unit: core-hours}
budget: {total: 10, timeout: 1s}
parameters:
  x: {type: float, min: 0, max: 1}
policy: {name: random}
command: ["true"]
engine: {type: slurm}
`

// A trial that waits in a cluster's queue says why, and its limit does not run meanwhile. What the accounts say of it later is taken from
// its worker, and from nobody else.
func TestQueuedAndAccountedLate(t *testing.T) { ownClock(t, testQueuedAndAccountedLate) }

func testQueuedAndAccountedLate(t *testing.T) {
	g := serveInside(t)
	g.create(clustered)
	g.post("/studies/jobs/ask", `{"worker":"w"}`).fine(200, nil)
	var b api.Beat
	for _, reason := range []string{"Priority", "Resources", "Resources"} {
		if g.post("/studies/jobs/trials/1/heartbeat", `{"worker":"w","queued":"`+reason+`"}`).fine(200, &b); b.Stop {
			t.Error("it is stopped before it begins")
		}
		time.Sleep(600 * time.Millisecond) // longer than the limit, all together
		if listed := g.listedAs("jobs"); listed.Queued != 1 || listed.Counts["running"] != 1 {
			t.Errorf("%+v", listed)
		}
		if got := g.trial("jobs", 1).Queued; got != reason {
			t.Errorf("it waits because of %q", got)
		}
	}
	g.post("/studies/jobs/trials/1/cost", `{"worker":"w","cost":3}`).refused(409, fault.Conflict, "") // it has not ended
	begun := g.trial("jobs", 1).Started
	g.post("/studies/jobs/trials/1/heartbeat", `{"worker":"w"}`).fine(200, nil)
	if now := g.trial("jobs", 1); now.Queued != "" || !now.Started.After(begun) {
		t.Errorf("%+v", now)
	}
	waitFor(t, func() bool { g.post("/studies/jobs/trials/1/heartbeat", `{"worker":"w"}`).fine(200, &b); return b.Stop })

	g.post("/studies/jobs/trials/1/tell", `{"value":1,"cost":2,"estimated":true}`).fine(200, nil)
	g.post("/studies/jobs/trials/1/cost", `{"worker":"other","cost":3}`).refused(409, fault.Conflict, "")
	for range 2 {
		g.post("/studies/jobs/trials/1/cost", `{"worker":"w","cost":3}`).fine(200, nil)
	}
	if now := g.trial("jobs", 1); now.Charged != 3 || now.Estimated || len(now.Was) != 1 {
		t.Errorf("%+v", now)
	}
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":2}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/cost", `{"worker":"w","cost":3}`).refused(409, fault.Conflict, "") // it has no accounts
}
