package gp

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/internal/simd"
)

// Data may be observed at several levels of fidelity: cheap ones, which say something about the function, and the top, which is the
// function itself. A level t lies between 0 and 1, and 1 is the top. MATH.md (31):
//
//	k((x,t),(x',t')) = s·M(r)·(a·a' + w·b·b') + v·b·b',   r² = Σ (x_i−x'_i)²/ℓ_i² + (t−t')²/ℓ_t²,   b = (1−t)^p,   a = 1 − q·b.
//
// So below the top a fraction q·b of the function is lost. A bias of variance w·s·b² differs from point to point, and a bias of variance v·b²
// is the same at all points. All three fade towards the top. This is the downsampling kernel of Wu, Toscano-Palmerin, Frazier, Wilson 2019,
// with a trend, and with the factor a of Kennedy, O'Hagan 2000. Without a, levels that have nothing to do with the top would have to vary much
// more than the top does. The lengthscale ℓ_t leaves room for differences between levels that no power of 1 − t follows.
//
// At the top b is 0, and the kernel is the kernel of a model without levels, but for a constant part of the distance to each datum. So a
// model with levels answers as one without does: NewBatch, Posterior and all else are about the top, and At gives the model of another
// level.

// Fading are the hyperparameters of the levels, on standardised targets.
type Fading struct {
	// Lengthscale is ℓ_t.
	Lengthscale float64 `json:"lengthscale"`

	// Bias is w.
	Bias float64 `json:"bias"`

	// Shift is v.
	Shift float64 `json:"shift"`

	// Power is p.
	Power float64 `json:"power"`

	// Loss is q.
	Loss float64 `json:"loss"`
}

// factor returns a·a' + w·b·b' of two biases.
func (f *Fading) factor(b, c float64) float64 { return (1-f.Loss*b)*(1-f.Loss*c) + f.Bias*b*c }

// bias returns b at a level.
func (f *Fading) bias(level float64) float64 { return math.Pow(math.Max(1-level, 0), f.Power) }

// check returns an error that names what is wrong with the hyperparameters, or nil.
func (f *Fading) check() error {
	for _, v := range f.list() {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("gp: hyperparameters must be positive and finite: %+v", *f)
		}
	}
	return nil
}

func (f *Fading) list() []float64 { return []float64{f.Lengthscale, f.Bias, f.Shift, f.Power, f.Loss} }

// fadingPriors are the priors of the hyperparameters, in the order of list, and fadingBounds is the box of the search. The modes are w = 0.1,
// q = 1/6, and a lengthscale of twice the distance between the two levels. So before there are data, the lowest level is taken to be
// correlated with the top by about 0.77.
var (
	fadingPriors = [5]Gamma{{Shape: 3, Rate: 1}, {Shape: 1.5, Rate: 5}, {Shape: 1.5, Rate: 0.25}, {Shape: 3, Rate: 2}, {Shape: 1.5, Rate: 3}}
	fadingBounds = [5][2]float64{{0.05, 50}, {1e-4, 1e2}, {1e-4, 1e3}, {0.05, 4}, {1e-3, 1}}
)

func fadingModes() *Fading {
	p := &fadingPriors
	return &Fading{p[0].Mode(), p[1].Mode(), p[2].Mode(), p[3].Mode(), p[4].Mode()}
}

// logPrior returns the log prior density.
func (f *Fading) logPrior() (sum float64) {
	for i, v := range f.list() {
		p, _ := fadingPriors[i].LogDensity(v)
		sum += p
	}
	return sum
}

// view is the level that a model answers about. The zero value is for models without levels.
type view struct {
	level, bias   float64   // t and b
	offset        []float64 // ld: (t−t_i)²/ℓ_t² of all data; nil without levels
	factor, shift []float64 // ld: a·a_i + w·b·b_i and v·b·b_i; nil without levels
	self, selfAdd float64   // a² + w·b² and v·b²: of two points at the level
	rise          float64   // what is known of the level's difference from the top, standardised
}

// NewAt is New for data at the given levels. Nil levels mean that there are none. The model answers about the top.
func NewAt(x [][]float64, levels, y []float64, s Standard, h Hyper) *Model {
	if levels == nil {
		h.Fading = nil
	} else if h.Fading == nil {
		panic("gp: levels need their hyperparameters")
	}
	return newModel(x, levels, y, s, h)
}

// At returns the model of another level, which shares the data.
func (m *Model) At(level float64) *Model {
	if m.levels == nil {
		return m
	}
	other := *m
	other.view = m.newView(level)
	return &other
}

// Rising returns the model of targets that differ from those it was given by a known function of their level, which is 0 at the top.
func (m *Model) Rising(rise func(level float64) float64) *Model {
	other := *m
	other.rise = rise
	return &other
}

func (m *Model) newView(level float64) view {
	f := m.hyper.Fading
	v := view{level: level, bias: f.bias(level), offset: make([]float64, m.ld), factor: make([]float64, m.ld), shift: make([]float64, m.ld)}
	v.self, v.selfAdd = f.factor(v.bias, v.bias), f.Shift*v.bias*v.bias
	if m.rise != nil {
		v.rise = m.rise(level) / m.standard.Scale
	}
	for i, t := range m.levels[:m.n] {
		v.offset[i] = (t - level) / f.Lengthscale * (t - level) / f.Lengthscale
		v.factor[i], v.shift[i] = f.factor(v.bias, m.fade[i]), f.Shift*v.bias*m.fade[i]
	}
	return v
}

// prior returns the variance of a point of a level before there are data.
func (m *Model) prior(v *view) float64 {
	if v.bias == 0 {
		return m.hyper.Outputscale
	}
	return m.hyper.Outputscale*v.self + v.selfAdd
}

// apart is the squared distance between two levels.
func (m *Model) apart(v, w *view) float64 {
	d := (v.level - w.level) / m.hyper.Fading.Lengthscale
	return d * d
}

// biasOf returns what the biases of two levels make of a covariance: a factor, and what is added.
func (m *Model) biasOf(v, w *view) (factor, add float64) {
	f := m.hyper.Fading
	if f == nil || v.bias == 0 && w.bias == 0 {
		return 1, 0
	}
	return f.factor(v.bias, w.bias), f.Shift * v.bias * w.bias
}

// NewBatchAt is NewBatch for points each of its own level. Nil levels mean that all points are of the model's level.
func (m *Model) NewBatchAt(rows int, pairs [][2]int, levels []float64) *Batch {
	b := m.NewBatch(rows, pairs)
	if levels == nil || m.levels == nil {
		return b
	}
	made := map[float64]*view{}
	for _, t := range levels {
		if made[t] == nil {
			v := m.newView(t)
			made[t] = &v
		}
		b.views = append(b.views, made[t])
	}
	return b
}

// view returns the view of a point.
func (b *Batch) view(r int) *view {
	if b.views == nil {
		return &b.m.view
	}
	return b.views[r]
}

// setLevel notes the level of a datum.
func (m *Model) setLevel(i int, level float64) {
	m.levels[i], m.fade[i] = level, m.hyper.Fading.bias(level)
}

// fadeRow turns a row of the covariances of datum i, and their derivative factors if there are any, into one with levels, given b of all data.
func (f *Fading) fadeRow(row, g, bias []float64, i int) {
	for k, v := range row {
		factor := f.factor(bias[i], bias[k])
		row[k] = v*factor + f.Shift*bias[i]*bias[k]
		if g != nil {
			g[k] *= factor
		}
	}
}

// addLevelDist adds the squared distances between the levels of datum i and those before it.
func (m *Model) addLevelDist(row []float64, i int) {
	l := m.hyper.Fading.Lengthscale
	for k := range row {
		d := (m.levels[i] - m.levels[k]) / l
		row[k] += d * d
	}
}

// fade applies the biases to the kernel rows and, if asked, to their derivative factors.
func (b *Batch) fade(withGrad bool) {
	ld := b.m.ld
	for r := range b.rows {
		v, row, g := b.view(r), b.k[r*ld:(r+1)*ld], b.g[r*ld:(r+1)*ld]
		simd.Mul(row, row, v.factor)
		simd.Axpy(1, v.shift, row)
		if withGrad {
			simd.Mul(g, g, v.factor)
		}
	}
}

// CovarianceWith writes the posterior covariances of this batch's points with the points of another batch, one row for each point of this one. The
// two may be of different levels of the same model. Both must have gone Forward.
func (b *Batch) CovarianceWith(other *Batch, dst []float64) {
	m, ld := b.m, b.m.ld
	apart, factor, add := 0.0, 1.0, 0.0
	if m.levels != nil {
		apart = m.apart(&m.view, &other.m.view)
		factor, add = m.biasOf(&m.view, &other.m.view)
	}
	for i := range b.rows {
		row, zi := dst[i*other.rows:(i+1)*other.rows], b.point(i)
		for j := range row {
			row[j] = sqDist(apart, other.point(j), zi)
		}
		m.hyper.Kernel.rows(row, nil, row, m.hyper.Outputscale)
		for j := range row {
			row[j] = row[j]*factor + add - simd.Dot(b.v[i*ld:(i+1)*ld], other.v[j*ld:(j+1)*ld])
		}
	}
}

// LevelCorrelation says how well a level predicts the top: the prior correlation of the two at one point. It leaves out
// the bias that all points share, because data soon reveal that.
func (h Hyper) LevelCorrelation(level float64) float64 {
	if h.Fading == nil {
		return 1
	}
	b, apart := h.Fading.bias(level), (1-level)/h.Fading.Lengthscale
	k := []float64{apart * apart}
	h.Kernel.rows(k, nil, k, 1)
	return k[0] * (1 - h.Fading.Loss*b) / math.Sqrt(h.Fading.factor(b, b))
}
