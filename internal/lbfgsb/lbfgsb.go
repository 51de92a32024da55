// Package lbfgsb maximises a smooth function of some hundreds of variables
// inside a box.
package lbfgsb

import (
	"cmp"
	"math"
)

/*

L-BFGS-B, after Byrd, Lu, Nocedal and Zhu.

The problem is: maximise f(x) subject to lᵢ ≤ xᵢ ≤ uᵢ, given f and ∇f. The
papers minimise, so the sign is flipped once, at the door (evaluate,
below): everything else in this package minimises φ = −f, and g = ∇φ.

One iteration, from the point x with gradient g, goes through four steps.


1. The model (model.go).

The last m steps sⱼ = xⱼ₊₁ − xⱼ and gradient changes yⱼ = gⱼ₊₁ − gⱼ, with
sⱼᵀyⱼ > 0, define the BFGS approximation B of the Hessian of φ: start from θI
and apply m updates. B is never formed. With the n×m matrices S and Y whose
columns are the sⱼ and yⱼ, oldest first, it has the compact form [2]

	B = θI − W M Wᵀ,   W = [Y  θS],

	        ⎡ −D   Lᵀ  ⎤
	M⁻¹  =  ⎢          ⎥ ,   D = diag(sⱼᵀyⱼ),   L = strictly lower part of SᵀY,
	        ⎣  L  θSᵀS ⎦

so that multiplying by B costs O(mn), and the 2m×2m matrix M holds all that is
not a multiple of the identity. The model of φ around x is the quadratic

	q(z) = φ(x) + gᵀ(z−x) + ½ (z−x)ᵀB(z−x).

The scale θ = yᵀy / sᵀy is taken from the newest pair.


2. The generalised Cauchy point (cauchy.go).

Which bounds will be active? Follow the projected steepest-descent path

	x(t) = P(x − t g),   P = clipping to the box,

which is piecewise linear: coordinate i stops at the breakpoint

	tᵢ = (xᵢ − uᵢ)/gᵢ if gᵢ < 0,   (xᵢ − lᵢ)/gᵢ if gᵢ > 0,   ∞ otherwise.

The generalised Cauchy point xᶜ is the first local minimiser of q along the
path. Between breakpoints q(x(t)) is a parabola in t, whose two derivatives
are updated at each breakpoint in O(m²), not O(n) ([1], section 4). The bounds
at which xᶜ lies are taken to be active; the other coordinates are free: F.


3. The subspace minimisation (subspace.go).

Minimise q over the free coordinates only, at first without minding their
bounds. With Z the columns of the identity that belong to F, and the reduced
gradient at the Cauchy point

	r = Zᵀ(g + θ(xᶜ − x) − W M c),   c = Wᵀ(xᶜ − x),

the step is d = −(ZᵀBZ)⁻¹r, and the Sherman-Morrison-Woodbury formula gives

	(ZᵀBZ)⁻¹ = I/θ + ZᵀW K⁻¹ WᵀZ / θ²,   K = M⁻¹ − WᵀZZᵀW/θ,

again a 2m×2m system. The box is restored by clipping xᶜ + d to it, as Morales
and Nocedal propose [3]; only if that fails to point downhill is the step
shortened to the boundary instead, as in the first paper.


4. The line search (linesearch.go).

From x towards the subspace minimiser, find a step that satisfies the strong
Wolfe conditions, by the method of Moré and Thuente [4], without leaving the
box. Curvature that is positive enough then enters the memory as a new pair.


The constants are those of the authors' Fortran program, version 3.0 [3],
unless a comment says otherwise. As there, a model gone singular or a line
search that finds nothing better empties the memory, and the iteration is
tried once more along the projected gradient before giving up.

Points where φ or its gradient is not finite are legal anywhere but at the
start: the line search treats them as walls and backs off.

[1] R. H. Byrd, P. Lu, J. Nocedal, C. Zhu. A limited memory algorithm for
    bound constrained optimization. SIAM J. Sci. Comput. 16 (1995) 1190-1208.
[2] R. H. Byrd, J. Nocedal, R. B. Schnabel. Representations of quasi-Newton
    matrices and their use in limited memory methods. Math. Programming 63
    (1994) 129-156.
[3] J. L. Morales, J. Nocedal. Remark on "Algorithm 778: L-BFGS-B: Fortran
    subroutines for large-scale bound constrained optimization". ACM Trans.
    Math. Softw. 38 (2011) 7:1-7:4.
[4] J. J. Moré, D. J. Thuente. Line search algorithms with guaranteed
    sufficient decrease. ACM Trans. Math. Softw. 20 (1994) 286-307.

*/

// Func returns f(x) and, when grad is not nil, writes the gradient there. It
// must not change x, nor keep either slice.
type Func func(grad, x []float64) float64

// Settings say when to stop. The zero value works.
type Settings struct {
	// MaxIterations bounds the iterations; 0 means 200.
	MaxIterations int

	// MaxEvaluations bounds the calls of f; 0 means 10·MaxIterations.
	MaxEvaluations int

	// Memory is the number of past steps that model the curvature; 0 means 10.
	Memory int

	// FTol stops the search when one iteration improves f by no more than
	// FTol·max(|f before|, |f after|, 1). 0 means 1e-12; a negative number
	// turns the test off. The 1 makes the test absolute when f is small. If |f| is far below 1, use
	// a smaller FTol.
	FTol float64

	// GTol stops the search when no component of the projected gradient
	// P(x + ∇f) − x exceeds GTol in size. 0 means 1e-8; with a negative number
	// only a projected gradient of exactly zero stops the search.
	GTol float64

	// Stop, if not nil, is called after every iteration. If it returns true, the search ends.
	Stop func(iteration int, f float64) bool
}

// Values for settings that are zero. Iterations are cheap compared with the functions that this
// package is for, so the tolerances are tight. SciPy's are 2.2e-9 and 1e-5.
const (
	defaultMaxIterations           = 200
	defaultEvaluationsPerIteration = 10
	defaultMemory                  = 10
	defaultFTol                    = 1e-12
	defaultGTol                    = 1e-8
)

func (s Settings) withDefaults() Settings {
	s.MaxIterations = cmp.Or(max(s.MaxIterations, 0), defaultMaxIterations)
	s.MaxEvaluations = cmp.Or(max(s.MaxEvaluations, 0), defaultEvaluationsPerIteration*s.MaxIterations)
	s.Memory = cmp.Or(max(s.Memory, 0), defaultMemory)
	s.FTol, s.GTol = cmp.Or(s.FTol, defaultFTol), cmp.Or(s.GTol, defaultGTol)
	return s
}

// Reason says why a search ended.
type Reason int

const (
	// ConvergedGradient: the projected gradient is at most GTol.
	ConvergedGradient Reason = iota + 1
	// ConvergedValue: an iteration improved f, or was predicted to improve
	// it, by no more than FTol allows.
	ConvergedValue
	// IterationLimit: MaxIterations were done.
	IterationLimit
	// EvaluationLimit: f was called MaxEvaluations times.
	EvaluationLimit
	// NoProgress: no better point was found, even along the projected gradient. The function has a
	// kink there, its gradient is wrong, or its rounding errors exceed what is left to gain.
	NoProgress
	// Stopped: Settings.Stop said so.
	Stopped
	// NotFinite: f, its gradient or x itself is not finite at the start.
	NotFinite
)

// Result describes a search that has ended.
type Result struct {
	F           float64 // f at the returned point
	Iterations  int
	Evaluations int
	Reason      Reason
}

// A Workspace holds the scratch memory of a search. Its zero value is ready,
// it grows as needed and allocates nothing when used again for problems that
// are no larger. It is not for concurrent use.
type Workspace struct {
	objective   Func
	evaluations int

	box      box
	memory   memory
	cauchy   cauchySearch
	subspace subspace
	search   lineSearch

	here   point     // the iterate
	trial  point     // the line search's trial
	fall   point     // the best trial of the present line search
	best   point     // the best point of all; its gradient is not kept
	d      []float64 // direction of the line search; then the step s
	change []float64 // change y of the gradient
}

// A point is where φ = −f was evaluated.
type point struct {
	x, g   []float64
	value  float64 // φ; NaN or infinite if not finite
	finite bool    // x, value and gradient are
}

func (p *point) resize(n int) {
	p.x, p.g = resized(p.x, n), resized(p.g, n)
	p.value = math.Inf(1)
}

func (p *point) copyFrom(q *point) {
	copy(p.x, q.x)
	copy(p.g, q.g)
	p.value, p.finite = q.value, q.finite
}

// Maximise improves x in place inside [lower, upper]; x is first clipped into
// the box. A nil slice or an infinite entry means no bound; equal bounds fix
// their coordinate. On return x is the best point seen, and Result.F its value.
//
// Maximise panics if the slices differ in length or the box is empty.
func (w *Workspace) Maximise(f Func, x, lower, upper []float64, s Settings) Result {
	w.box.set(lower, upper, len(x))
	w.box.clip(x)
	s = s.withDefaults()
	w.resize(len(x), s.Memory)
	if !allFinite(x) {
		return Result{F: math.NaN(), Reason: NotFinite}
	}

	w.objective = f
	defer func() { w.objective = nil }() // let go of what the caller's closure holds

	copy(w.here.x, x)
	w.evaluate(&w.here)
	if !w.here.finite {
		return Result{F: -w.here.value, Evaluations: 1, Reason: NotFinite}
	}
	reason, iterations := w.minimise(s)
	copy(x, w.best.x)
	return Result{F: -w.best.value, Iterations: iterations, Evaluations: w.evaluations, Reason: reason}
}

func (w *Workspace) resize(n, memory int) {
	for _, p := range [...]*point{&w.here, &w.trial, &w.fall, &w.best} {
		p.resize(n)
	}
	w.d, w.change = resized(w.d, n), resized(w.change, n)
	w.memory.resize(n, memory)
	w.cauchy.resize(n, memory)
	w.subspace.resize(n, memory)
	w.evaluations = 0
}

// evaluate sets p's value and gradient: the only place that knows that f is
// to be maximised.
func (w *Workspace) evaluate(p *point) {
	w.evaluations++
	p.value = -w.objective(p.g, p.x)
	p.finite = p.value-p.value == 0 && allFinite(p.g)
	for i, gi := range p.g {
		p.g[i] = -gi
	}
	if p.finite && p.value < w.best.value {
		copy(w.best.x, p.x)
		w.best.value = p.value
	}
}

// minimise iterates from w.here until there is a reason to stop.
func (w *Workspace) minimise(s Settings) (reason Reason, iterations int) {
	if w.gradientConverged(s) {
		return ConvergedGradient, 0
	}
	if w.evaluations >= s.MaxEvaluations {
		return EvaluationLimit, 0
	}
	for {
		before := w.here.value
		if !w.improve(iterations == 0, s) {
			switch {
			case w.evaluations >= s.MaxEvaluations:
				return EvaluationLimit, iterations
			case w.promisedLittle(s):
				return ConvergedValue, iterations
			case w.memory.count == 0:
				return NoProgress, iterations
			}
			w.forget()
			continue
		}
		iterations++
		switch {
		case w.gradientConverged(s):
			return ConvergedGradient, iterations
		case before-w.here.value <= s.FTol*max(math.Abs(before), math.Abs(w.here.value), 1):
			return ConvergedValue, iterations
		case s.Stop != nil && s.Stop(iterations, -w.here.value):
			return Stopped, iterations
		case iterations >= s.MaxIterations:
			return IterationLimit, iterations
		case w.evaluations >= s.MaxEvaluations:
			return EvaluationLimit, iterations
		}
		w.learn()
	}
}

func (w *Workspace) gradientConverged(s Settings) bool {
	return w.box.projectedGradientNorm(w.here.x, w.here.g) <= max(s.GTol, 0)
}

// improve makes one iteration. It reports false, with w.here unchanged, if it
// finds no better point.
func (w *Workspace) improve(first bool, s Settings) bool {
	w.search.start.slope = math.Inf(-1) // promises nothing yet
	target, ok := w.modelMinimiser()
	if !ok {
		return false
	}
	slope, norm := 0.0, 0.0
	for i, t := range target {
		w.d[i] = t - w.here.x[i]
		slope += w.d[i] * w.here.g[i]
		norm += w.d[i] * w.d[i]
	}
	if !(slope < 0) || math.IsInf(slope, -1) || math.IsInf(norm, 1) {
		return false // not downhill, or not finite
	}
	step, longest := w.steps(first, math.Sqrt(norm))
	w.search.begin(w.here.value, slope, step, longest)
	return w.searchLine(target, s)
}

// modelMinimiser returns the (approximate) minimiser of the model in the box.
func (w *Workspace) modelMinimiser() ([]float64, bool) {
	x, g := w.here.x, w.here.g
	if w.memory.count == 0 {
		w.guessScale()
	}
	if w.box.bounded || w.memory.count == 0 {
		w.cauchy.find(&w.memory, &w.box, x, g)
	} else {
		// Without bounds the subspace is the whole space, whatever the start.
		copy(w.cauchy.x, x)
		clear(w.cauchy.c)
	}
	ok := w.subspace.minimise(&w.memory, &w.box, x, g, w.cauchy.x, w.cauchy.c)
	return w.subspace.x, ok
}

// guessScale lowers θ, which is only a guess while there are no pairs, until the step −g/θ is at
// least √ε of the size of x or of the room in the box. A shorter step would be lost in the rounding
// errors of x and of g. This is our addition; it matters only if the gradient is tiny.
func (w *Workspace) guessScale() {
	steepest, size := 0.0, 0.0
	for i, gi := range w.here.g {
		room := w.here.x[i] - w.box.lower[i]
		if gi < 0 {
			room = w.box.upper[i] - w.here.x[i]
		}
		if gi == 0 || room == 0 {
			continue
		}
		steepest = max(steepest, math.Abs(gi))
		size = max(size, math.Abs(w.here.x[i]))
		if !math.IsInf(room, 1) {
			size = max(size, room)
		}
	}
	if steepest < rootEpsilon*size*w.memory.theta {
		w.memory.theta = steepest / (rootEpsilon * size)
	}
}

// maxStep bounds the step when nothing else does (lnsrlb's value).
const maxStep = 1e10

// steps returns the first and the longest step along w.d. The full step 1 is tried first. But a
// model that has seen no curvature knows no scale either. In that case the first try has length 1,
// unless the box gives a scale. For the same reason the very first search in a box stops at the
// Cauchy point.
func (w *Workspace) steps(first bool, norm float64) (step, longest float64) {
	if first && w.box.bounded {
		longest = 1
	} else {
		// At least 1, as the target lies in the box but for rounding.
		longest = max(1, w.box.longestStep(w.here.x, w.d, maxStep))
	}
	if w.memory.count == 0 && !w.box.boxed {
		return min(1/norm, longest), longest
	}
	return 1, longest
}

// searchLine moves w.here to a better point along w.d, whose full step leads to target.
func (w *Workspace) searchLine(target []float64, s Settings) bool {
	w.fall.value = w.here.value
	for {
		w.moveTrial(target)
		slope := math.NaN()
		if allFinite(w.trial.x) {
			w.evaluate(&w.trial)
		} else {
			w.trial.finite = false // overflowed: no place to call f
		}
		if w.trial.finite {
			slope = dot(w.trial.g, w.d)
			if w.trial.value < w.fall.value {
				w.fall.copyFrom(&w.trial)
			}
		}
		verdict := w.search.judge(w.trial.value, slope)
		if verdict == accept {
			w.take(&w.trial)
			return true
		}
		if verdict == exhausted || w.evaluations >= s.MaxEvaluations {
			if !(w.fall.value < w.here.value) {
				return false
			}
			w.take(&w.fall)
			return true
		}
	}
}

// moveTrial sets the trial point to the line search's step.
func (w *Workspace) moveTrial(target []float64) {
	if w.search.step == 1 {
		copy(w.trial.x, target) // exact, at the bounds too
		return
	}
	for i, di := range w.d {
		w.trial.x[i] = w.here.x[i] + w.search.step*di
	}
	w.box.clip(w.trial.x)
}

// take makes p the iterate, and w.d and w.change the pair (s, y).
func (w *Workspace) take(p *point) {
	for i, xi := range p.x {
		w.d[i] = xi - w.here.x[i]
		w.change[i] = p.g[i] - w.here.g[i]
	}
	w.here, *p = *p, w.here
}

// flattening divides θ after a step that met no curvature while no pair is known. On a linear function the Cauchy path then soon reaches the
// corner of the box, instead of one bound in each iteration. It is our addition.
const flattening = 10

// learn adds the last step to the memory, unless its curvature is not clearly
// positive: sᵀy ≤ ε·(−gᵀs).
func (w *Workspace) learn() {
	sy := dot(w.d, w.change)
	fall := sy - dot(w.d, w.here.g) // −gᵀs with the old gradient, g − y
	yy := dot(w.change, w.change)
	if sy <= epsilon*fall || !(yy/sy > 0) || math.IsInf(yy/sy, 1) {
		if w.memory.count == 0 && math.Abs(sy) <= rootEpsilon*fall {
			w.memory.theta /= flattening
		}
		return
	}
	if !w.memory.add(w.d, w.change, sy, yy) {
		w.forget()
	}
}

func (w *Workspace) forget() {
	w.memory.reset()
	w.subspace.gram.invalidate()
}

// promisedLittle reports whether the failed line search could gain, to first order, no more than
// FTol asks for. In that case it failed because of rounding.
func (w *Workspace) promisedLittle(s Settings) bool {
	return -w.search.start.slope <= s.FTol*max(math.Abs(w.here.value), 1)
}
