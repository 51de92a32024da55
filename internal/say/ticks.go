package say

import "math"

// TickStep is the distance of ticks on an axis: the smallest of 1, 2, 2.5 and 5 times a power of ten that is not below
// least, and itself whole if that is wanted; 0 if there is none.
func TickStep(least float64, whole bool) float64 {
	if !(least > 0) || math.IsInf(least, 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		step := m * power
		if step >= least*(1-1e-9) && (!whole || step == math.Trunc(step)) {
			return step
		}
	}
	if whole {
		return math.Max(10*power, 1)
	}
	return 10 * power
}

// ClockStep is TickStep for seconds, as clocks are divided.
func ClockStep(least float64) float64 {
	const minute, hour, day = 60, 3600, 86400
	if !(least > 1) {
		return TickStep(least, false)
	}
	for _, step := range []float64{2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
		hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day} {
		if step >= least*(1-1e-9) {
			return step
		}
	}
	return day * TickStep(least/day, true)
}

// Tick labels a tick with as many decimals as the step has; on axes of very large or small numbers, with as many
// digits as tell one tick from the next.
func Tick(v, step, largest float64) string {
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
