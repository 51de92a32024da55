package policy_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// FuzzSuggest drives odd but finite states through every policy: no panic, and every
// suggestion inside the box and finite. The shape of the state comes from the fuzzer's bytes: repeated points,
// corners, equal values, values and costs of any size, pending points, stale plans.
func FuzzSuggest(f *testing.F) {
	f.Add(uint64(1), byte(3), byte(5), byte(0), 1.0, 1.0, 10.0, byte(0), false)
	f.Add(uint64(2), byte(1), byte(1), byte(2), 1e-300, 1e12, 1e-9, byte(1), false)
	f.Add(uint64(3), byte(2), byte(9), byte(1), 1e300, 1e-12, 1e300, byte(7), true)
	f.Add(uint64(4), byte(4), byte(12), byte(3), 0.0, 0.0, 5.0, byte(4), false)
	f.Add(uint64(5), byte(2), byte(20), byte(0), 1e12, 300.0, 1e-300, byte(6), true)
	for which := range byte(len(policy.Names())) { // every policy, in both presets, with every way to spoil a plan
		for _, paper := range []bool{false, true} {
			f.Add(uint64(3*(which%5)), byte(1), byte(9), which%3, 2.0, 0.5, 30.0, which, paper)
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, dims, points, pending byte, valueSize, lnCostSize, remaining float64, which byte, paper bool) {
		if math.IsNaN(valueSize+lnCostSize+remaining) || math.IsInf(valueSize+lnCostSize+remaining, 0) {
			return
		}
		names := policy.Names()
		name := names[int(which)%len(names)]
		settings := settingsOf(name)
		settings.RawPoints, settings.Starts, settings.Iterations = 12, 3, 8
		settings.Paper = paper
		p := must(t, name, settings)
		s := oddState(seed, int(dims)%5+1, int(points)%24, int(pending)%4, valueSize, lnCostSize, remaining)
		for range 2 { // the second time with a plan
			got, err := p.Suggest(context.Background(), s)
			if errors.Is(err, policy.ErrBudgetSpent) || errors.Is(err, policy.ErrBudgetPending) {
				return
			}
			if err != nil {
				t.Fatalf("%s: %v\n%+v", name, err, s)
			}
			inBox(t, got.X, s.Dim)
			s.X, s.Y, s.LnCost = append(s.X, got.X), append(s.Y, valueSize), append(s.LnCost, lnCostSize)
			s.Trial++
			s.Previous = got.Plan
			if got.Plan != nil && seed%3 == 0 {
				spoilPlan(got.Plan, seed)
			}
		}
	})
}

func oddState(seed uint64, dim, n, pending int, valueSize, lnCostSize, remaining float64) policy.State {
	rng := rand.New(rand.NewPCG(seed, 11))
	point := func() []float64 {
		x := make([]float64, dim)
		for j := range x {
			switch rng.IntN(4) {
			case 0:
				x[j] = float64(rng.IntN(2))
			case 1:
				x[j] = 0.5
			default:
				x[j] = rng.Float64()
			}
		}
		return x
	}
	size := func(v float64) float64 {
		switch rng.IntN(4) {
		case 0:
			return v
		case 1:
			return -v
		case 2:
			return v * math.Pow(10, -float64(rng.IntN(24)))
		}
		return v * (2*rng.Float64() - 1)
	}
	s := policy.State{Dim: dim, Initial: math.Abs(remaining) * 2, Remaining: remaining, Seed: seed, Trial: n}
	if math.IsInf(s.Initial, 0) {
		s.Initial = remaining
	}
	for range n {
		s.X, s.Y, s.LnCost = append(s.X, point()), append(s.Y, size(valueSize)), append(s.LnCost, size(lnCostSize))
	}
	for range pending {
		s.Pending = append(s.Pending, point())
	}
	return s
}

// spoilPlan makes a plan as a damaged or foreign store might return it.
func spoilPlan(p *policy.Plan, seed uint64) {
	switch seed % 5 {
	case 0:
		p.Nodes = p.Nodes[:len(p.Nodes)/2]
	case 1:
		p.Budget = math.NaN()
	case 2:
		p.Observed = 1 << 30
	case 3:
		p.Outcomes = nil
	case 4:
		p.Hyper[0].Outputscale = math.Inf(1)
		p.Hyper[1].Lengthscales = []float64{-1}
		if len(p.Nodes) > 0 { // a one-step policy's plan has none
			p.Nodes[0] = math.NaN()
		}
	}
}
