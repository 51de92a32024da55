package gp

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// naive is the textbook method on dense matrices, MATH.md (1) and (3). It has nothing in common with
// Model but the formulas (Rasmussen & Williams 2006, algorithm 2.1).
type naive struct {
	x       [][]float64
	h       Hyper
	centred *mat.VecDense // standardised targets minus the mean
	factor  mat.Cholesky  // of K + τ²I
	weights mat.VecDense
}

func naiveKernel(h Hyper, a, b []float64) float64 {
	sum := 0.0
	for j, l := range h.Lengthscales {
		sum += math.Pow((a[j]-b[j])/l, 2)
	}
	if f := h.Fading; f != nil { // MATH.md (31): the last entry of a point is its level
		t, u, flat := a[len(a)-1], b[len(b)-1], h
		flat.Fading, flat.Lengthscales = nil, append(slices.Clone(h.Lengthscales), f.Lengthscale)
		bt, bu := math.Pow(1-t, f.Power), math.Pow(1-u, f.Power)
		return naiveKernel(flat, a, b)*((1-f.Loss*bt)*(1-f.Loss*bu)+f.Bias*bt*bu) + f.Shift*bt*bu
	}
	r := math.Sqrt(sum)
	if h.Kernel == Gaussian {
		return h.Outputscale * math.Exp(-sum/2)
	}
	if h.Kernel == Matern32 {
		return h.Outputscale * (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	}
	return h.Outputscale * (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
}

func newNaive(t testing.TB, x [][]float64, targets []float64, h Hyper) *naive {
	t.Helper()
	n := len(x)
	k := mat.NewSymDense(n, nil)
	centred := mat.NewVecDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			k.SetSym(i, j, naiveKernel(h, x[i], x[j]))
		}
		k.SetSym(i, i, k.At(i, i)+h.Noise)
		centred.SetVec(i, targets[i]-h.Mean)
	}
	v := &naive{x: x, h: h, centred: centred}
	if !v.factor.Factorize(k) {
		t.Fatal("not positive definite")
	}
	if err := v.factor.SolveVecTo(&v.weights, centred); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *naive) row(p []float64) *mat.VecDense {
	k := mat.NewVecDense(len(v.x), nil)
	for i, x := range v.x {
		k.SetVec(i, naiveKernel(v.h, x, p))
	}
	return k
}

func (v *naive) mean(p []float64) float64 { return v.h.Mean + mat.Dot(v.row(p), &v.weights) }

func (v *naive) covariance(p, q []float64) float64 {
	var solved mat.VecDense
	if err := v.factor.SolveVecTo(&solved, v.row(q)); err != nil {
		panic(err)
	}
	return naiveKernel(v.h, p, q) - mat.Dot(v.row(p), &solved)
}

func (v *naive) logEvidence() float64 {
	return -0.5*mat.Dot(v.centred, &v.weights) - 0.5*v.factor.LogDet() - 0.5*float64(len(v.x))*math.Log(2*math.Pi)
}

// Sizes around the padding of the kernels, and typical sizes of studies.
var twinSizes = []struct{ n, dim int }{{1, 1}, {2, 3}, {3, 2}, {4, 1}, {7, 5}, {8, 2}, {9, 4}, {31, 3}, {64, 6}, {101, 2}}

func TestPosteriorEqualsTextbook(t *testing.T) {
	const rows = 5
	var mean, cov, evidence worst
	for i, c := range slices.Concat(twinSizes, twinSizes, twinSizes) {
		rng := newRand(uint64(c.n))
		x := cloud(rng, c.n, c.dim)
		y := wavy(x)
		s, h := Standardise(y), someHyper(rng, c.dim)
		h.Kernel = kernels[i/len(twinSizes)]
		m := New(x, y, s, h)
		targets := make([]float64, c.n)
		for i, v := range y {
			targets[i] = (v - s.Shift) / s.Scale
		}
		twin := newNaive(t, x, targets, h)
		points := cloud(rng, rows, c.dim)
		points[1], points[2] = x[0], points[0] // at a datum; twice the same point
		b := m.NewBatch(rows, allPairs(rows))
		b.Forward(flatten(points), false)
		for i, p := range points {
			mean.see(b.Mean[i], twin.mean(p), 1)
			cov.see(b.Var[i], twin.covariance(p, p), 1)
			gotMean, gotVar := m.Posterior(p)
			mean.see(gotMean, s.Shift+s.Scale*twin.mean(p), s.Scale)
			cov.see(gotVar, s.Scale*s.Scale*twin.covariance(p, p), s.Scale*s.Scale)
		}
		for k, ij := range allPairs(rows) {
			want := twin.covariance(points[ij[0]], points[ij[1]])
			cov.see(b.Cov[k], want, 1)
			cov.see(m.Covariance(points[ij[0]], points[ij[1]]), s.Scale*s.Scale*want, s.Scale*s.Scale)
		}
		evidence.see(m.LogEvidence(), twin.logEvidence(), math.Max(1, math.Abs(twin.logEvidence())))
	}
	t.Logf("worst deviations: mean %.2g, covariance %.2g (standardised), log evidence %.2g (relative)", mean, cov, evidence)
	if mean > 1e-9 || cov > 1e-9 || evidence > 1e-10 {
		t.Errorf("deviations: mean %.2g, covariance %.2g, log evidence %.2g", mean, cov, evidence)
	}
}
