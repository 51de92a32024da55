package server_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/server"
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
// server: they evaluate for one to three seconds and send heartbeats and reads meanwhile; or they do nothing but ask and tell.
//
//	go test -run '^$' -bench Ask100 -benchtime 100x ./server
func BenchmarkAsk100(b *testing.B) {
	b.Run("paced", func(b *testing.B) { benchAsk(b, time.Second, 3*time.Second) })
	b.Run("hammering", func(b *testing.B) { benchAsk(b, 0, 0) })
}

func benchAsk(b *testing.B, least, most time.Duration) {
	g := serve(b)
	g.create(planned)
	observe(b, g.store, 100)
	var mu sync.Mutex
	var asks, thinking, reads, tells []time.Duration
	timed := func(list *[]time.Duration, do func()) {
		begin := time.Now()
		do()
		took := time.Since(begin)
		mu.Lock()
		*list = append(*list, took)
		mu.Unlock()
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(worker)))
			time.Sleep(time.Duration(rng.Int64N(int64(most) + 1)))
			for left.Add(-1) >= 0 {
				var l server.Leases
				timed(&asks, func() { g.post("/studies/planned/ask", fmt.Sprintf(`{"worker":"w%d"}`, worker)).fine(200, &l) })
				mu.Lock()
				thinking = append(thinking, time.Duration(l.Trials[0].Thinking*1e9))
				mu.Unlock()
				path := fmt.Sprintf("/studies/planned/trials/%d/", l.Trials[0].Number)
				for end := time.Now().Add(least + time.Duration(rng.Int64N(int64(most-least)+1))); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
					g.post(path+"heartbeat", fmt.Sprintf(`{"worker":"w%d"}`, worker)).fine(200, nil)
					timed(&reads, func() { g.get("/studies/planned").fine(200, nil) })
				}
				p := l.Trials[0].Point
				timed(&tells, func() { g.post(path+"tell", map[string]any{"value": bowl(p), "cost": price(p)}).fine(200, nil) })
			}
		})
	}
	wait.Wait()
	b.StopTimer()
	report := func(list []time.Duration, name string) {
		if slices.Sort(list); len(list) > 0 {
			b.ReportMetric(float64(list[len(list)/2])/1e6, name+"-p50-ms")
			b.ReportMetric(float64(list[len(list)*95/100])/1e6, name+"-p95-ms")
		}
	}
	report(asks, "ask")
	report(thinking, "think")
	report(tells, "tell")
	report(reads, "read")
}

func bowl(p []float64) float64 {
	return math.Pow(p[0]-0.3, 2) + math.Pow(p[1]-0.7, 2) + 0.1*math.Sin(9*p[2])
}
func price(p []float64) float64 { return 1 + 3*p[0] + p[1]*p[2] }

// observe puts observations into a study.
func observe(b *testing.B, st store.Store, n int) {
	b.Helper()
	_, err := store.Update(b.Context(), st, "planned", func(_ *study.Record, h store.Header) (events []study.Event, err error) {
		var defined study.Study
		if err := defined.UnmarshalJSON(h.Definition); err != nil {
			return nil, err
		}
		sp, err := defined.Space()
		if err != nil {
			return nil, err
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for i := 1; i <= n; i++ {
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
