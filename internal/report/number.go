package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// nothing stands where there is no number.
const nothing = "–"

// number writes four significant digits, without an exponent where people would not write one.
func number(v float64) string { return digits(v, 4) }

func digits(v float64, n int) string {
	switch size := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return nothing
	case size == 0:
		return "0"
	case size < 1e-3 || size >= 1e7:
		return exponent(strconv.FormatFloat(v, 'e', n-1, 64))
	default:
		decimals := max(n-1-int(math.Floor(math.Log10(size))), 0)
		return grouped(trimZeros(strconv.FormatFloat(v, 'f', decimals, 64)))
	}
}

// exponent turns 1.500e-07 into 1.5e-7.
func exponent(s string) string {
	mantissa, power, _ := strings.Cut(s, "e")
	sign := ""
	if power[0] == '-' {
		sign = "-"
	}
	return trimZeros(mantissa) + "e" + sign + strings.TrimLeft(power[1:], "0")
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// grouped sets commas into whole parts of five digits and more.
func grouped(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if len(whole) < 5 {
		return s
	}
	var b strings.Builder
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if rest != "" {
		rest = "." + rest
	}
	return sign + b.String() + rest
}

// amount writes a cost with its unit; wall time as people say it.
func amount(c study.Cost, v float64) string {
	if c.Source == study.Walltime && (c.Unit == "seconds" || c.Unit == "") {
		return duration(v)
	}
	return strings.TrimSpace(number(v) + " " + c.Unit)
}

// duration writes seconds in the two largest units that matter.
func duration(seconds float64) string {
	two := func(big, small float64, bigName, smallName string) string {
		n := math.Round(seconds / small)
		whole := math.Floor(n * small / big)
		rest := n - whole*big/small
		if rest == 0 {
			return number(whole) + " " + bigName
		}
		return number(whole) + " " + bigName + " " + number(rest) + " " + smallName
	}
	switch {
	case math.IsNaN(seconds) || math.IsInf(seconds, 0):
		return nothing
	case seconds == 0:
		return "0 s"
	case math.Abs(seconds) < 1:
		return digits(seconds*1000, 3) + " ms"
	case seconds < 60:
		return digits(seconds, 3) + " s"
	case seconds < 3600:
		return two(60, 1, "min", "s")
	case seconds < 48*3600:
		return two(3600, 60, "h", "min")
	default:
		return two(86400, 3600, "d", "h")
	}
}

// valueText writes a parameter's value: floats short, all else as it stands on a command line.
func valueText(v space.Value) string {
	if v.IsZero() {
		return nothing
	}
	if f, ok := v.Any().(float64); ok {
		return number(f)
	}
	return v.String()
}

// short cuts a text to n characters.
func short(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(strconv.Itoa(n)) + " " + many
}
