package server_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

const planned = `name: planned
objective: {goal: minimize}
cost: {source: reported, unit: euros}
budget: {total: 1000}
parameters:
  x: {type: float, min: 0, max: 1}
  y: {type: float, min: 0, max: 1}
  n: {type: int, min: 1, max: 50}
policy: {name: 4-bmsei-p}
`

// BenchmarkAsk100 is how long an ask takes at 100 observations, planning four tries ahead, while eight workers talk to the
// server: they evaluate for two to six seconds and send ten heartbeats and reads a second meanwhile; or they do nothing but ask and tell.
//
//	go test -run '^$' -bench Ask100 -benchtime 100x ./internal/server
func BenchmarkAsk100(b *testing.B) {
	b.Run("paced", func(b *testing.B) { benchAsk(b, 2*time.Second, 6*time.Second) })
	b.Run("hammering", func(b *testing.B) { benchAsk(b, 0, 0) })
}

// askedPerStudy is after how many asks a new study with 100 observations takes the place of the old one.
const askedPerStudy = 16

func benchAsk(b *testing.B, least, most time.Duration) {
	g := serve(b)
	c := &chatter{g: g, least: least, most: most, took: map[string][]time.Duration{}}
	for done := 0; done < b.N; done += askedPerStudy {
		b.StopTimer()
		name := fmt.Sprintf("planned-%d", done)
		g.create(strings.Replace(planned, "name: planned", "name: "+name, 1))
		observe(b, g.store, name, 100)
		b.StartTimer()
		var left atomic.Int64
		left.Store(int64(min(askedPerStudy, b.N-done)))
		var wait sync.WaitGroup
		for worker := range 8 {
			wait.Go(func() { c.work(name, worker, &left) })
		}
		wait.Wait()
	}
	c.report(b)
}

// chatter is what eight workers say, and how long the answers take.
type chatter struct {
	g           *given
	least, most time.Duration // that a trial takes

	mu   sync.Mutex
	took map[string][]time.Duration
}

func (c *chatter) note(what string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took[what] = append(c.took[what], took)
}

func (c *chatter) report(b *testing.B) {
	for what, list := range c.took {
		slices.Sort(list)
		b.ReportMetric(float64(list[len(list)/2])/1e6, what+"-p50-ms")
		b.ReportMetric(float64(list[len(list)*95/100])/1e6, what+"-p95-ms")
	}
}

func (c *chatter) timed(what, path string, body, into any) {
	begin := time.Now()
	if body == nil {
		c.g.get(path).fine(200, into)
	} else {
		c.g.post(path, body).fine(200, into)
	}
	c.note(what, time.Since(begin))
}

func (c *chatter) work(name string, worker int, left *atomic.Int64) {
	rng := rand.New(rand.NewPCG(7, uint64(worker)))
	me := fmt.Sprintf(`{"worker":"w%d"}`, worker)
	time.Sleep(time.Duration(rng.Int64N(int64(c.most) + 1)))
	for left.Add(-1) >= 0 {
		var l api.Leases
		c.timed("ask", "/studies/"+name+"/ask", me, &l)
		trial := l.Trials[0]
		c.note("think", time.Duration(trial.Thinking*1e9))
		path := fmt.Sprintf("/studies/%s/trials/%d/", name, trial.Number)
		for end := time.Now().Add(c.least + time.Duration(rng.Int64N(int64(c.most-c.least)+1))); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			c.timed("heartbeat", path+"heartbeat", me, nil)
			c.timed("read", "/studies/"+name, nil, nil)
		}
		c.timed("tell", path+"tell", map[string]any{"value": bowl(trial.Point), "cost": price(trial.Point)}, nil)
	}
}

func bowl(p []float64) float64 {
	return math.Pow(p[0]-0.3, 2) + math.Pow(p[1]-0.7, 2) + 0.1*math.Sin(9*p[2])
}
func price(p []float64) float64 { return 1 + 3*p[0] + p[1]*p[2] }

// spaceOf is the space of the study that a header defines.
func spaceOf(h store.Header) (*space.Space, error) {
	var defined study.Study
	if err := json.Unmarshal(h.Definition, &defined); err != nil {
		return nil, err
	}
	return defined.Space()
}

// observe adds observations to a study.
func observe(b testing.TB, st store.Store, name string, n int) {
	b.Helper()
	_, err := store.Follow(st, name).Update(b.Context(), func(r *study.Record, h store.Header) (events []study.Event, err error) {
		sp, err := spaceOf(h)
		if err != nil {
			return nil, err
		}
		rng := rand.New(rand.NewPCG(1, 2+uint64(len(r.Trials))))
		for i := len(r.Trials) + 1; i <= len(r.Trials)+n; i++ {
			p := sp.Snap(nil, []float64{rng.Float64(), rng.Float64(), rng.Float64()})
			events = append(events,
				study.Event{At: time.Now(), Kind: study.EventAsked, Trial: i, Asked: &study.Asked{Setting: sp.Decode(p), Point: p, Reserved: 5}},
				study.Event{At: time.Now(), Kind: study.EventFinished, Trial: i, Finished: &study.Finished{State: study.Done, Value: bowl(p), Charged: price(p), Wall: 2}})
		}
		return events, nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkInsight800 is how long others wait while somebody looks at the models of a study with 800 observations, which are
// fitted anew after every result.
//
//	go test -run '^$' -bench Insight800 -benchtime 5x ./internal/server
func BenchmarkInsight800(b *testing.B) {
	g := serve(b)
	g.create(strings.Replace(planned, "total: 1000", "total: 100000", 1))
	observe(b, g.store, "planned", 800)
	c := &chatter{g: g, took: map[string][]time.Duration{}}
	quit := make(chan struct{})
	var talking sync.WaitGroup
	talking.Go(func() {
		for {
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond):
			}
			c.timed("read", "/studies/planned", nil, nil)
			c.timed("heartbeat", "/studies/planned/trials/1/heartbeat", `{"worker":"w"}`, nil)
			c.timed("ledger", "/studies/planned/budget", `{"add":1}`, nil)
		}
	})
	for range b.N {
		c.timed("insight", "/studies/planned/insight", nil, nil)
		c.timed("slice", "/studies/planned/slice?parameter=x", nil, nil)
		b.StopTimer()
		observe(b, g.store, "planned", 1)
		b.StartTimer()
	}
	close(quit)
	talking.Wait()
	c.report(b)
}
