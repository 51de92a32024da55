package lbfgsb

import "math"

/*

L-BFGS-B, after Byrd, Lu, Nocedal and Zhu.

The problem is: maximise f(x) subject to lᵢ ≤ xᵢ ≤ uᵢ, given f and ∇f. The
papers minimise, so the sign is flipped once, at the door (evaluate in
workspace.go): everything else in this package minimises φ = −f, and g = ∇φ.

One iteration, from the point x with gradient g, goes through four steps.


1. The model (memory.go, quasidefinite.go).

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


4. The line search (linesearch.go, interpolate.go).

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
	if s.MaxIterations <= 0 {
		s.MaxIterations = defaultMaxIterations
	}
	if s.MaxEvaluations <= 0 {
		s.MaxEvaluations = defaultEvaluationsPerIteration * s.MaxIterations
	}
	if s.Memory <= 0 {
		s.Memory = defaultMemory
	}
	if s.FTol == 0 {
		s.FTol = defaultFTol
	}
	if s.GTol == 0 {
		s.GTol = defaultGTol
	}
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

var reasonNames = [...]string{
	ConvergedGradient: "projected gradient converged",
	ConvergedValue:    "value converged",
	IterationLimit:    "iteration limit reached",
	EvaluationLimit:   "evaluation limit reached",
	NoProgress:        "no progress in the line search",
	Stopped:           "stopped by the caller",
	NotFinite:         "start not finite",
}

func (r Reason) String() string {
	if r <= 0 || int(r) >= len(reasonNames) {
		return "unknown reason"
	}
	return reasonNames[r]
}

// Result describes a search that has ended.
type Result struct {
	F           float64 // f at the returned point
	Iterations  int
	Evaluations int
	Reason      Reason
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
