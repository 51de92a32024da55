package gp_test

import (
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/golden"
)

func states(t *testing.T) []golden.State {
	t.Helper()
	all, err := golden.AllStates(golden.Dir("../testdata/golden"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGoldenPosterior(t *testing.T) {
	for _, s := range states(t) {
		for output := range 2 {
			m, sd := s.Model(output), s.Scale(output)
			for i, x := range s.TestPoints {
				mean, variance := m.Posterior(x)
				if want := s.PosteriorMean[i][output]; !golden.Near(mean, want, 1e-7, sd) {
					t.Errorf("%s output %d point %d: mean %v, want %v", s.Name, output, i, mean, want)
				}
				if want := s.PosteriorVariance[i][output]; !golden.Near(variance, want, 1e-7, sd*sd) {
					t.Errorf("%s output %d point %d: variance %v, want %v", s.Name, output, i, variance, want)
				}
			}
			if got, want := m.LogEvidence(), s.LogLikelihood[output]; !golden.Near(got, want, 1e-7, 1) {
				t.Errorf("%s output %d: log likelihood %v, want %v", s.Name, output, got, want)
			}
			if got, want := gp.Deterministic.LogPrior(m.Hyper()), s.LogPrior[output]; !golden.Near(got, want, 1e-7, 1) {
				t.Errorf("%s output %d: log prior %v, want %v", s.Name, output, got, want)
			}
		}
	}
}

// The fit must reach the reference's value of likelihood + prior and, with the prior weighted twice
// as in the reference's two-output fits, of likelihood + 2·prior.
func TestGoldenFit(t *testing.T) {
	for _, s := range states(t) {
		for output := range 2 {
			for _, weight := range []float64{1, 2} {
				_, r := gp.Fit(s.X, s.Targets(output), len(s.X[0]), gp.Settings{PriorWeight: weight})
				got := r.LogEvidence + weight*r.LogPrior
				want := s.LogLikelihood[output] + weight*s.LogPrior[output]
				t.Logf("%s output %d weight %v: %.4f, reference %.4f, %d evaluations", s.Name, output, weight, got, want, r.Evaluations)
				if r.Fallback || got < want-1e-3*float64(len(s.X)) {
					t.Errorf("%s output %d, prior weight %v: reached %v, reference %v (%+v)", s.Name, output, weight, got, want, r)
				}
			}
		}
	}
}
