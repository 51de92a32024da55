package lbfgsb

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func constantBox(n int, l, u float64) (lower, upper []float64) {
	return slices.Repeat([]float64{l}, n), slices.Repeat([]float64{u}, n)
}

func TestFlatFunction(t *testing.T) {
	flat := func(grad, x []float64) float64 { clear(grad); return 7 }
	x := []float64{0.3, 5}
	lower, upper := constantBox(2, 0, 1)
	r := new(Workspace).Maximise(flat, x, lower, upper, Settings{GTol: -1})
	if want := (Result{F: 7, Evaluations: 1, Reason: ConvergedGradient}); r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
	if !slices.Equal(x, []float64{0.3, 1}) {
		t.Errorf("x = %v", x)
	}
}

func TestNoVariables(t *testing.T) {
	r := new(Workspace).Maximise(func(_, _ []float64) float64 { return 3 }, nil, nil, nil, Settings{})
	if r.F != 3 || r.Reason != ConvergedGradient {
		t.Errorf("got %+v", r)
	}
}

func TestLinearFunctionGoesToTheCorner(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for _, n := range []int{1, 2, 12, 300} {
		for _, scale := range []float64{1e-4, 1, 1e8} {
			slopes := randomVector(rng, n)
			f := func(grad, x []float64) float64 {
				for i := range grad {
					grad[i] = scale * slopes[i]
				}
				return scale * dot(slopes, x)
			}
			x := slices.Repeat([]float64{0.5}, n)
			lower, upper := constantBox(n, 0, 1)
			r := new(Workspace).Maximise(f, x, lower, upper, Settings{})
			for i, v := range x {
				if want := map[bool]float64{true: 1}[slopes[i] > 0]; v != want {
					t.Fatalf("n %d, scale %g: x[%d] = %v, want %v; %+v", n, scale, i, v, want, r)
				}
			}
			if r.Iterations > 20 {
				t.Errorf("n %d, scale %g: %+v", n, scale, r)
			}
		}
	}
}

// Tolerances are in units of f. Without them, the search must get as far as rounding allows,
// whatever the scale.
func TestBadlyScaled(t *testing.T) {
	for _, valueScale := range []float64{1e-12, 1, 1e12} {
		for _, pointScale := range []float64{1e-6, 1, 1e6} {
			t.Run(fmt.Sprint(valueScale, pointScale), func(t *testing.T) {
				const n = 6
				inner, u := rosenbrock(100), make([]float64, n)
				f := func(grad, x []float64) float64 {
					for i := range x {
						u[i] = x[i] / pointScale
					}
					value := valueScale * inner(grad, u)
					for i := range grad {
						grad[i] *= valueScale / pointScale
					}
					return value
				}
				for _, bound := range []float64{2, math.Inf(1)} {
					x := slices.Repeat([]float64{0.5 * pointScale}, n)
					lower, upper := constantBox(n, -bound*pointScale, bound*pointScale)
					settings := Settings{FTol: -1, GTol: -1, MaxIterations: 500}
					r := new(Workspace).Maximise(negative(f), x, lower, upper, settings)
					t.Logf("bound %v: %+v", bound, r)
					for i, v := range x {
						if math.Abs(v/pointScale-1) > 1e-5 {
							t.Fatalf("x[%d]/scale = %v; %+v", i, v/pointScale, r)
						}
					}
				}
			})
		}
	}
}

func TestKinkEnds(t *testing.T) {
	// −Σ|xᵢ − cᵢ|, whose gradient never becomes small.
	centre := []float64{0.3, -0.2, 0.7}
	f := func(grad, x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			sum -= math.Abs(v - centre[i])
			grad[i] = -math.Copysign(1, v-centre[i])
		}
		return sum
	}
	for _, s := range []Settings{{}, {FTol: -1, GTol: -1}} {
		x := []float64{-0.9, 0.8, 0.1}
		lower, upper := constantBox(3, -1, 1)
		r := new(Workspace).Maximise(f, x, lower, upper, s)
		if r.Reason != NoProgress && r.Reason != ConvergedValue {
			t.Errorf("%+v", r)
		}
		if r.F < -0.5 {
			t.Errorf("f = %v at %v", r.F, x)
		}
	}
}

func TestWrongGradientEnds(t *testing.T) {
	f := func(grad, x []float64) float64 { grad[0] = -2 * x[0]; return x[0] * x[0] }
	x := []float64{0.5}
	r := new(Workspace).Maximise(f, x, []float64{-1}, []float64{1}, Settings{})
	if r.Reason != NoProgress || r.F < 0.25 {
		t.Errorf("%+v", r)
	}
}

func TestNotFiniteStart(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct{ value, slope float64 }{
		"NaN": {nan, 1}, "+Inf": {inf, 1}, "-Inf": {-inf, 1}, "gradient": {0, nan},
	} {
		f := func(grad, x []float64) float64 { grad[0] = c.slope; return c.value }
		x := []float64{5}
		r := new(Workspace).Maximise(f, x, nil, []float64{1}, Settings{})
		if r.Reason != NotFinite || x[0] != 1 {
			t.Errorf("%s: %+v, x = %v", name, r, x)
		}
	}
	for _, start := range []float64{nan, -inf} {
		x := []float64{start}
		if r := new(Workspace).Maximise(styblinski, x, nil, []float64{1}, Settings{}); r.Reason != NotFinite {
			t.Errorf("start %v: %+v", start, r)
		}
	}
}

// ln x + ln(1 − x), scaled so that the first step leads out of the domain.
func TestBarrier(t *testing.T) {
	f := func(grad, x []float64) float64 {
		grad[0] = 50 * (1/x[0] - 1/(1-x[0]))
		return 50 * (math.Log(x[0]) + math.Log(1-x[0]))
	}
	for _, start := range []float64{1e-6, 0.1, 0.9, 1 - 1e-9} {
		x := []float64{start}
		r := new(Workspace).Maximise(f, x, nil, nil, Settings{})
		if math.Abs(x[0]-0.5) > 1e-6 {
			t.Errorf("from %v to %v: %+v", start, x[0], r)
		}
	}
}

// +Inf is no maximum to run for.
func TestInfinityIsAWall(t *testing.T) {
	f := func(grad, x []float64) float64 {
		grad[0] = 1
		if x[0] > 0.25 {
			return math.Inf(1)
		}
		return x[0]
	}
	x := []float64{0}
	r := new(Workspace).Maximise(f, x, []float64{0}, []float64{1}, Settings{})
	if !(r.F > 0.2 && r.F <= 0.25) || r.F != x[0] {
		t.Errorf("x = %v, %+v", x, r)
	}
}

func TestFixedCoordinates(t *testing.T) {
	x := []float64{9, 0.5, 9, -0.5}
	lower, upper := []float64{1, -2, 0.5, -2}, []float64{1, 2, 0.5, 2}
	r := new(Workspace).Maximise(negative(styblinski), x, lower, upper, Settings{})
	if x[0] != 1 || x[2] != 0.5 {
		t.Errorf("fixed coordinates moved: %v", x)
	}
	if kkt := projectedGradient(styblinski, x, lower, upper); kkt > 1e-5 {
		t.Errorf("projected gradient %g, %+v", kkt, r)
	}
	if r = new(Workspace).Maximise(negative(styblinski), x, x, x, Settings{}); r.Evaluations != 1 {
		t.Errorf("all fixed: %+v", r)
	}
}

func TestLimits(t *testing.T) {
	f, start := negative(rosenbrock(100)), []float64{-1.2, 1, -1.2, 1}
	run := func(s Settings) Result {
		return new(Workspace).Maximise(f, slices.Clone(start), nil, nil, s)
	}
	if r := run(Settings{MaxIterations: 3}); r.Reason != IterationLimit || r.Iterations != 3 {
		t.Errorf("iterations: %+v", r)
	}
	for limit := 1; limit < 12; limit++ {
		if r := run(Settings{MaxEvaluations: limit}); r.Reason != EvaluationLimit || r.Evaluations != limit {
			t.Errorf("evaluations, limit %d: %+v", limit, r)
		}
	}
	asked := 0
	stop := func(iteration int, value float64) bool {
		asked++
		if iteration != asked {
			t.Errorf("asked for iteration %d after %d", iteration, asked-1)
		}
		return iteration == 5
	}
	if r := run(Settings{Stop: stop}); r.Reason != Stopped || r.Iterations != 5 {
		t.Errorf("stop: %+v", r)
	}
}

func TestReasonString(t *testing.T) {
	for r := ConvergedGradient; r <= NotFinite; r++ {
		if r.String() == "" || r.String() == Reason(0).String() {
			t.Errorf("reason %d has no name", int(r))
		}
	}
}

// The same search must give the same result to the last bit, whatever the workspace did before and
// whatever other searches are running.
func TestDeterministicAndConcurrent(t *testing.T) {
	run := func(w *Workspace, n int) ([]float64, Result) {
		x := slices.Repeat([]float64{-0.7}, n)
		lower, upper := constantBox(n, -1, 0.8)
		return x, w.Maximise(negative(rosenbrock(100)), x, lower, upper, Settings{})
	}
	wantX, want := run(new(Workspace), 30)
	var group sync.WaitGroup
	for id := range 4 {
		group.Go(func() {
			var w Workspace
			for _, n := range []int{40, 30, 2 + id, 30} {
				x, r := run(&w, n)
				if n == 30 && (r != want || !slices.Equal(x, wantX)) {
					t.Errorf("got %+v, want %+v", r, want)
				}
			}
		})
	}
	group.Wait()
}

func TestNoAllocation(t *testing.T) {
	for _, n := range []int{2, 12, 100} {
		f := negative(rosenbrock(100))
		x, start := make([]float64, n), slices.Repeat([]float64{-0.7}, n)
		lower, upper := constantBox(n, -1, 0.8)
		var w Workspace
		stop := func(int, float64) bool { return false }
		run := func() {
			copy(x, start)
			w.Maximise(f, x, lower, upper, Settings{Stop: stop})
		}
		if allocs := testing.AllocsPerRun(10, run); allocs != 0 {
			t.Errorf("n %d: %v allocations in a used workspace", n, allocs)
		}
	}
}
