package say

import (
	"fmt"
	"strings"
)

// Estimate writes a value, "0.21", and the band that holds it with a chance of 80%, "80% between 0.12 and 0.3". Each end has the digits
// that its distance from the value leaves, and the value those of the nearer end. The band is empty if it has no width.
func Estimate(value, low, high float64) (text, band string) {
	half := (high - low) / 2
	if !(half > 0) || !finite(half) || !finite(value) {
		return Number(value), ""
	}
	below, above := value-low, high-value
	if !(below > 0) || !(above > 0) {
		below, above = half, half
	}
	return within(value, min(below, above)), fmt.Sprintf("80%% between %s and %s", within(low, below), within(high, above))
}

// within writes the digits that an uncertainty leaves.
func within(x, uncertainty float64) string {
	_, power := parts(uncertainty)
	if _, top := parts(x); power < -4 || power >= 7 || top >= 7 {
		return Number(x)
	}
	return grouped(trimmed(fixed(x, 1-power)))
}

// mostSeen is how many values are listed one by one.
const mostSeen = 6

// Seen writes the values that were observed at a setting: "seen there: -0.31, 0.45", or how many there are and their range.
func Seen(values []float64) string {
	if len(values) > mostSeen {
		low, high := values[0], values[0]
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
		return fmt.Sprintf("seen there: %s between %s and %s", Count(len(values), "value"), Number(low), Number(high))
	}
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = Number(v)
	}
	return "seen there: " + strings.Join(list, ", ")
}
