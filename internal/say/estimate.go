package say

import (
	"fmt"
	"strings"
)

// Estimate writes a value, "0.21", and the band that holds it with a chance of 80%, "80% between 0.12 and 0.3". Both have the digits
// that the width of the band leaves. The band is empty if it has no width.
func Estimate(value, low, high float64) (text, band string) {
	half := (high - low) / 2
	if !(half > 0) || !finite(half) || !finite(value) {
		return Number(value), ""
	}
	write := Number
	if _, power := parts(half); power >= -4 && power < 7 {
		write = func(x float64) string {
			if _, top := parts(x); top >= 7 {
				return Number(x)
			}
			return grouped(trimmed(fixed(x, 1-power)))
		}
	}
	return write(value), fmt.Sprintf("80%% between %s and %s", write(low), write(high))
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
