package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Sixty-four clients ask and tell at once. Nobody gets another's trial, and at no moment of the history is more reserved than
// there is.
//
// What costs nothing leaves nothing to model, so that thousands of trials are quickly thought of; money is then held, and given
// back, but not spent. The budget covers six trials at once. Spending is for the other test.
func TestCrowd(t *testing.T) {
	each := 25 // EKE_CROWD=100 go test -run TestCrowd ./internal/server
	if n, err := strconv.Atoi(os.Getenv("EKE_CROWD")); err == nil {
		each = n
	} else if testing.Short() {
		each = 3 // 64 at once are what the race detector is for, not how often
	}
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			g := serve(t, func(c *server.Config) { c.Store = openStore(t, kind) })
			g.create(strings.NewReplacer("total: 100", "total: 30", "policy: {name: random}", "policy: {name: random, design: 1000}").Replace(kiln))
			each := each
			if kind != "sqlite" && os.Getenv("EKE_CROWD") == "" {
				each = (each + 3) / 4 // the same, but sooner
			}
			c := &crowd{g: g, clients: 64, each: each, cost: 0}
			c.run("kiln")
		})
	}
}

func TestCrowdSpends(t *testing.T) {
	studies, clients, total := 8, 64, "total: 30"
	if testing.Short() {
		studies, clients, total = 2, 16, "total: 5" // models are slow under the race detector
	}
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			g := serve(t, func(c *server.Config) { c.Store = openStore(t, kind) })
			var names []string
			studies := studies
			if kind != "sqlite" {
				studies = max(studies/4, 2) // the same, but sooner
			}
			for i := range studies {
				names = append(names, fmt.Sprintf("kiln-%d", i))
				g.create(strings.NewReplacer("name: kiln", "name: "+names[i], "total: 100", total).Replace(kiln))
			}
			c := &crowd{g: g, clients: clients, each: max(5*studies/8, 2), cost: 0.7}
			c.run(names...)
		})
	}
}

// crowd is many clients at once.
type crowd struct {
	g             *given
	clients, each int
	cost          float64

	mu      sync.Mutex
	got     map[string]int // how often each trial was handed out
	waited  int            // answers that money is reserved
	asks    []time.Duration
	refused map[fault.Code]int
}

func (c *crowd) run(studies ...string) {
	t := c.g.t
	t.Helper()
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 100
	c.got, c.refused = map[string]int{}, map[fault.Code]int{}
	begin := time.Now()
	var wait sync.WaitGroup
	for client := range c.clients {
		wait.Go(func() {
			for i := range c.each {
				if !c.one(studies[(client+i)%len(studies)], client, i) {
					return
				}
			}
		})
	}
	wait.Wait()
	took := time.Since(begin)
	trials := 0
	for _, name := range studies {
		trials += c.audit(name)
	}
	if len(c.got) != trials {
		t.Errorf("%d trials were handed out, %d are on record", len(c.got), trials)
	}
	for trial, times := range c.got {
		if times != 1 {
			t.Errorf("trial %s was handed out %d times", trial, times)
		}
	}
	slices.Sort(c.asks)
	t.Logf("%d clients, %d trials in %v (%.0f/s), %d times told to wait, refused %v; an ask took %v in the middle, %v at the 95th percentile",
		c.clients, trials, took.Round(time.Millisecond), float64(trials)/took.Seconds(), c.waited, c.refused,
		c.asks[len(c.asks)/2].Round(time.Millisecond), c.asks[len(c.asks)*95/100].Round(time.Millisecond))
}

// one asks for a trial and tells it. It says whether to go on.
func (c *crowd) one(name string, client, i int) bool {
	var l api.Leases
	for {
		begin := time.Now()
		a := c.g.post("/studies/"+name+"/ask", fmt.Sprintf(`{"worker":"w%d"}`, client), "Idempotency-Key", fmt.Sprintf("%d-%d", client, i))
		if a.status == 200 {
			a.fine(200, &l)
			c.mu.Lock()
			c.asks = append(c.asks, time.Since(begin))
			c.got[fmt.Sprintf("%s/%d", name, l.Trials[0].Number)]++
			c.mu.Unlock()
			break
		}
		var p api.Problem
		if err := json.Unmarshal(a.body, &p); err != nil || a.status != 409 {
			c.g.t.Errorf("%d %s", a.status, a.body)
			return false
		}
		c.mu.Lock()
		c.waited++
		c.mu.Unlock()
		if p.Code != fault.BudgetPending {
			c.mu.Lock()
			c.refused[p.Code]++
			c.mu.Unlock()
			return p.Code == fault.BudgetSpent || p.Code == fault.NotWorth // the next study may have some left
		}
		time.Sleep(20 * time.Millisecond)
	}
	trial := l.Trials[0]
	time.Sleep(rand.N(60 * time.Millisecond))
	body := map[string]any{"value": float64(trial.Number), "cost": c.cost, "wall": 0.01}
	a := c.g.post(fmt.Sprintf("/studies/%s/trials/%d/tell", name, trial.Number), body, "Idempotency-Key", fmt.Sprintf("%d-%d", client, i))
	if a.status != 200 {
		c.g.t.Errorf("%d %s", a.status, a.body)
	}
	return a.status == 200
}

// audit goes through the history of a study, and returns how many trials it has.
func (c *crowd) audit(name string) int {
	r := lawful(c.g.t, c.g.store, name)
	for _, trial := range r.Trials {
		if trial.State != study.Done || trial.Value != float64(trial.Number) {
			c.g.t.Errorf("%+v", trial)
		}
	}
	return len(r.Trials)
}

// lawful folds a study's history, and looks at the ledger after every event.
func lawful(t testing.TB, st store.Store, name string) *study.Record {
	t.Helper()
	h, events, err := st.Read(t.Context(), name, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, keys := study.NewRecord(h.Total, h.Measured), map[string]int{}
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
		l := r.Ledger
		if grants := e.Kind == study.EventAsked || e.Kind == study.EventExtended; grants && l.Spent+l.Reserved > l.Total*(1+1e-9) {
			t.Errorf("%s: event %d (%s) carried spent + reserved past the total: %+v", name, e.Seq, e.Kind, l)
		}
		if h.Measured && l.Spent > l.Total*(1+1e-9) {
			t.Errorf("%s: event %d: more was spent than there is: %+v", name, e.Seq, l)
		}
		if e.Kind == study.EventAsked {
			if keys[e.Key]++; keys[e.Key] > 1 {
				t.Errorf("%s: two trials for the request %q", name, e.Key)
			}
		}
	}
	sum, reserved := 0.0, 0.0
	for _, trial := range r.Trials {
		sum, reserved = sum+trial.Charged, reserved+trial.Reserved
	}
	if math.Abs(sum-r.Ledger.Spent) > 1e-6 || math.Abs(reserved-r.Ledger.Reserved) > 1e-6 {
		t.Errorf("%s: the ledger has %+v, the trials %v and %v", name, r.Ledger, sum, reserved)
	}
	return r
}
