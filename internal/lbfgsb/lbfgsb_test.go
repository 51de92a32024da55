package lbfgsb

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A goldenProblem is a bounded minimisation with SciPy's result.
type goldenProblem struct {
	Function string `json:"function"`
	Params   struct {
		A json.RawMessage `json:"A"` // logsumexp's matrix
		// encoding/json would match "a" with A, so rosenbrock's parameter
		// comes through the same field.
		H [][]float64 `json:"H"`
		B []float64   `json:"b"`
		C []float64   `json:"c"`
		S float64     `json:"s"`
	} `json:"params"`
	Lower []float64 `json:"lower"`
	Upper []float64 `json:"upper"`
	X0    []float64 `json:"x0"`
	SciPy struct {
		F           float64   `json:"f"`
		Evaluations int       `json:"evaluations"`
		X           []float64 `json:"x"`
		Active      int       `json:"active"`
	} `json:"scipy"`
}

func readGolden(t *testing.T) []goldenProblem {
	t.Helper()
	folder := os.Getenv("EKE_GOLDEN")
	if folder == "" {
		folder = filepath.Join("..", "..", "testdata", "golden")
	}
	text, err := os.ReadFile(filepath.Join(folder, "lbfgsb_scipy.json"))
	if errors.Is(err, fs.ErrNotExist) { // a folder of further states need not have it
		text, err = os.ReadFile(filepath.Join("..", "..", "testdata", "golden", "lbfgsb_scipy.json"))
	}
	if err != nil {
		t.Fatal(err)
	}
	var problems []goldenProblem
	if err := json.Unmarshal(text, &problems); err != nil {
		t.Fatal(err)
	}
	return problems
}

// minimum returns the problem's function, to be minimised.
func (p *goldenProblem) minimum(t *testing.T) Func {
	t.Helper()
	decode := func(into any) {
		if err := json.Unmarshal(p.Params.A, into); err != nil {
			t.Fatal(err)
		}
	}
	switch p.Function {
	case "rosenbrock":
		var a float64
		decode(&a)
		return rosenbrock(a)
	case "quadratic":
		return quadratic(p.Params.H, p.Params.B)
	case "styblinski":
		return styblinski
	case "logsumexp":
		var a [][]float64
		decode(&a)
		return logSumExp(a, p.Params.B)
	case "bump":
		return bump(p.Params.C, p.Params.S)
	}
	t.Fatalf("unknown function %q", p.Function)
	return nil
}

func (p *goldenProblem) multimodal() bool {
	return p.Function == "styblinski" || p.Function == "rosenbrock"
}

func TestAgainstSciPy(t *testing.T) {
	settings := Settings{FTol: 1e-12, GTol: 1e-8, MaxIterations: 15000}
	var w Workspace
	var ratios []float64
	otherMinima := 0
	for i, p := range readGolden(t) {
		f := p.minimum(t)
		x := slices.Clone(p.X0)
		r := w.Maximise(negative(f), x, p.Lower, p.Upper, settings)
		ratios = append(ratios, float64(r.Evaluations)/float64(p.SciPy.Evaluations))
		if testing.Verbose() {
			t.Logf("%3d %-10s d %2d: f %.12g (SciPy %.12g), %d evaluations (%d), %v",
				i, p.Function, len(x), -r.F, p.SciPy.F, r.Evaluations, p.SciPy.Evaluations, r.Reason)
		}

		if f(nil, x) != -r.F {
			t.Errorf("%d %s: f at the returned point is %v, result says %v", i, p.Function, f(nil, x), -r.F)
		}
		kkt, slopeScale := projectedGradient(f, x, p.Lower, p.Upper), gradientScale(f, p.X0)
		if kkt > 1e-5*slopeScale {
			t.Errorf("%d %s: projected gradient %g at the solution (%v)", i, p.Function, kkt, r.Reason)
		}
		tolerance := 1e-8 * max(1, math.Abs(p.SciPy.F))
		if math.Abs(-r.F-p.SciPy.F) > tolerance {
			otherMinima++
			if -r.F > p.SciPy.F && !p.multimodal() {
				t.Errorf("%d %s: f = %.12g, SciPy has %.12g (%v)", i, p.Function, -r.F, p.SciPy.F, r.Reason)
			}
			continue
		}
		if largestDifference(x, p.SciPy.X) < 1e-3 {
			if got := countActive(x, p.Lower, p.Upper); got != p.SciPy.Active {
				t.Errorf("%d %s: %d active bounds, SciPy has %d", i, p.Function, got, p.SciPy.Active)
			}
		}
	}
	slices.Sort(ratios)
	median := ratios[len(ratios)/2]
	t.Logf("%d problems, %d at another minimum; evaluations relative to SciPy's: median %.3f, range %.3f to %.3f",
		len(ratios), otherMinima, median, ratios[0], ratios[len(ratios)-1])
	if median > 1.2 {
		t.Errorf("median of the evaluations relative to SciPy's is %.3f, want at most 1.2", median)
	}
}

func countActive(x, lower, upper []float64) int {
	count := 0
	for i, v := range x {
		if v == lower[i] || v == upper[i] {
			count++
		}
	}
	return count
}

func largestDifference(a, b []float64) float64 {
	largest := 0.0
	for i := range a {
		largest = max(largest, math.Abs(a[i]-b[i]))
	}
	return largest
}

// projectedGradient returns ‖P(x − ∇f) − x‖∞ for a function to be minimised.
func projectedGradient(f Func, x, lower, upper []float64) float64 {
	g := make([]float64, len(x))
	f(g, x)
	norm := 0.0
	for i, v := range x {
		norm = max(norm, math.Abs(max(lower[i], min(upper[i], v-g[i]))-v))
	}
	return norm
}

func gradientScale(f Func, x []float64) float64 {
	g := make([]float64, len(x))
	f(g, x)
	scale := 1.0
	for _, gi := range g {
		scale = max(scale, math.Abs(gi))
	}
	return scale
}
