package say

import (
	"math"
	"time"
)

const (
	minute = 60.0
	hour   = 60 * minute
	day    = 24 * hour
)

// Duration writes seconds in the one or two units that matter: "420µs", "3.14s", "2m30s", "1h30m", "2d8h". A
// study file has them without days: 56h. Less than half a microsecond is nothing: no clock measured it.
func Duration(seconds float64) string {
	switch s := seconds; {
	case !finite(s):
		return Nothing
	case math.Abs(s) < 0.5e-6:
		return "0s"
	case s < 0:
		return "-" + Duration(-s)
	case s < 0.9995e-3:
		return fixed(s*1e6, 0) + "µs"
	case s < 0.9995:
		return plain(s*1e3, 3) + "ms"
	case s < 59.95:
		return plain(s, 3) + "s"
	case s < hour-0.5:
		return two(s, minute, 1, "m", "s")
	case s < 2*day-30:
		return two(s, hour, minute, "h", "m")
	case s < 100*day:
		return two(s, day, hour, "d", "h")
	default:
		return Digits(math.Floor(s/day+0.5), 4) + "d"
	}
}

// two writes a number of large units and the rest in small ones.
func two(seconds, large, small float64, largeName, smallName string) string {
	n, per := math.Floor(seconds/small+0.5), large/small
	text := fixed(math.Floor(n/per), 0) + largeName
	if rest := math.Mod(n, per); rest > 0 {
		text += fixed(rest, 0) + smallName
	}
	return text
}

// Clock writes a time that is watched as it passes. Tenths of a second are its last digit, so that it does not flicker.
func Clock(seconds float64) string {
	if seconds < 10 {
		return fixed(math.Floor(10*math.Max(seconds, 0))/10, 1) + "s"
	}
	return Duration(math.Floor(seconds))
}

// Ago writes how long before now something was.
func Ago(now, then time.Time) string {
	seconds := now.Sub(then).Seconds()
	if seconds < 2 {
		return "just now"
	}
	return Duration(math.Floor(seconds)) + " ago"
}
