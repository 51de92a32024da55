package lbfgsb

import "math"

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

// flattening divides θ after a step that met no curvature while no pair is
// known: on a linear function the Cauchy path then soon reaches the corner of
// the box, instead of one bound an iteration. It is our addition.
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
