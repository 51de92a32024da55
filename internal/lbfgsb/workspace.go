package lbfgsb

import "math"

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
