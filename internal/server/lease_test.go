package server_test

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// waitFor waits until something is so.
func waitFor(t testing.TB, so func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !so(); {
		if time.Now().After(end) {
			t.Fatal("it did not come to pass")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (g *given) trial(name string, number int) (t api.Trial) {
	g.t.Helper()
	g.get(fmt.Sprintf("/studies/%s/trials/%d", name, number)).fine(200, &t)
	return t
}

func TestIdempotency(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	ask := func(body, key string) (numbers []int) {
		var l api.Leases
		g.post("/studies/kiln/ask", body, "Idempotency-Key", key).fine(200, &l)
		for _, trial := range l.Trials {
			numbers = append(numbers, trial.Number)
		}
		return numbers
	}
	for range 3 {
		if a, b := ask(`{"worker":"w"}`, "one"), ask(`{"worker":"w","count":3}`, "three"); fmt.Sprint(a, b) != "[1] [2 3 4]" {
			t.Errorf("%v %v", a, b)
		}
	}
	g.post("/studies/kiln/ask", `{"worker":"other"}`, "Idempotency-Key", "one").refused(422, fault.BadRequest, "header.Idempotency-Key")

	told := `{"value":3,"cost":2}`
	var first, again api.Trial
	g.post("/studies/kiln/trials/1/tell", told, "Idempotency-Key", "t1").fine(200, &first)
	g.post("/studies/kiln/trials/1/tell", told, "Idempotency-Key", "t1").fine(200, &again)
	if again.Charged != 2 || !again.Finished.Equal(first.Finished) {
		t.Errorf("%+v", again)
	}
	g.post("/studies/kiln/trials/1/tell", told, "Idempotency-Key", "t2").refused(409, fault.Conflict, "")
	g.post("/studies/kiln/trials/1/tell", told).refused(409, fault.Conflict, "")
	for range 2 {
		g.post("/studies/kiln/trials/2/fail", `{"cost":1}`, "Idempotency-Key", "f").fine(200, nil)
		g.post("/studies/kiln/trials/3/fail", `{"cost":0,"state":"abandoned"}`, "Idempotency-Key", "a").fine(200, nil)
	}
	// A key that comes with something else than before is a mistake, and nobody should believe that it was kept.
	g.post("/studies/kiln/trials/1/tell", `{"value":4,"cost":2}`, "Idempotency-Key", "t1").refused(422, fault.BadRequest, "header.Idempotency-Key")
	g.post("/studies/kiln/trials/1/fail", `{}`, "Idempotency-Key", "t1").refused(422, fault.BadRequest, "header.Idempotency-Key")
	g.post("/studies/kiln/trials/2/fail", `{"state":"cut"}`, "Idempotency-Key", "f").refused(422, fault.BadRequest, "header.Idempotency-Key")
	if a, b := ask(`{"worker":"w","count":2}`, "two"), ask(`{"worker":"w"}`, "two#2"); a[1] == b[0] { // nor is a key taken for a part of another
		t.Errorf("%v %v", a, b)
	}
	if l := ask(`{"worker":"w"}`, "one"); l[0] != 1 { // also when it has ended
		t.Error(l)
	}
	var s api.Study
	if g.get("/studies/kiln").fine(200, &s); s.Ledger.Spent != 3 || len(ask(`{"worker":"w"}`, "new")) != 1 {
		t.Errorf("%+v", s.Ledger)
	}
}

// Many who repeat one request at once get one trial, and end it once.
func TestIdempotencyAtOnce(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			var l api.Leases
			g.post("/studies/kiln/ask", `{"worker":"w"}`, "Idempotency-Key", "k").fine(200, &l)
			if l.Trials[0].Number != 1 {
				t.Errorf("%+v", l)
			}
			g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":2}`, "Idempotency-Key", "k").fine(200, nil)
		})
	}
	wg.Wait()
	var s api.Study
	if g.get("/studies/kiln").fine(200, &s); s.Ledger.Spent != 2 || s.Counts[study.Done] != 1 || s.Version != 3 {
		t.Errorf("%+v", s)
	}
}

// shortLease is the lease of tests that let one end. They have a clock of their own.
const shortLease = 3 * time.Second

func short(c *server.Config) { c.Lease = shortLease }

// A setting whose trials were abandoned three times has failed, unless somebody stopped them or gave them up.
func TestSettingsThatWereStopped(t *testing.T) {
	for _, c := range []struct {
		ask, fail string
		again     bool
	}{
		{`{"worker":"w"}`, `{"state":"abandoned"}`, false},
		{`{"worker":"w"}`, `{"state":"abandoned","stopped":true}`, true},
		{`{"by_hand":true}`, `{"state":"abandoned"}`, true},
	} {
		g := serve(t)
		g.create(kiln)
		var first, last api.Leases
		g.post("/studies/kiln/ask", c.ask).fine(200, &first)
		for n := 1; n <= 4; n++ {
			g.post(fmt.Sprintf("/studies/kiln/trials/%d/fail", n), c.fail).fine(200, nil)
			g.post("/studies/kiln/ask", c.ask).fine(200, &last)
		}
		if again := maps.Equal(first.Trials[0].Setting, last.Trials[0].Setting); again != c.again {
			t.Errorf("%s, %s: again: %v", c.ask, c.fail, again)
		}
	}
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	var failed api.Trial
	g.post("/studies/kiln/trials/1/fail", `{"stopped":true}`).fine(200, &failed)
	if failed.Stopped {
		t.Errorf("a failure is %+v", failed)
	}
}

// A worker that falls silent loses its trial; one that does not keeps it. The late result is taken, once.
func TestSilentWorker(t *testing.T) { ownClock(t, testSilentWorker) }

func testSilentWorker(t *testing.T) {
	g := serveInside(t, short)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"quiet"}`).fine(200, nil)
	g.post("/studies/kiln/ask", `{"worker":"loud"}`).fine(200, nil)
	g.post("/studies/kiln/ask", `{"by_hand":true}`).fine(200, nil)
	d, err := broker.Open(t.Context(), g.store, "kiln")
	if err != nil {
		t.Fatal(err)
	}
	for _, runner := range []string{"run-host-1", "hand"} { // of eke run and of eke ask
		trial, err := d.Ask(t.Context(), runner)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Start(t.Context(), trial.Number, runner); err != nil {
			t.Fatal(err)
		}
	}
	for begin := time.Now(); g.trial("kiln", 1).State == study.Running || time.Since(begin) < 2*shortLease; time.Sleep(shortLease / 8) {
		var b api.Beat
		if g.post("/studies/kiln/trials/2/heartbeat", `{"worker":"loud"}`).fine(200, &b); b.Stop {
			t.Fatal("the loud worker was stopped")
		}
	}
	quiet := g.trial("kiln", 1)
	if quiet.State != study.Abandoned || !strings.Contains(quiet.Note, "fell silent") || quiet.Charged != 0 {
		t.Errorf("%+v", quiet)
	}
	for n := 2; n <= 5; n++ {
		if trial := g.trial("kiln", n); trial.State != study.Running {
			t.Errorf("%+v", trial)
		}
	}
	var b api.Beat
	if g.post("/studies/kiln/trials/1/heartbeat", `{"worker":"quiet"}`).fine(200, &b); !b.Stop {
		t.Error("a worker without its trial goes on")
	}
	if g.post("/studies/kiln/trials/2/heartbeat", `{"worker":"quiet"}`).fine(200, &b); !b.Stop {
		t.Error("a worker goes on with another's trial")
	}
	g.post("/studies/kiln/trials/1/fail", `{"state":"abandoned"}`).refused(409, fault.Conflict, "")
	var late api.Trial
	g.post("/studies/kiln/trials/1/tell", `{"value":4,"cost":3}`, "Idempotency-Key", "late").fine(200, &late)
	g.post("/studies/kiln/trials/1/tell", `{"value":4,"cost":3}`, "Idempotency-Key", "late").fine(200, &late)
	if late.State != study.Done || late.Charged != 3 {
		t.Errorf("%+v", late)
	}
	g.post("/studies/kiln/trials/1/tell", `{"value":4,"cost":3}`).refused(409, fault.Conflict, "")
	g.post("/studies/kiln/trials/4/tell", `{"value":4,"cost":3}`).refused(409, fault.Conflict, "") // eke run's
	g.post("/studies/kiln/trials/3/tell", `{"value":4,"cost":3}`).fine(200, nil)
	g.post("/studies/kiln/trials/5/tell", `{"value":4,"cost":3}`).fine(200, nil)
	waitFor(t, func() bool { // it is counted when it is on record
		return strings.Contains(string(g.call("GET", "/metrics", nil).body), `eke_abandoned_total{study="kiln"} 1`)
	})
}

// A silent worker of a study of wall time is charged for as long as it was heard of, and half of the time until it would have been heard of again.
func TestSilentWorkerIsCharged(t *testing.T) { ownClock(t, testSilentWorkerIsCharged) }

func testSilentWorkerIsCharged(t *testing.T) {
	g := serveInside(t, short)
	g.create(timed)
	g.post("/studies/timed/ask", `{"worker":"w"}`).fine(200, nil)
	for range 3 {
		time.Sleep(shortLease / 8)
		g.post("/studies/timed/trials/1/heartbeat", `{"worker":"w"}`).fine(200, nil)
	}
	waitFor(t, func() bool { return g.trial("timed", 1).State == study.Abandoned })
	lost := g.trial("timed", 1)
	heard := 3 * shortLease.Seconds() / 8
	alive, silent := heard+shortLease.Seconds()/6, lost.Finished.Sub(lost.Started).Seconds()-heard
	if math.Abs(lost.Charged-alive) > 1e-6 || lost.Wall != lost.Charged || silent <= shortLease.Seconds() || silent > 1.5*shortLease.Seconds() {
		t.Errorf("charged %v, alive for %v, silent for %v: %+v", lost.Charged, alive, silent, lost)
	}
}

// Two servers on one store sweep the same leases; a server that starts gives every lease its full time.
func TestTwoServersAndARestart(t *testing.T) { ownClock(t, testTwoServersAndARestart) }

func testTwoServersAndARestart(t *testing.T) {
	g := serveInside(t, short)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w","count":4}`).fine(200, nil)
	g.server.Close() // no more sweeping here
	time.Sleep(shortLease + shortLease/4)
	begin := time.Now()
	same := func(c *server.Config) { c.Store = g.store }
	a, b := serveInside(t, short, same), serveInside(t, short, same)
	waitFor(t, func() bool {
		var list api.Trials
		a.get("/studies/kiln/trials?state=abandoned").fine(200, &list)
		return len(list.Trials) == 4
	})
	if took := time.Since(begin); took < shortLease || took > 2*shortLease {
		t.Errorf("leases ended %v after the start", took)
	}
	r, _, err := store.Load(t.Context(), g.store, "kiln")
	if err != nil || r.Version != 12 || r.Ledger.Reserved != 0 { // asked, started and ended, once each
		t.Errorf("%+v, %v", r, err)
	}
	b.get("/studies/kiln").fine(200, nil)
}

// Where the cost is wall time the reservation grows with the trial, up to its limits.
func TestExtension(t *testing.T) { ownClock(t, testExtension) }

func testExtension(t *testing.T) {
	g := serveInside(t, func(c *server.Config) { c.Lease = 6 * time.Second })
	g.create(strings.NewReplacer("total: 40s", "total: 12s", "per_trial: 20s", "per_trial: 4s").Replace(timed))
	for range 3 { // three hold 4 each
		g.post("/studies/timed/ask", `{"worker":"w"}`).fine(200, nil)
	}
	a := g.post("/studies/timed/ask", `{"worker":"w"}`)
	a.refused(409, fault.BudgetPending, "")
	if a.header.Get("Retry-After") == "" {
		t.Error(a.header)
	}
	for n := 1; n <= 2; n++ {
		g.post(fmt.Sprintf("/studies/timed/trials/%d/tell", n), `{"value":1,"wall":0.2}`).fine(200, nil)
	}
	var l api.Leases
	g.post("/studies/timed/ask", `{"worker":"w"}`).fine(200, &l)
	lease := l.Trials[0]
	if lease.Limit == nil || *lease.Limit != lease.Reserved || lease.Reserved >= 2 {
		t.Fatalf("%+v", lease)
	}
	var b api.Beat
	path := fmt.Sprintf("/studies/timed/trials/%d/heartbeat", lease.Number)
	for begin, was := time.Now(), lease.Reserved; ; time.Sleep(50 * time.Millisecond) {
		g.post(path, `{"worker":"w"}`).fine(200, &b)
		if b.Reserved < was || b.Reserved > 4 || *b.Limit != b.Reserved {
			t.Fatalf("%+v", b)
		}
		was = b.Reserved
		if b.Stop {
			if took := time.Since(begin).Seconds(); math.Abs(took-4) > 1e-6 || math.Abs(b.Reserved-4) > 1e-9 {
				t.Errorf("stopped after %v: %+v", took, b)
			}
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("it was never stopped")
		}
	}
	var told api.Trial
	g.post(fmt.Sprintf("/studies/timed/trials/%d/fail", lease.Number), `{"state":"cut"}`).fine(200, &told)
	if math.Abs(told.Charged-4) > 1e-6 {
		t.Errorf("%+v", told)
	}
}

func TestBudgetEnds(t *testing.T) { ownClock(t, testBudgetEnds) }

func testBudgetEnds(t *testing.T) {
	g := serveInside(t)
	g.create(strings.Replace(kiln, "total: 100", "total: 10", 1))
	var l api.Leases
	g.post("/studies/kiln/ask", `{"worker":"w","count":64}`).fine(200, &l)
	if len(l.Trials) != 2 {
		t.Fatalf("%d trials", len(l.Trials))
	}
	g.post("/studies/kiln/ask", `{"worker":"w"}`).refused(409, fault.BudgetPending, "")
	for _, trial := range l.Trials {
		g.post(fmt.Sprintf("/studies/kiln/trials/%d/tell", trial.Number), `{"value":1,"cost":5}`).fine(200, nil)
	}
	g.post("/studies/kiln/ask", `{"worker":"w"}`).refused(409, fault.BudgetSpent, "")

	g.create(strings.NewReplacer("name: kiln", "name: few", "{type: float, min: 0, max: 1}", "{type: fixed, value: 1}", "min: 1, max: 50", "min: 1, max: 2",
		"[ash, tin]", "[ash]", "type: choice", "type: ordered").Replace(kiln))
	for n := range 2 {
		g.post("/studies/few/ask", `{"worker":"w"}`).fine(200, nil)
		g.post(fmt.Sprintf("/studies/few/trials/%d/tell", n+1), `{"value":1,"cost":1}`).fine(200, nil)
	}
	g.post("/studies/few/ask", `{"worker":"w"}`).refused(409, fault.Exhausted, "")

	g.create(strings.NewReplacer("name: kiln", "name: late", "per_trial: 5", "deadline: 10ms").Replace(kiln))
	g.post("/studies/late/ask", `{"worker":"w"}`).fine(200, nil)
	time.Sleep(20 * time.Millisecond)
	g.post("/studies/late/ask", `{"worker":"w"}`).refused(409, fault.Closed, "")
}
