package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// importMany adds results from elsewhere to a study.
func importMany(b testing.TB, st store.Store, name string, n int) {
	b.Helper()
	_, err := store.Follow(st, name).Update(b.Context(), func(_ *study.Record, h store.Header) (events []study.Event, err error) {
		sp, err := spaceOf(h)
		if err != nil {
			return nil, err
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range n {
			p := sp.Snap(nil, []float64{rng.Float64(), rng.Float64(), rng.Float64()})
			events = append(events, study.Event{At: time.Now(), Kind: study.EventKnown, Known: &study.Known{Setting: sp.Decode(p), Point: p, Value: bowl(p), Cost: price(p)}})
		}
		return events, nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTwentyThousandResults is how long it takes to show a study with 20,000 results that were imported: again and again, and for the
// first time after a change.
//
//	go test -run '^$' -bench TwentyThousandResults ./internal/server
func BenchmarkTwentyThousandResults(b *testing.B) {
	g := serve(b)
	g.create(strings.NewReplacer("total: 1000", "total: 100000", "policy: {name: 4-bmsei-p}\n", "").Replace(planned)) // the default policy depends on what is known
	importMany(b, g.store, "planned", 20_000)
	var s api.Study
	g.get("/studies/planned").fine(200, &s)
	if s.Known != 20_000 || s.Best == nil {
		b.Fatalf("%+v", s)
	}
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			g.get("/studies/planned").fine(200, nil)
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			g.post("/studies/planned/budget", `{"add":1}`).fine(200, nil)
		}
	})
}

// BenchmarkMemoryOfTwentyThousandResults is how much memory a server takes at most, as a process of its own, to show such a study, to fit
// models to it, to forecast the rest, and to choose a trial. Most of its time is the forecast of the rest.
//
//	go test -run '^$' -bench MemoryOfTwentyThousand -benchtime 1x ./internal/server
func BenchmarkMemoryOfTwentyThousandResults(b *testing.B) {
	for range b.N {
		k := newKilled(b, usual())
		child := k.start()
		g := &given{t: b, url: "http://" + k.address, client: http.DefaultClient}
		g.create(strings.NewReplacer("total: 1000", "total: 200", "policy: {name: 4-bmsei-p}\n", "").Replace(planned))
		st, err := openAt(b.Context(), k.place)
		if err != nil {
			b.Fatal(err)
		}
		importMany(b, st, "planned", 20_000)
		st.Close()
		for _, what := range []string{"", "/insight", "/heat?a=x&b=y", "/rest", "/columns"} {
			begin := time.Now()
			g.get("/studies/planned"+what).fine(200, nil)
			b.Logf("%s %v, peak %.0f MB", what, time.Since(begin).Round(time.Millisecond), peakOf(b, child.Process.Pid))
		}
		g.post("/studies/planned/ask", `{"worker":"w"}`).fine(200, nil)
		b.ReportMetric(peakOf(b, child.Process.Pid), "peak-MB")
		_ = child.Process.Kill()
		_ = child.Wait()
	}
}

// peakOf is the most memory that a process has had, in megabytes.
func peakOf(b testing.TB, pid int) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("this system does not say how much memory a process has taken: ", err)
	}
	_, after, _ := strings.Cut(string(raw), "VmHWM:")
	kilobytes, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kilobytes / 1024
}
