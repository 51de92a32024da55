package policy_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/simd"
	"github.com/eke-bo/eke/policy"
)

// Equal logs and seeds give equal suggestions, today and in the next version. testdata/reference.json has what every
// policy suggested on the studies below when the file was written. A change of code that should not change suggestions
// must give the same numbers to the last bit. After a change that is meant to change suggestions, rewrite the file
// with -update, and say in the commit which numbers changed and why.

var update = flag.Bool("update", false, "rewrite testdata/reference.json")

const referenceFile = "testdata/reference.json"

// chain is a study that a policy is asked about several times, each answer told before the next question.
type chain struct {
	name     string
	state    func() policy.State
	truth    func(x []float64) (y, lnCost float64)
	settings policy.Settings
	policies []string // nil: all
}

// referencePolicies are those in the file. A new policy is added at the end.
var referencePolicies = []string{"random", "ei", "ei-puc", "ei-puc-cc", "2-bmsei", "4-bmsei", "2-bmsei-p", "4-bmsei-p", "bmsei",
	"log-ei-puc", "gittins", "gittins-d"}

// keepsPlan says whether a policy's next suggestion in a chain goes on from the last plan. One-step policies remember only
// where their fits ended; in the file they start afresh.
func keepsPlan(name string) bool {
	return strings.Contains(name, "bmsei") || strings.Contains(name, "gittins")
}

// peaky has one high peak over a wide plain, so that its values are modelled after a transformation.
func peaky(x []float64) (y, lnCost float64) {
	r := 0.0
	for j, v := range x {
		r += (v - 0.3) * (v - 0.3) * float64(10+5*j)
		lnCost += math.Sin(3*v) - 0.5
	}
	return 40 * math.Exp(-3*r), lnCost
}

// edgy has edges, and its best point is in a corner.
func edgy(x []float64) (y, lnCost float64) {
	for j, v := range x {
		y -= math.Abs(v-float64(j%2)) * float64(j+1)
		lnCost += v * v
	}
	return y, lnCost / 2
}

// told returns a state of n random points of a function.
func told(f func([]float64) (y, lnCost float64), n, dim int, seed uint64, snap func(*policy.State)) policy.State {
	s := study(n, dim, seed)
	if snap != nil {
		snap(&s)
	}
	for i, x := range s.X {
		if s.Snap != nil {
			s.X[i] = s.Snap(x)
		}
		s.Y[i], s.LnCost[i] = f(s.X[i])
	}
	return s
}

func chains() []chain {
	whole := func(s *policy.State) { grid(s, 9, 200) }
	return []chain{
		{name: "smooth", truth: hill, state: func() policy.State { return told(hill, 7, 2, 3, nil) }},
		{name: "peak", truth: peaky, state: func() policy.State {
			s := told(peaky, 16, 2, 5, nil)
			s.LnCost[4] = math.NaN()
			s.Tried = [][]float64{{0.3, 0.3}}
			return s
		}},
		{name: "whole numbers", truth: hill, state: func() policy.State {
			s := told(hill, 10, 2, 4, whole)
			s.Remaining = 38
			s.Pending = [][]float64{s.Snap([]float64{0.6, 0.6})}
			return s
		}},
		{name: "edges", truth: edgy, state: func() policy.State {
			s := told(edgy, 14, 3, 6, nil)
			s.Remaining = 12
			return s
		}},
		{name: "noise", truth: hill, settings: policy.Settings{Noise: policy.Noisy()}, state: func() policy.State {
			s := told(hill, 12, 1, 7, nil)
			for i := range s.Y {
				s.Y[i] += 0.2 * math.Sin(float64(1000*i))
			}
			return s
		}},
		{name: "known costs", truth: peaky, settings: policy.Settings{CostNoise: &gp.Noise{Min: 1e-6, Max: 1e-6}},
			state: func() policy.State { return told(peaky, 18, 4, 8, nil) }},
		{name: "design", truth: hill, state: func() policy.State { return told(hill, 4, 2, 9, whole) }},
		{name: "many", truth: peaky, state: func() policy.State { return told(peaky, 270, 2, 10, nil) },
			policies: []string{"ei", "4-bmsei-p"}},
		{name: "full effort", truth: peaky, state: func() policy.State { return told(peaky, 12, 2, 11, nil) },
			settings: policy.Settings{RawPoints: 400, Starts: 20, Iterations: 200}, policies: []string{"ei-puc-cc", "2-bmsei", "4-bmsei-p"}},
	}
}

// steps is how often a policy is asked in each chain: first without a plan, then with one, then with one and with
// a pending point.
const steps = 3

// answer is one suggestion of the file: the point in hexadecimal, which is exact, and a checksum of everything else that
// a suggestion says.
type answer struct {
	X        []string `json:"x,omitempty"`
	Checksum string   `json:"sum,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// ask runs a policy through a chain.
func (c chain) ask(t *testing.T, name string, paper bool) []answer {
	t.Helper()
	settings := c.settings
	settings.Paper = paper
	if settings.RawPoints == 0 {
		settings = small(settings)
	}
	if name == "bmsei" {
		settings.Fantasies = []int{3, 2}
	}
	p, s := must(t, name, settings), c.state()
	var list []answer
	for step := range steps {
		if step == 2 {
			away := slices.Repeat([]float64{0.95}, s.Dim)
			if s.Snap != nil {
				away = s.Snap(away)
			}
			s.Pending = append(s.Pending, away)
		}
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			return append(list, answer{Error: err.Error()})
		}
		a := answer{Checksum: checksum(got, keepsPlan(name))}
		for _, v := range got.X {
			a.X = append(a.X, strconv.FormatFloat(v, 'x', -1, 64))
		}
		list = append(list, a)
		y, lnCost := c.truth(got.X)
		s.X, s.Y, s.LnCost = append(s.X, got.X), append(s.Y, y), append(s.LnCost, lnCost)
		s.Remaining -= math.Exp(lnCost)
		s.Trial++
		if keepsPlan(name) {
			s.Previous = got.Plan
		}
	}
	return list
}

// checksum is of all numbers of a suggestion, those of its plan only where the next suggestion goes on from it.
func checksum(s policy.Suggestion, withPlan bool) string {
	h := fnv.New64a()
	write := func(values ...any) {
		for _, v := range values {
			fmt.Fprintf(h, "%x;", v)
		}
	}
	predictions := func(list ...policy.Prediction) {
		for _, p := range list {
			write(p.X, p.Value, p.ValueSD, p.Cost, p.CostSD, p.LnCost, p.LnCostSD, p.Fits, p.Known)
		}
	}
	write(s.X, s.Policy, s.Acquisition, s.Searches, s.Evaluations, s.CutShort)
	predictions(s.Predicted)
	predictions(s.Next...)
	if p := s.Plan; withPlan && p != nil {
		write(p.Point, p.Fantasies, p.Nodes, p.Budget, p.Refill, p.Remaining, p.Observed)
		for _, o := range p.Outcomes {
			write(o.Value, o.LnCost)
		}
		if p.Lambda > 0 {
			write(p.Lambda, p.Index)
		}
		for _, g := range p.Hyper {
			write(g.Lengthscales, g.Outputscale, g.Noise, g.Mean, int(g.Kernel))
		}
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

func TestReferenceSuggestions(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes some 500 suggestions; no other thread can change them, as other tests show")
	}
	file := map[string][]answer{}
	if !*update {
		readReference(t, file)
	}
	for _, c := range chains() {
		for label, paper := range presets {
			names := c.policies
			if names == nil {
				names = referencePolicies
			}
			for _, name := range names {
				key := c.name + "/" + label + "/" + name
				t.Run(key, func(t *testing.T) {
					if !simd.Enabled() && c.name == "many" {
						t.Skip("it takes a minute without the assembly, and says nothing that the smaller studies do not")
					}
					if !simd.Enabled() && strings.Contains(name, "bmsei") {
						t.Skip("what a tree search finds depends on the last bits, and the file was written with the assembly")
					}
					got := c.ask(t, name, paper)
					if *update {
						file[key] = got
						return
					}
					compareAnswers(t, got, file[key])
				})
			}
		}
	}
	if *update {
		writeReference(t, file)
	}
}

// compareAnswers demands equality to the last bit where the file's arithmetic is in use. Without the assembly the last
// bits differ, and one-step policies suggest the same points to a hundred-thousandth. Trees are climbed for so long that
// those bits decide where some searches end: they are not compared at all.
func compareAnswers(t *testing.T, got, want []answer) {
	t.Helper()
	if len(want) == 0 {
		t.Fatalf("%s does not have it; write it with -update", referenceFile)
	}
	if len(got) != len(want) {
		t.Fatalf("%d suggestions, there were %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Error != want[i].Error || (simd.Enabled() && got[i].Checksum != want[i].Checksum) {
			t.Fatalf("suggestion %d: %+v, it was %+v", i, got[i], want[i])
		}
		for j := range want[i].X {
			a, err := strconv.ParseFloat(got[i].X[j], 64)
			b, err2 := strconv.ParseFloat(want[i].X[j], 64)
			if err != nil || err2 != nil || math.Abs(a-b) > 1e-5 || (simd.Enabled() && a != b) {
				t.Fatalf("suggestion %d: %v, it was %v", i, got[i].X, want[i].X)
			}
		}
	}
}

func readReference(t *testing.T, file map[string][]answer) {
	t.Helper()
	raw, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
}

func writeReference(t *testing.T, file map[string][]answer) {
	t.Helper()
	var b strings.Builder
	b.WriteString("{\n")
	keys := slices.Sorted(maps.Keys(file))
	for i, k := range keys {
		line, err := json.Marshal(file[k])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%q: %s", k, line)
		if i+1 < len(keys) {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	if err := os.WriteFile(referenceFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
