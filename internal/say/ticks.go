package say

import "math"

// Range is what an axis covers, from Lo to Hi.
type Range struct {
	Lo, Hi float64
	Log    bool // logarithmic; Lo is above 0
	Whole  bool // nothing but whole numbers
	Clock  bool // seconds, divided like a clock
}

// Tick is a number on an axis with its label.
type Tick struct {
	Value float64
	Label string
}

// Ticks returns about n round numbers.
func (r Range) Ticks(n int) []Tick {
	if decades := math.Log10(r.Hi) - math.Log10(r.Lo); r.Log && decades >= 0.7 {
		return r.powers(n, decades)
	}
	return r.Multiples(r.Step(n))
}

// Step is the distance of about n ticks: 1, 2, 2.5 or 5 times a power of ten; 0 if there is none.
func (r Range) Step(n int) float64 {
	parts := float64(max(n, 1))
	least := r.Hi/parts - r.Lo/parts
	if r.Clock {
		return clockStep(least)
	}
	return step(least, r.Whole)
}

// Multiples are those of a step. Their labels have as many decimals as the step.
func (r Range) Multiples(step float64) (list []Tick) {
	first, last := math.Ceil(r.Lo/step-1e-9), math.Floor(r.Hi/step+1e-9)
	if !(step > 0) || !(last-first < 100) || math.Abs(first) > 1e12 {
		return nil
	}
	for k := range int(last-first) + 1 {
		t := Tick{Value: (first + float64(k)) * step}
		if t.Label = tickLabel(t.Value, step, math.Max(math.Abs(r.Lo), math.Abs(r.Hi))); r.Clock {
			t.Label = Duration(t.Value)
		}
		if finite(t.Value) {
			list = append(list, t)
		}
	}
	return list
}

// powers are powers of ten, all or every so many; where there is room, numbers between them as well.
func (r Range) powers(n int, decades float64) (list []Tick) {
	marks, every, label := []float64{1}, 1.0, Number
	switch {
	case 3*decades <= float64(n+2):
		marks = []float64{1, 2, 5}
	case 2*decades <= float64(n+2):
		marks = []float64{1, 3}
	case decades > float64(n):
		every = math.Ceil(decades / float64(n))
	}
	if r.Clock {
		label = Duration
	}
	slack := math.Pow(10, 1e-9*decades)
	for k := math.Floor(math.Log10(r.Lo)); k <= math.Log10(r.Hi)+1e-9; k++ {
		for _, m := range marks {
			if v := m * math.Pow(10, k); v >= r.Lo/slack && v/slack <= r.Hi && math.Mod(k, every) == 0 {
				list = append(list, Tick{v, label(v)})
			}
		}
	}
	return list
}

func step(least float64, whole bool) float64 {
	if !(least > 0) || math.IsInf(least, 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if s := m * power; s >= least*(1-1e-9) && (!whole || s == math.Trunc(s)) {
			return s
		}
	}
	if whole {
		return math.Max(10*power, 1)
	}
	return 10 * power
}

func clockStep(least float64) float64 {
	if !(least > 1) {
		return step(least, false)
	}
	for _, s := range []float64{2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
		hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day} {
		if s >= least*(1-1e-9) {
			return s
		}
	}
	return day * step(least/day, true)
}

// tickLabel has as many decimals as the step; on axes of very large or small numbers, as many digits as tell one tick
// from the next.
func tickLabel(v, step, largest float64) string {
	if !(math.Abs(v) >= step/2) {
		return "0"
	}
	decimals := 0
	for rest := step; decimals < 7 && math.Abs(rest-math.Round(rest)) > 1e-6*rest; rest *= 10 {
		decimals++
	}
	if math.Max(largest, math.Abs(v)) >= 1e7 || decimals > 5 {
		return Digits(v, max(int(math.Ceil(math.Log10(largest/step)+1e-9))+1, 1))
	}
	return grouped(fixed(v, decimals))
}
