package gp

import (
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/internal/lbfgsb"
)

// Fitting chooses hyperparameters by maximum a posteriori, MATH.md (4).

// Settings configure a fit. The zero value works.
type Settings struct {
	// Kernel says how smooth the function is believed to be.
	Kernel Kernel

	// Noise is the belief about the observation noise. Nil means Deterministic.
	Noise *Noise

	// PriorWeight is the weight of the log prior relative to the log likelihood. 0 means 1. The two-output fits of the
	// paper's reference amount to 2.
	PriorWeight float64

	// Standard standardises the targets. Nil means that their own mean and standard deviation do.
	Standard *Standard

	// Starts is the number of searches. It does not count the search from Warm, nor two more if the end points
	// disagree. 0 means 3, and a negative number that there is only the search from Warm.
	Starts int

	// Warm has the hyperparameters of an earlier fit, which are tried first. Nil means that there are none.
	Warm *Hyper

	// Levels are the levels of fidelity of the data. Nil means that there is one.
	Levels []float64

	// Reach says how many times as long as usual each lengthscale is expected to be. Nil means 1.
	Reach []float64

	// Seed is the seed for the starts that are drawn from the prior.
	Seed uint64

	// Stop, if not nil, is called often, at least once in each iteration. When it returns true, the
	// fit ends with the best hyperparameters found so far.
	Stop func() bool

	// also has the lower triangle of a covariance of the standardised targets that comes on top of the kernel's, of at most subset data. Nil
	// means that there is none.
	also [][]float64
}

// Report says how a fit went.
type Report struct {
	// LogEvidence is the log likelihood of the standardised targets, and LogPrior the log prior of the hyperparameters.
	LogEvidence, LogPrior float64

	// Evaluations is how often the evidence was evaluated.
	Evaluations int

	// Fallback says that no search succeeded. The model then uses the modes of the priors.
	Fallback bool
}

// Fit standardises y, finds hyperparameters and returns the model. It never fails for finite data:
// if no search succeeds, it uses the modes of the priors, and the report says so.
func Fit(x [][]float64, y []float64, dim int, s Settings) (*Model, Report) {
	if s.Noise == nil {
		s.Noise = &Deterministic
	}
	if s.PriorWeight == 0 {
		s.PriorWeight = 1
	}
	if s.Starts == 0 {
		s.Starts = 3
	}
	standard := Standardise(y)
	if s.Standard != nil {
		standard = *s.Standard
	}
	targets := make([]float64, len(y))
	for i, v := range y {
		targets[i] = standard.To(v)
	}
	f := newFitter(dim, s)
	if len(x) > 0 {
		f.run(x, targets)
	}
	if math.IsInf(f.best, -1) {
		f.hyper, f.report.Fallback = s.priorModes(dim), len(x) > 0
		f.hyper.Kernel = s.Kernel
		if s.Levels != nil {
			f.hyper.Fading = fadingModes()
		}
	}
	m := NewAt(x, s.Levels, y, standard, f.hyper)
	f.report.LogEvidence, f.report.LogPrior = m.LogEvidence(), s.LogPrior(m.hyper)
	return m, f.report
}

// The box of the search. Lengthscales go from one per cent of the cube's edge, below which data are independent, to 50 edges,
// beyond which the kernel is flat. For the outputscale, the prior is below e⁻¹⁰⁰ beyond 1e3, and below 1e-4 there is no signal left
// above the noise. With τ² ≥ 1e-8, the floor of the default preset, the box keeps K + τ²I within what Cholesky can factor. Where it
// does not, the fit turns away, and New raises the noise.
const (
	minLengthscale, maxLengthscale = 0.01, 50
	minOutputscale, maxOutputscale = 1e-4, 1e3
)

// subset is the number of data above which the starts compete on a subset, and only the winner is
// refined on all data: every evaluation costs O(n³).
const subset = 250

func (s *Settings) priorModes(dim int) Hyper {
	h := Hyper{Outputscale: outputscalePrior.Mode(), Noise: math.Sqrt(s.Noise.Min * math.Min(s.Noise.Max, 1e-3))}
	for j := range dim {
		h.Lengthscales = append(h.Lengthscales, s.reach(j)*lengthscalePrior.Mode())
	}
	return h
}

func (s *Settings) reach(j int) float64 {
	if s.Reach == nil {
		return 1
	}
	return s.Reach[j]
}

// LogPrior returns the log prior density of hyperparameters. The mean has a flat prior. Noise must not be nil.
func (s *Settings) LogPrior(h Hyper) float64 {
	sum, _ := outputscalePrior.LogDensity(h.Outputscale)
	for j, l := range h.Lengthscales {
		p, _ := lengthscalePrior.LogDensity(l / s.reach(j))
		sum += p
	}
	if s.Noise.Prior != nil {
		p, _ := s.Noise.Prior.LogDensity(h.Noise)
		sum += p
	}
	if h.Fading != nil {
		sum += h.Fading.logPrior()
	}
	return sum
}

// fitter has the best hyperparameters found so far.
type fitter struct {
	settings  Settings
	dim       int
	rng       *rand.Rand
	workspace lbfgsb.Workspace
	report    Report
	best      float64
	hyper     Hyper
}

func newFitter(dim int, s Settings) *fitter {
	return &fitter{settings: s, dim: dim, best: math.Inf(-1), rng: rand.New(rand.NewPCG(s.Seed, 0x9e3779b97f4a7c15))}
}

func (f *fitter) run(x [][]float64, y []float64) {
	few, fewY, set := x, y, f.settings
	if len(x) > subset {
		few, fewY = everyKth(x, subset), everyKth(y, subset)
		if set.Levels != nil {
			set.Levels = everyKth(set.Levels, subset)
		}
	}
	e := newEvidence(few, fewY, f.dim, set)
	var ends []float64
	for _, start := range f.starts() {
		ends = append(ends, f.search(e, start, 100))
		if f.stop(0, 0) {
			return
		}
	}
	// If the end points disagree, or there are none, the surface has several peaks, and more draws
	// are worth it.
	for again := 0; again < retries && f.settings.Starts > 0 && !agreed(ends, 1e-3*float64(len(few))); again++ {
		ends = append(ends, f.search(e, f.draw(), 100))
		if f.stop(0, 0) {
			return
		}
	}
	if len(x) > subset && !math.IsInf(f.best, -1) {
		e := newEvidence(x, y, f.dim, f.settings)
		e.stop = f.settings.Stop
		onSubset := f.best
		f.best = math.Inf(-1) // values on different data cannot be compared
		f.search(e, f.hyper, 20)
		if math.IsInf(f.best, -1) {
			f.best = onSubset
		}
	}
}

// retries is the number of further starts, drawn from the prior, for a fit that failed, or whose best end point was reached only once.
const retries = 2

// agreed reports whether the highest end point was reached twice.
func agreed(ends []float64, tolerance float64) bool {
	highest, near := math.Inf(-1), 0
	for _, v := range ends {
		highest = math.Max(highest, v)
	}
	for _, v := range ends {
		if v >= highest-tolerance && !math.IsInf(v, -1) {
			near++
		}
	}
	return near >= 2
}

// everyKth keeps k entries, evenly spread.
func everyKth[T any](all []T, k int) []T {
	kept := make([]T, k)
	for i := range kept {
		kept[i] = all[i*len(all)/k]
	}
	return kept
}

// starts lists the starts of the searches: the earlier fit, the modes of the priors, a rough and a
// smooth function, then draws from the prior.
func (f *fitter) starts() []Hyper {
	var list []Hyper
	if f.settings.Warm != nil && len(f.settings.Warm.Lengthscales) == f.dim {
		list = append(list, *f.settings.Warm)
	}
	usual := []struct{ lengthscale, outputscale float64 }{{lengthscalePrior.Mode(), outputscalePrior.Mode()}, {0.1, 1}, {1, 2}}
	for i := range max(f.settings.Starts, 0) {
		h := f.draw()
		for j := range h.Lengthscales {
			if i < len(usual) {
				h.Lengthscales[j], h.Outputscale = f.settings.reach(j)*usual[i].lengthscale, usual[i].outputscale
			}
		}
		list = append(list, h)
	}
	return list
}

// draw draws lengthscales and outputscale from their priors; the noise keeps its usual start.
func (f *fitter) draw() Hyper {
	h := f.settings.priorModes(f.dim)
	for j := range h.Lengthscales {
		h.Lengthscales[j] = f.settings.reach(j) * drawGamma(f.rng, 3, 6)
	}
	h.Outputscale = drawGamma(f.rng, 2, 0.15)
	return h
}

// drawGamma draws from a Gamma distribution whose shape is a whole number: a sum of exponentials.
func drawGamma(rng *rand.Rand, shape int, rate float64) float64 {
	sum := 0.0
	for range shape {
		sum += rng.ExpFloat64()
	}
	return sum / rate
}

func (f *fitter) stop(int, float64) bool { return f.settings.Stop != nil && f.settings.Stop() }

// search climbs from a start, keeps the end point if it is the best so far, and returns its value, or −∞ if
// it failed.
func (f *fitter) search(e *evidence, start Hyper, iterations int) float64 {
	size := f.dim + 2
	if f.settings.Levels != nil {
		size += len(fadingBounds)
	}
	theta, lower, upper := make([]float64, size), make([]float64, size), make([]float64, size)
	set := func(i int, v, lo, hi float64) {
		lower[i], upper[i] = math.Log(lo), math.Log(hi)
		theta[i] = math.Min(math.Max(math.Log(v), lower[i]), upper[i])
	}
	for j, l := range start.Lengthscales {
		set(j, l, minLengthscale, maxLengthscale)
	}
	set(f.dim, start.Outputscale, minOutputscale, maxOutputscale)
	set(f.dim+1, start.Noise, f.settings.Noise.Min, f.settings.Noise.Max)
	if f.settings.Levels != nil {
		fading := start.Fading
		if fading == nil {
			fading = fadingModes()
		}
		for i, v := range fading.list() {
			set(f.dim+2+i, v, fadingBounds[i][0], fadingBounds[i][1])
		}
	}
	r := f.workspace.Maximise(e.eval, theta, lower, upper,
		lbfgsb.Settings{MaxIterations: iterations, FTol: 1e-9, GTol: 1e-5, Stop: f.stop})
	f.report.Evaluations += r.Evaluations
	// Evaluate once more, since the mean belongs to the last point evaluated.
	v := e.eval(nil, theta)
	if math.IsNaN(v) || math.IsInf(v, 1) {
		return math.Inf(-1)
	}
	if v > f.best {
		f.best, f.hyper = v, e.hyper(theta)
	}
	return v
}
