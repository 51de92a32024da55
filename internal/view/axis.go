package view

import (
	"math"

	"github.com/eke-bo/eke/internal/say"
)

// axis places numbers on a line from 0 to 1, and knows which of them to write beside it.
type axis struct {
	lo, hi float64
	log    bool
	ticks  []float64
	label  func(float64) string
}

// at is the place of v, from 0 to 1. Halves are subtracted because the difference of two floats may not be one.
func (a axis) at(v float64) float64 {
	place := (v/2 - a.lo/2) / (a.hi/2 - a.lo/2)
	if a.log {
		place = (math.Log10(v) - math.Log10(a.lo)) / (math.Log10(a.hi) - math.Log10(a.lo))
	}
	if math.IsNaN(place) {
		return 0
	}
	return math.Min(math.Max(place, 0), 1)
}

// valueAxis has about n ticks. It begins and ends at one where one is near.
func valueAxis(lo, hi float64, n int) axis {
	if hi-lo <= math.Abs(hi)*1e-9 { // as good as equal
		gap := math.Max(math.Abs(hi)*0.1, math.SmallestNonzeroFloat64*1e3)
		if hi == 0 {
			gap = 1
		}
		lo, hi = lo-gap, hi+gap
	}
	lo, hi = finite(lo), finite(hi)
	step := finite(say.TickStep((hi/2-lo/2)/math.Max(float64(n)/2, 1), false))
	a := axis{lo: lo, hi: hi}
	low, high := math.Floor(lo/step+1e-9)*step, math.Ceil(hi/step-1e-9)*step
	if lo-low < step/2 {
		a.lo = finite(low)
	}
	if high-hi < step/2 {
		a.hi = finite(high)
	}
	if len(every(step, a.lo, a.hi)) < 2 {
		a.lo, a.hi = finite(low), finite(high)
	}
	if !(a.lo < a.hi) { // the step was too small to be a number
		a.lo, a.hi = lo, hi
	}
	largest := math.Max(math.Abs(a.lo), math.Abs(a.hi))
	a.ticks, a.label = every(step, a.lo, a.hi), func(v float64) string { return say.Tick(v, step, largest) }
	return a
}

// logAxis has a tick at powers of ten, each of them or as many as n allows.
func logAxis(lo, hi float64, n int) axis {
	a := axis{lo: lo, hi: hi, log: true, label: say.Number}
	first, last := math.Ceil(math.Log10(lo)-1e-9), math.Floor(math.Log10(hi)+1e-9)
	stride := math.Max(1, math.Ceil((last-first+1)/float64(n)))
	for k := first; k <= last; k += stride {
		a.ticks = append(a.ticks, math.Pow(10, k))
	}
	return a
}

// moneyAxis goes from 0 to the end; times have ticks as on a clock.
func moneyAxis(end float64, n int, isTime bool) axis {
	step := say.TickStep(end/float64(n), false)
	label := func(v float64) string { return say.Tick(v, step, end) }
	if isTime {
		step, label = say.ClockStep(end/float64(n)), say.Duration
	}
	return axis{hi: end, ticks: every(step, 0, end), label: label}
}

// every lists the multiples of step between lo and hi.
func every(step, lo, hi float64) (list []float64) {
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	if !(step > 0) || !(last-first < 50) || math.Abs(first) > 1e12 {
		return nil
	}
	for i := range int(last-first) + 1 {
		if v := (first + float64(i)) * step; v == finite(v) {
			list = append(list, v)
		}
	}
	return list
}

func finite(x float64) float64 { return math.Min(math.Max(x, -math.MaxFloat64), math.MaxFloat64) }
