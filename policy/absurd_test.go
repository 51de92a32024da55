package policy

import (
	"context"
	"math"
	"testing"

	"github.com/eke-bo/eke/gp"
)

// A plan comes from a log, which may be damaged, or of another version or other parameters. Whatever it says, there is a suggestion.
func TestAbsurdPlans(t *testing.T) {
	s := State{Dim: 2, Parameters: 2, Initial: 100, Remaining: 20, Seed: 3, Trial: 12}
	for i := range s.Trial {
		x := []float64{math.Mod(0.37*float64(i+1)+0.11, 1), math.Mod(0.74*float64(i+1)+0.11, 1)}
		y := math.Sin(5*x[0]) + x[1]
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, y), append(s.LnCost, y/2+0.1*math.Cos(9*x[0]))
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, name := range []string{"gittins-d", "log-ei-puc"} {
		p, err := New(name, Settings{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		good, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatalf("%s: %+v, %v", name, good.Plan, err)
		}
		for i, change := range []func(*Plan){
			func(p *Plan) {
				p.Hyper[1], p.Searched = gp.Hyper{Lengthscales: []float64{nan, -1}, Outputscale: inf, Noise: -4, Kernel: 99}, 0
			},
			func(p *Plan) { p.Lambda = 1e308 },
			func(p *Plan) { p.Lambda, p.Index = math.SmallestNonzeroFloat64, nan },
			func(p *Plan) { p.Searched, p.SearchedLooks = -5, -7 },
			func(p *Plan) { p.Searched, p.SearchedLooks = math.MaxInt, math.MaxInt },
			func(p *Plan) { p.Hyper[0].Fading, p.Hyper[1].Fading = &gp.Fading{}, &gp.Fading{} },
			func(p *Plan) { p.Hyper[0].Lengthscales, p.Hyper[1].Lengthscales = nil, []float64{nan, 1} },
		} {
			plan, now := *good.Plan, s
			change(&plan)
			now.Previous = &plan
			out, err := p.Suggest(context.Background(), now)
			if err != nil || !(out.Predicted.Cost > 0) || math.IsInf(out.Predicted.Cost, 1) || !(out.X[0] >= 0 && out.X[0] <= 1 && out.X[1] >= 0 && out.X[1] <= 1) {
				t.Errorf("%s, change %d: %+v, %v", name, i, out, err)
			}
		}
	}
}
