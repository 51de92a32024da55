package lbfgsb

import "math"

// Constants of the line search: those of L-BFGS-B 3.0 (subroutine lnsrlb)
// and, for the last four, of Moré and Thuente's program (MINPACK-2, dcsrch).
const (
	sufficientDecrease = 1e-3 // μ of the Wolfe conditions
	sufficientFlatness = 0.9  // η of the Wolfe conditions
	narrowestBracket   = 0.1  // relative to its upper end
	maxTrials          = 20   // evaluations in one search

	shortestExtension = 1.1
	longestExtension  = 4
	bracketReduction  = 0.66 // expected of any two trials
	bracketLimit      = 0.66 // of the way to the far end of the bracket
)

// wallRetreat is the fraction of the way from the best step towards a point that
// is not finite at which the next trial is made. It undoes one longest
// extension; twenty retreats shorten a step by 4²⁰ ≈ 10¹².
const wallRetreat = 1.0 / longestExtension

// A verdict is the line search's decision about a trial.
type verdict int

const (
	goOn      verdict = iota
	accept            // the trial satisfies the strong Wolfe conditions, or lies at the longest step
	exhausted         // nothing is to be gained by more trials; take the best of them
)

// A lineSearch looks for a step t > 0 that satisfies the strong Wolfe
// conditions for φ(t), the objective along a descent direction ([4]):
//
//	φ(t) ≤ φ(0) + μ φ′(0) t   and   |φ′(t)| ≤ η |φ′(0)|.
//
// It keeps the best step so far and, once a minimum is bracketed, the bracket's
// other end. In the first stage, until a trial has shown sufficient decrease
// and a slope that is not negative, it works on ψ(t) = φ(t) − φ(0) − μφ′(0)t
// instead of φ, as a minimiser of ψ is sure to satisfy both conditions.
type lineSearch struct {
	start sample
	best  sample // an end of the bracket, with the lower value
	other sample // the other end; meaningful if bracketed

	step             float64 // the trial to make
	longest          float64
	wall             float64 // the shortest step known not to be finite
	lowest, highest  float64 // where the next trial may lie
	bracketed        bool
	firstStage       bool
	width, lastWidth float64 // of the bracket, now and one trial ago
	trials           int
}

// begin starts a search at value and slope < 0. The first trial is at step.
func (l *lineSearch) begin(value, slope, step, longest float64) {
	at := sample{0, value, slope}
	*l = lineSearch{
		start: at, best: at, other: at,
		step: step, longest: longest, wall: math.Inf(1),
		lowest: 0, highest: step + longestExtension*step,
		firstStage: true,
		width:      longest, lastWidth: 2 * longest,
	}
}

// judge takes the value and slope at l.step. If the verdict is to continue, l.step is the next
// trial.
func (l *lineSearch) judge(value, slope float64) verdict {
	l.trials++
	if value-value != 0 || slope-slope != 0 {
		return l.retreat()
	}
	ceiling := l.start.value + l.step*sufficientDecrease*l.start.slope
	low := value <= ceiling
	if l.firstStage && low && slope >= 0 {
		l.firstStage = false
	}
	switch {
	case low && math.Abs(slope) <= sufficientFlatness*-l.start.slope:
		return accept
	case l.step == l.longest && low && slope <= sufficientDecrease*l.start.slope:
		return accept // φ still falls at the longest step
	case l.bracketed && (l.step <= l.lowest || l.step >= l.highest), l.trials >= maxTrials:
		return exhausted
	}
	l.shrink(sample{l.step, value, slope}, low)
	return l.propose()
}

// retreat makes the next trial after a point that is not finite.
func (l *lineSearch) retreat() verdict {
	if l.trials >= maxTrials {
		return exhausted
	}
	if l.step > l.best.step {
		l.wall = l.step
	}
	l.step = l.best.step + wallRetreat*(l.step-l.best.step)
	if !l.bracketed {
		l.limitExtension()
	}
	return l.affirm()
}

// shrink updates the bracket with a trial and chooses the next one, on ψ or φ.
func (l *lineSearch) shrink(trial sample, low bool) {
	if l.firstStage && trial.value <= l.best.value && !low {
		tilt := sufficientDecrease * l.start.slope
		best, other, tilted := l.best.tilted(tilt), l.other.tilted(tilt), trial.tilted(tilt)
		l.step = l.nextStep(&best, &other, tilted)
		l.best, l.other = best.tilted(-tilt), other.tilted(-tilt)
		return
	}
	l.step = l.nextStep(&l.best, &l.other, trial)
}

// tilted subtracts the line of the given slope from the function sampled.
func (s sample) tilted(slope float64) sample {
	return sample{s.step, s.value - s.step*slope, s.slope - slope}
}

// nextStep is the heart of [4], section 4: from both ends of the bracket and a
// trial it chooses the next trial by safeguarded interpolation, and puts the
// trial into the bracket.
func (l *lineSearch) nextStep(best, other *sample, trial sample) float64 {
	turned := (trial.slope < 0) != (best.slope < 0) && trial.slope != 0 && best.slope != 0
	var next float64
	switch {
	case trial.value > best.value:
		// Higher: a minimum is bracketed. The cubic if closer to the best
		// step, else half-way between it and the parabola.
		cubic, quadratic := cubicMinimiser(*best, trial), quadraticMinimiser(*best, trial)
		next = cubic
		if math.Abs(cubic-best.step) >= math.Abs(quadratic-best.step) {
			next = cubic + (quadratic-cubic)/2
		}
		l.bracketed = true
	case turned:
		// Lower, uphill: bracketed too. The one farther from the trial.
		cubic, secant := cubicMinimiser(trial, *best), secantMinimiser(*best, trial)
		next = secant
		if math.Abs(cubic-trial.step) > math.Abs(secant-trial.step) {
			next = cubic
		}
		l.bracketed = true
	case math.Abs(trial.slope) < math.Abs(best.slope):
		next = l.extrapolate(*best, *other, trial)
	case l.bracketed:
		// Lower, and no less steep: the minimum lies towards the other end.
		next = cubicMinimiser(trial, *other)
	case trial.step > best.step:
		next = l.highest
	default:
		next = l.lowest
	}
	switch {
	case trial.value > best.value:
		*other = trial
	case turned:
		*other, *best = *best, trial
	default:
		*best = trial
	}
	return next
}

// extrapolate chooses the next step after a trial that is lower and less
// steep: the minimum lies beyond it.
func (l *lineSearch) extrapolate(best, other, trial sample) float64 {
	secant := secantMinimiser(best, trial)
	cubic := cubicMinimiser(trial, best)
	if !((cubic-trial.step)*(trial.step-best.step) > 0) {
		// The cubic has its minimum behind, or falls for ever.
		cubic = l.highest
		if trial.step < best.step {
			cubic = l.lowest
		}
	}
	cubicCloser := math.Abs(cubic-trial.step) < math.Abs(secant-trial.step)
	if !l.bracketed {
		next := secant
		if !cubicCloser {
			next = cubic
		}
		return max(l.lowest, min(l.highest, next))
	}
	next := secant
	if cubicCloser {
		next = cubic
	}
	limit := trial.step + bracketLimit*(other.step-trial.step)
	if trial.step > best.step {
		return min(limit, next)
	}
	return max(limit, next)
}

// propose safeguards the next step.
func (l *lineSearch) propose() verdict {
	if l.bracketed {
		width := math.Abs(l.other.step - l.best.step)
		if width >= bracketReduction*l.lastWidth {
			l.step = l.best.step + 0.5*(l.other.step-l.best.step)
		}
		l.lastWidth, l.width = l.width, width
		l.lowest, l.highest = min(l.best.step, l.other.step), max(l.best.step, l.other.step)
		if l.highest-l.lowest <= narrowestBracket*l.highest {
			return exhausted
		}
	} else {
		l.limitExtension()
	}
	l.step = max(0, min(l.longest, l.step))
	if l.bracketed && !(l.lowest < l.step && l.step < l.highest) {
		return exhausted
	}
	if l.step >= l.wall {
		l.step = l.best.step + 0.5*(l.wall-l.best.step)
	}
	return l.affirm()
}

// limitExtension says how far beyond the next trial the one after may lie while
// there is no bracket.
func (l *lineSearch) limitExtension() {
	l.lowest = l.step + shortestExtension*(l.step-l.best.step)
	l.highest = l.step + longestExtension*(l.step-l.best.step)
}

// affirm checks whether the next step is worth a trial.
func (l *lineSearch) affirm() verdict {
	atWall := l.best.step >= (1-narrowestBracket)*l.wall
	if atWall || l.step == l.best.step {
		return exhausted
	}
	return goOn
}

// A sample is a step of the line search with the value and the slope there.
type sample struct {
	step, value, slope float64
}

// cubicMinimiser returns where the cubic through two samples has its minimum.
//
// With θ = 3(φ₀ − φ₁)/(t₁ − t₀) + φ′₀ + φ′₁ and γ = ±√(θ² − φ′₀φ′₁), the cubic's
// derivative vanishes at t₀ + ρ(t₁ − t₀), ρ = (γ − φ′₀ + θ)/(2γ − φ′₀ + φ′₁), and
// γ with the sign of t₁ − t₀ picks the minimum. The square root is scaled
// against overflow. If the cubic has no minimum, γ² < 0, zero stands for γ.
func cubicMinimiser(p, q sample) float64 {
	theta := 3*(p.value-q.value)/(q.step-p.step) + p.slope + q.slope
	scale := max(math.Abs(theta), math.Abs(p.slope), math.Abs(q.slope))
	if scale == 0 {
		return q.step
	}
	t := theta / scale
	gamma := scale * math.Sqrt(max(0, t*t-(p.slope/scale)*(q.slope/scale)))
	if q.step < p.step {
		gamma = -gamma
	}
	rho := (gamma - p.slope + theta) / (2*gamma - p.slope + q.slope)
	return p.step + rho*(q.step-p.step)
}

// quadraticMinimiser returns the minimiser of the parabola through p, with its
// slope, and q.
func quadraticMinimiser(p, q sample) float64 {
	h := q.step - p.step
	return p.step + 0.5*h*p.slope/((p.value-q.value)/h+p.slope)
}

// secantMinimiser returns where the straight line through both slopes is zero.
func secantMinimiser(p, q sample) float64 {
	return q.step + q.slope/(q.slope-p.slope)*(p.step-q.step)
}
