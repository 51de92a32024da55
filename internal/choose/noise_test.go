package choose

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/model"
)

func noisySettings(threads int) model.Settings {
	return model.Settings{RawPoints: 60, Starts: 6, Iterations: 40, Threads: threads, Noise: model.Noisy()}
}

func noisyState(n int) *model.State {
	rng := rand.New(rand.NewPCG(5, 6))
	s := &model.State{Dim: 1, Initial: 100, Remaining: 50, Seed: 4, Trial: n}
	for range n {
		x := rng.Float64()
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, -4*(x-0.3)*(x-0.3)+0.2*rng.NormFloat64()), append(s.LnCost, 0.1*x)
	}
	return s
}

func TestNoisySuggestionsAreEqual(t *testing.T) {
	s := noisyState(12)
	s.Remaining = 20 // the last fifth
	var points [][]float64
	for _, threads := range []int{1, 2, 5} {
		p, err := Policy{Rule: OneStep(LogEIPUC)}.New("log-ei-puc", noisySettings(threads))
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Suggest(context.Background(), *s)
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, out.X)
	}
	if points[0][0] != points[1][0] || points[0][0] != points[2][0] {
		t.Errorf("suggestions %v with 1, 2 and 5 threads", points)
	}
}
