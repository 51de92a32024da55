package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// More problems with limits: functions and limits that are drawn, a table of trainings, and one with fidelities.

func drawnLimitRecipes() []recipe {
	return []recipe{
		{"gp2-limit", Limited, "samples of Gaussian processes in 2 dimensions: a function, and a quantity that has a limit", gaussianLimit(2, 1, 0, smooth)},
		{"gp2-limit-noisy", Limited, "the same with noisy values", gaussianLimit(2, 1, 0.2, smooth)},
		{"gp4-limit", Limited, "samples of Gaussian processes in 4 dimensions with a limit on one quantity; good settings are expensive", gaussianLimit(4, 1, 0, expensive)},
		{"gp4-two-limits", Limited, "samples of Gaussian processes in 4 dimensions with limits on two quantities", gaussianLimit(4, 2, 0, smooth)},
		{"branin-limit-fidelity", Limited, "Branin with fidelities, within a disc (Gardner et al. 2014)", braninLimit},
		{"lcbench-limit", Limited, "a network on OpenML task " + lcLimitTask + " that must be trained in half of the mean time, by a surrogate", lcLimit},
	}
}

// gaussianLimit returns what makes samples of which quantities have limits. Each limit leaves about half of the settings.
func gaussianLimit(dim, limits int, noise float64, price pricing) func(d *dice, _ string) (*Task, error) {
	return func(d *dice, _ string) (*Task, error) {
		lengths, b := lengthsAround(d, dim, typicalLength[dim]), cube(dim, 0, 1)
		f := drawSample(d, 0, lengths)
		lnCost := price(d, dim, standardised(f.at, dim, d.seed))
		quantities := make([]*sample, limits)
		t := &Task{
			Goal: study.Maximize, Budget: gaussianTrials[dim] * 1.3, Params: floats(b), Limits: study.Limits{}, Noise: noise,
			Evaluate: func(s space.Setting) (value, cost float64) {
				x := b.point(s)
				return f.at(x), math.Exp(lnCost(x))
			},
			Report: func(s space.Setting) study.Metrics {
				m, x := study.Metrics{}, b.point(s)
				for i, q := range quantities {
					m[fmt.Sprintf("q%d", i+1)] = q.at(x)
				}
				return m
			},
		}
		for i := range quantities {
			quantities[i] = drawSample(d, 0, lengths)
			var seen []float64
			for _, u := range sobol.Points(survey, dim, d.seed) {
				seen = append(seen, quantities[i].at(u))
			}
			slices.Sort(seen)
			t.Limits[fmt.Sprintf("q%d", i+1)] = study.Max(seen[survey/2])
		}
		return t.limited(d, math.Inf(1)), nil
	}
}

// braninLimit has the disc of Gardner et al., Bayesian optimization with inequality constraints (ICML 2014). One of Branin's three optima is within it. The disc
// is known at every fidelity.
func braninLimit(d *dice, _ string) (*Task, error) {
	i := slices.IndexFunc(leveleds, func(l leveled) bool { return l.name == "branin-fidelity" })
	l := leveleds[i]
	lnCost := smooth(d, len(l.box), nil)
	t := &Task{
		Goal: study.Minimize, Budget: 1.3 * l.trials, Params: floats(l.box), Limits: study.Limits{"disc": study.Max(50)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			x := l.box.point(s)
			return l.value(x, 1), math.Exp(lnCost(l.box.unit(x)))
		},
		Report: func(s space.Setting) study.Metrics {
			x := l.box.point(s)
			return study.Metrics{"disc": (x[0]-2.5)*(x[0]-2.5) + (x[1]-7.5)*(x[1]-7.5)}
		},
	}
	t.limited(d, 0.397887358)
	return t.withFidelity(func(s space.Setting, z float64) float64 { return l.value(l.box.point(s), z) }, l.price), nil
}

// lcLimitTask is the task of LCBench whose trainings have a limit on their seconds.
const lcLimitTask = "167149"

func lcLimit(d *dice, data string) (*Task, error) {
	s, err := lcSurrogate(data)
	if err != nil {
		return nil, err
	}
	l := lcTable[slices.IndexFunc(lcTable, func(l lcTask) bool { return l.id == lcLimitTask })]
	t := l.unscaled(s)
	t.Limits = study.Limits{"seconds": study.Max(l.seconds / 2)}
	t.Report = func(setting space.Setting) study.Metrics {
		seconds, _ := s.train(l.id, setting)
		return study.Metrics{"seconds": seconds}
	}
	return t.limited(d, math.Inf(1)), nil
}
