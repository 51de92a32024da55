package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// The twin integrates the highest line over a grid.
func TestExpectedMaxGain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 30; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = rng.NormFloat64(), 0.5*rng.NormFloat64()
		}
		if n%5 == 0 {
			b[0], b[1] = b[n-1], b[n-1] // parallel lines
		}
		want, known := 0.0, math.Inf(-1)
		for _, v := range a[:n-1] {
			known = math.Max(known, v)
		}
		const steps, width = 40000, 16.0
		for i := range steps {
			z := width * ((float64(i)+0.5)/steps - 0.5)
			top := math.Inf(-1)
			for j := range a {
				top = math.Max(top, a[j]+b[j]*z)
			}
			want += (top - known) * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * width / steps
		}
		if got := expectedMaxGain(a, b); math.Abs(got-want) > 1e-6 {
			t.Errorf("%d lines: %v, want %v", n, got, want)
		}
	}
}

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

// The twin draws outcomes, conditions the model on each, and looks for the best mean among all points that were tried.
func TestKnowledgeIsWhatAnEvaluationChanges(t *testing.T) {
	d := modeltest.Believe(t, noisyState(12), noisySettings(2))
	k := newKnowledge(d, 0)
	std := d.Belief.Objective.Standard()
	for _, x := range [][]float64{{0.31}, {0.9}, d.X[3]} {
		mean, sd := d.Belief.Objective.PosteriorSD(x)
		sd = math.Hypot(sd, std.Scale*math.Sqrt(d.Belief.Objective.Hyper().Noise))
		rng := rand.New(rand.NewPCG(7, 8))
		const draws = 20000
		before := math.Inf(-1)
		for _, v := range d.Belief.Objective.Fitted() {
			before = math.Max(before, v)
		}
		sum := 0.0
		for range draws / 2 {
			z := rng.NormFloat64()
			for _, z := range []float64{z, -z} {
				after := math.Inf(-1)
				for _, v := range d.Belief.Objective.Condition(x, mean+z*sd).Fitted() {
					after = math.Max(after, v)
				}
				sum += (after - before) / draws
			}
		}
		lnCost, _ := d.Belief.LnCostAt(x)
		got, want := math.Exp(k.value(x)+lnCost), sum/std.Scale
		if math.Abs(got-want) > 0.05*want+1e-9 {
			t.Errorf("at %v: %v, want %v", x, got, want)
		}
	}
}

func TestNoisySuggestionsAreEqual(t *testing.T) {
	s := noisyState(12)
	s.Remaining = 20 // the last fifth
	var points [][]float64
	for _, threads := range []int{1, 2, 5} {
		p, err := Policy{Rule: Learning(OneStep(LogEIPUC))}.New("log-ei-puc", noisySettings(threads))
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Suggest(context.Background(), *s)
		if err != nil {
			t.Fatal(err)
		}
		if !out.Learns {
			t.Error("the last part of the money is not spent on what teaches the most")
		}
		points = append(points, out.X)
	}
	if points[0][0] != points[1][0] || points[0][0] != points[2][0] {
		t.Errorf("suggestions %v with 1, 2 and 5 threads", points)
	}
}
