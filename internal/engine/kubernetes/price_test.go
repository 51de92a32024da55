package kubernetes

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/study"
)

func specFrom(t *testing.T, text string) (s podSpec) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// What a pod asks for in all, computed by hand after KEP-753 and KEP-2837.
func TestRequests(t *testing.T) {
	for text, want := range map[string]map[string]float64{
		`{"containers": [{"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}, {"resources": {"requests": {"cpu": 2}}}]}`: {"cpu": 2.5, "memory": 1 << 30},
		// A limit without a request is the request.
		`{"containers": [{"resources": {"limits": {"nvidia.com/gpu": "2", "cpu": "4"}, "requests": {"cpu": "1"}}}]}`: {"cpu": 1, "nvidia.com/gpu": 2},
		// Init containers run one after the other, before the others: the largest counts if it is larger than all others together.
		`{"initContainers": [{"resources": {"requests": {"cpu": "5"}}}, {"resources": {"requests": {"cpu": "3", "memory": "1Ki"}}}], "containers": [{"resources": {"requests": {"cpu": "2"}}}, {"resources": {"requests": {"cpu": "2"}}}]}`: {"cpu": 5, "memory": 1024},
		// A sidecar runs beside the containers, and beside the init containers after it.
		`{"initContainers": [{"resources": {"requests": {"cpu": "4"}}}, {"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}, {"resources": {"requests": {"cpu": "4"}}}], "containers": [{"resources": {"requests": {"cpu": "2"}}}]}`: {"cpu": 5},
		`{"initContainers": [{"resources": {"requests": {"cpu": "1"}}}, {"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}], "containers": [{"resources": {"requests": {"cpu": "2"}}}]}`:                                            {"cpu": 3},
		// The overhead of a runtime class is added, and what the pod asks for as a whole comes before what its containers do.
		`{"overhead": {"cpu": "250m"}, "resources": {"requests": {"cpu": "6"}}, "containers": [{"resources": {"requests": {"cpu": "2", "memory": "10"}}}]}`: {"cpu": 6.25, "memory": 10},
	} {
		spec := specFrom(t, text)
		if got := spec.requests(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestQuantities(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "500m": 0.5, "1.5": 1.5, "8Gi": 8 << 30, "1e3": 1000, "1E3": 1000, "1E": 1e18, "100M": 1e8, "2k": 2000, ".5": 0.5, "+3": 3, "128974848": 128974848, "1Ki": 1024} {
		if got, err := cluster.Quantity(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1 Gi", "4 cores", "1KiB", "1ee3", "1e999"} {
		if got, err := cluster.Quantity(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// exact computes in fractions what sum does in floating point, resource by resource and second by second.
func exact(attempts []*attempt, c study.Cost) *big.Rat {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	sum := new(big.Rat)
	for _, a := range attempts {
		begin := a.Started
		if c.From == "scheduled" {
			begin = a.Scheduled
		}
		prices := c.Prices
		if own := c.NodePrices[a.Label]; own != nil {
			prices = own
		}
		for name, asked := range a.Requests {
			key, amount := name+"-hour", rat(asked)
			if name == "memory" {
				key = "gib-hour"
				amount.Quo(amount, rat(1<<30))
			}
			for second := begin; second.Before(a.Finished); second = second.Add(time.Second) {
				sum.Add(sum, new(big.Rat).Mul(amount, new(big.Rat).Quo(rat(prices[key]), rat(3600))))
			}
		}
	}
	return sum
}

func TestPrice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 11, 17, 10, 0, 0, 0, time.UTC)
	for range 50 {
		c := study.Cost{Source: "kubernetes", Prices: map[string]float64{"cpu-hour": r.Float64(), "gib-hour": r.Float64() / 10, "nvidia.com/gpu-hour": 3 * r.Float64()},
			NodePrices: map[string]map[string]float64{"pool=spot": {"cpu-hour": r.Float64() / 5}}}
		if r.IntN(2) == 0 {
			c.From = study.FromScheduled
		}
		var list []*attempt
		for range 1 + r.IntN(3) {
			a := &attempt{Over: true, Asked: true, Scheduled: begin, Started: begin.Add(time.Duration(1+r.IntN(20)) * time.Second), Requests: map[string]float64{"cpu": float64(1+r.IntN(64)) / 4, "memory": float64(int64(1+r.IntN(64)) << 28), "nvidia.com/gpu": float64(r.IntN(3)), "unpriced": 7}}
			a.Finished = a.Started.Add(time.Duration(1+r.IntN(90)) * time.Second)
			if r.IntN(2) == 0 {
				a.Label = "pool=spot"
			}
			list = append(list, a)
		}
		got := sum(list, c, begin)
		want, _ := exact(list, c).Float64()
		if !got.Known || got.Guess || math.Abs(got.Amount-want) > 1e-9*want {
			t.Errorf("%+v: %+v, want %v", c, got, want)
		}
	}
}

// By hand: 4 cores and 8 GiB for half an hour are 4·0.03/2 + 8·0.004/2; the waiting for the node is free unless it is paid for.
func TestPriceByHand(t *testing.T) {
	begin := time.Date(2026, 11, 17, 10, 0, 0, 0, time.UTC)
	a := &attempt{Over: true, Scheduled: begin, Started: begin.Add(30 * time.Minute), Finished: begin.Add(time.Hour), Requests: map[string]float64{"cpu": 4, "memory": 8 << 30}}
	c := study.Cost{Prices: map[string]float64{"cpu-hour": 0.03, "gib-hour": 0.004}}
	for _, x := range []struct {
		from, of string
		want     float64
	}{{"", "", 0.076}, {study.FromScheduled, "", 0.152}, {"", cluster.CoreHours, 2}, {"", cluster.GiBHours, 4}, {study.FromScheduled, cluster.CoreHours, 4}, {"", cluster.GPUHours, 0}} {
		c := c
		c.From = x.from
		if x.of != "" {
			c = study.Cost{Of: x.of, From: x.from}
		}
		if got := sum([]*attempt{a}, c, begin); math.Abs(got.Amount-x.want) > 1e-12 {
			t.Errorf("%+v: %v", x, got)
		}
	}
	if l := labelFor(study.Cost{NodePrices: map[string]map[string]float64{"b=1": {}, "a=2": {}}}, map[string]string{"a": "2", "b": "1"}); l != "a=2" {
		t.Error(l)
	}
	short := &attempt{Over: true, Started: begin, Finished: begin, Requests: map[string]float64{"cpu": 3600}}
	if got := sum([]*attempt{short}, study.Cost{Of: cluster.CoreHours}, begin); got.Amount != 1 {
		t.Errorf("whatever ran has run for a second: %+v", got)
	}
	never := &attempt{Over: true, Scheduled: begin, Requests: map[string]float64{"cpu": 1}}
	if got := sum([]*attempt{never}, study.Cost{Of: cluster.CoreHours}, begin); got.Amount != 0 || got.Guess {
		t.Errorf("it never started: %+v", got)
	}
}

// What a kubelet says after its node went down, and of a command that cannot be started, is not taken for the command's time: the former is
// charged from its start, which nobody says any more, and the latter nothing, although it is said to have begun in 1970.
func TestNoTimes(t *testing.T) {
	begin := time.Now().Add(-time.Minute).Truncate(time.Second).UTC()
	pod := func(phase, state string) *kubePod {
		p := &kubePod{}
		raw := fmt.Sprintf(`{"metadata": {"uid": "u", "name": "p", "creationTimestamp": %q}, "spec": {"nodeName": "one", "containers": [{"name": "trial", "resources": {"requests": {"cpu": "3600"}}}]},
			"status": {"phase": %q, "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": %q}], "containerStatuses": [{"name": "trial", "state": %s}]}}`,
			begin.Format(time.RFC3339), phase, begin.Add(20*time.Second).Format(time.RFC3339), state)
		if err := json.Unmarshal([]byte(raw), p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	e := &Engine{}
	charge := study.Cost{Source: "kubernetes", Of: cluster.CoreHours}
	down := &intent{dir: t.TempDir(), Container: "trial", Charge: charge}
	e.absorb(t.Context(), nil, down, []*kubePod{pod("Running", fmt.Sprintf(`{"running": {"startedAt": %q}}`, begin.Format(time.RFC3339)))})
	e.absorb(t.Context(), nil, down, []*kubePod{pod("Failed", `{"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "message": "The container could not be located", "startedAt": null, "finishedAt": null}}`)})
	if got := sum(down.Attempts, charge, time.Now()); got.Amount != 20 || !got.Guess || !strings.Contains(down.deviation(), "its node went down") {
		t.Errorf("%+v, %s", got, down.deviation())
	}
	if out := (&job{in: down}).judge(&condition{}); out.State != study.Abandoned || !strings.Contains(out.Note, "its node one went down") {
		t.Errorf("%+v", out)
	}
	// The next pod is made when the last one has ended.
	next := pod("Pending", "{}")
	next.Metadata.UID, next.Metadata.CreationTimestamp = "v", begin.Add(15*time.Second)
	e.absorb(t.Context(), nil, down, []*kubePod{next})
	if got := sum(down.Attempts, charge, time.Now()); got.Amount != 15 {
		t.Errorf("%+v", got)
	}
	// Its node went down before it had said that the command runs: it may have run from its arrival on the node.
	early := &intent{dir: t.TempDir(), Container: "trial", Charge: charge}
	e.absorb(t.Context(), nil, early, []*kubePod{pod("Failed", `{"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "startedAt": null, "finishedAt": null}}`)})
	if got := sum(early.Attempts, charge, time.Now()); got.Amount != 20 || !got.Guess {
		t.Errorf("%+v", got)
	}
	never := &intent{dir: t.TempDir(), Container: "trial", Charge: charge}
	e.absorb(t.Context(), nil, never, []*kubePod{pod("Failed", fmt.Sprintf(`{"terminated": {"exitCode": 128, "reason": "StartError", "message": "exec: no such file", "startedAt": "1970-01-01T00:00:00Z", "finishedAt": %q}}`, begin.Format(time.RFC3339)))})
	if got := sum(never.Attempts, charge, time.Now()); got.Amount != 0 || got.Guess {
		t.Errorf("%+v", got)
	}
}

// Pods that came and went while nobody watched are known by the events of their Job, and charged until the Job controller deleted them or
// made the next one.
func TestRecall(t *testing.T) {
	f := pretend(t, plain)
	begin := time.Now().Add(-time.Minute).Truncate(time.Second).UTC()
	f.set(func() {
		for pod, at := range map[string]time.Time{"a": begin, "b": begin.Add(10 * time.Second), "c": begin.Add(30 * time.Second), "d": begin.Add(20 * time.Second)} {
			f.put("events", "ADDED", object{"metadata": object{"name": pod}, "reason": "SuccessfulCreate", "message": "Created pod: " + pod, "lastTimestamp": at.Format(time.RFC3339), "involvedObject": object{"kind": "Job", "name": "j", "uid": "u"}})
		}
		f.put("events", "ADDED", object{"metadata": object{"name": "gone"}, "reason": "SuccessfulDelete", "message": "Deleted pod: b", "lastTimestamp": begin.Add(15 * time.Second).Format(time.RFC3339), "involvedObject": object{"kind": "Job", "name": "j", "uid": "u"}})
	})
	where, err := reach("")
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]float64{"cpu": 3600}
	in := &intent{Name: "j", Namespace: "default", Attempts: []*attempt{
		{Pod: "a", UID: "1", Over: true, Created: begin, Started: begin, Finished: begin.Add(8 * time.Second), Disrupted: "evicted", Requests: asks},
		{Pod: "c", UID: "3", Over: true, Created: begin.Add(30 * time.Second), Started: begin.Add(30 * time.Second), Finished: begin.Add(31 * time.Second), Exit: &study.Exit{}, Requests: asks},
	}}
	job := &kubeJob{Metadata: meta{UID: "u", CreationTimestamp: begin}}
	for range 2 {
		in.recall(t.Context(), newClient(where), job, &condition{LastTransitionTime: begin.Add(32 * time.Second)}, true)
	}
	if got := sum(in.Attempts, study.Cost{Of: cluster.CoreHours}, begin); len(in.Attempts) != 4 || in.last().Pod != "c" || got.Amount != 8+5+10+1 || !got.Guess {
		t.Errorf("%+v, %d attempts, the last is %+v", got, len(in.Attempts), in.last())
	}
	// Nothing says that there was a second pod beside the first, so it is asked for only where something may have been missed.
	for sawAll, want := range map[bool]int{true: 1, false: 4} {
		in := &intent{Name: "j", Namespace: "default", Attempts: []*attempt{{Pod: "a", UID: "1", Over: true, Created: begin, Started: begin, Finished: begin.Add(32 * time.Second), Exit: &study.Exit{}, Requests: asks}}}
		if in.recall(t.Context(), newClient(where), job, &condition{LastTransitionTime: begin.Add(32 * time.Second)}, sawAll); len(in.Attempts) != want || in.last().Pod != "a" {
			t.Errorf("everything was seen: %v, %d attempts, not %d, and %s decides", sawAll, len(in.Attempts), want, in.last().Pod)
		}
	}
}

// A pod that never had a node is not charged for the time in which no controller ran, once eke has had its Job deleted. If the scheduler has given it a node in the
// moment before, it is charged from then on, until it was stopped.
func TestCancelledBeforeItHadANode(t *testing.T) {
	for words, isScheduled := range map[string]bool{"no node": false, "a node in the last moment": true} {
		t.Run(words, func(t *testing.T) {
			b := newBench(t, "sleep 600")
			b.e.Charge, b.unschedulable = coreHours, "0/1 nodes"
			b.submit()
			b.waitsFor("0/1 nodes")
			if err := b.e.Cancel(t.Context(), b.j, errors.New("enough")); err != nil {
				t.Fatal(err)
			}
			in, err := readIntent(key(b.j))
			if err != nil || in.Removed.IsZero() || len(in.Attempts) != 1 {
				t.Fatalf("%+v, %v", in, err)
			}
			a := in.Attempts[0]
			in.Removed, a.Created, a.Seen = time.Now().Add(-time.Hour), time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour) // the next controller begins an hour later
			if err := in.write(); err != nil {
				t.Fatal(err)
			}
			if isScheduled {
				b.fake.set(func() {
					b.put("events", "ADDED", object{"metadata": object{"name": "e", "creationTimestamp": in.Removed.Add(-time.Second)}, "reason": "Scheduled", "lastTimestamp": nil, "involvedObject": object{"kind": "Pod", "name": a.Pod, "uid": a.UID}})
				})
			}
			b.e = open().(*Engine)
			if out := b.end(); out.State != study.Cut || strings.Contains(out.Note, "never began") == isScheduled || strings.Contains(out.Note, "estimate") != isScheduled {
				t.Errorf("%+v", out)
			}
			cost, err := b.e.Cost(t.Context(), b.j)
			if most := (time.Second + in.Grace).Hours() * 2; err != nil || cost.Guess != isScheduled || cost.Amount > 0 != isScheduled || cost.Amount > most {
				t.Errorf("%+v, %v; at most %v", cost, err, most)
			}
		})
	}
}

// Of a pod that others have removed, while nobody watched, nobody knows whether it ran. What it may have used is an estimate, from when it was last seen without a node.
func TestGoneBeforeItHadANode(t *testing.T) {
	p := &kubePod{Metadata: meta{UID: "u", Name: "p", CreationTimestamp: time.Now().Add(-time.Hour)}, Spec: podSpec{Containers: []container{{Name: "trial", Resources: resources{Requests: map[string]amount{"cpu": 3600}}}}}}
	e, in, begin := &Engine{}, &intent{dir: t.TempDir(), Container: "trial", Charge: coreHours}, time.Now()
	e.absorb(t.Context(), nil, in, []*kubePod{p})
	p.gone, p.lost = true, true
	e.absorb(t.Context(), nil, in, []*kubePod{p})
	got, most := sum(in.Attempts, coreHours, time.Now()), math.Max(time.Since(begin).Seconds()+1, 2)
	if !got.Guess || got.Amount < 1 || got.Amount > most || !in.hasBegun() {
		t.Errorf("%+v, at most %v", got, most)
	}
}

// An estimate is marked, and its note says how it came about.
func TestGuess(t *testing.T) {
	begin := time.Date(2026, 11, 17, 10, 0, 0, 0, time.UTC)
	in := &intent{Attempts: []*attempt{
		{Pod: "a", Over: true, Started: begin, Finished: begin.Add(time.Minute), Guessed: "its pod was gone before its end was seen", Disrupted: "EvictionByEvictionAPI", Requests: map[string]float64{"cpu": 60}},
		{Pod: "b", Over: true, Started: begin, Finished: begin.Add(time.Minute), Requests: map[string]float64{"cpu": 60}},
	}}
	if got := sum(in.Attempts, study.Cost{Of: cluster.CoreHours}, begin); got.Amount != 2 || !got.Guess {
		t.Errorf("%+v", got)
	}
	if note := in.deviation(); !strings.Contains(note, "2 pods were charged, 1 of them disrupted") || !strings.Contains(note, "estimate") {
		t.Error(note)
	}
}
