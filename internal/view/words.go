package view

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Amount is money with its unit: "3.1 core-hours", "$3.1", or, where the cost is wall time, "2m30s".
func Amount(s *study.Study, x float64) string {
	unit := clean(s.Cost.Unit)
	switch {
	case s.Measured():
		return duration(x)
	case unit == "":
		return money(x)
	case slices.Contains([]string{"$", "€", "£", "¥"}, unit):
		return unit + money(x)
	}
	return money(x) + " " + unit
}

// bare is an amount beside others of the same unit: only the last of them has to name it.
func bare(s *study.Study, x float64) string {
	if s.Measured() {
		return duration(x)
	}
	return money(x)
}

// number has four digits, as tell values of an objective apart; money has three.
func number(x float64) string { return rounded(x, 4) }

func money(x float64) string { return rounded(x, 3) }

// rounded drops trailing zeros, and has an exponent if x is very large or small.
func rounded(x float64, digits int) string {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case a == 0:
		return "0"
	case a >= 1e-4 && a < 1e6:
		return trimZeros(strconv.FormatFloat(x, 'f', max(0, digits-1-int(math.Floor(math.Log10(a)))), 64))
	}
	return shortExponent(strconv.FormatFloat(x, 'e', digits-1, 64))
}

func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// shortExponent makes 1e300 of 1.000e+300.
func shortExponent(text string) string {
	mantissa, exponent, found := strings.Cut(text, "e")
	if !found {
		return text
	}
	sign := ""
	if exponent[0] == '-' {
		sign = "-"
	}
	return trimZeros(mantissa) + "e" + sign + strings.TrimLeft(exponent, "+-0")
}

// duration is a time in seconds as people say it; the larger it is, the coarser.
func duration(seconds float64) string {
	if seconds < 0 {
		return "-" + duration(-seconds)
	}
	two := func(n, of int64, big, small string) string {
		text := strconv.FormatInt(n/of, 10) + big
		if rest := n % of; rest > 0 {
			text += strconv.FormatInt(rest, 10) + small
		}
		return text
	}
	switch whole := math.Round(seconds); {
	case seconds == 0:
		return "0s"
	case !(seconds < 1e9): // NaN, too
		return money(seconds) + "s"
	case seconds < 0.9995:
		return milliseconds(seconds*1e3) + "ms"
	case seconds < 9.95:
		return trimZeros(strconv.FormatFloat(seconds, 'f', 1, 64)) + "s"
	case whole < 60:
		return strconv.FormatInt(int64(whole), 10) + "s"
	case whole < 3600:
		return two(int64(whole), 60, "m", "s")
	case whole < 48*3600:
		return two(int64(math.Round(seconds/60)), 60, "h", "m")
	}
	return two(int64(math.Round(seconds/3600)), 24, "d", "h")
}

// milliseconds have digits after the point only where there are few before it.
func milliseconds(x float64) string {
	if x >= 10 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return money(x)
}

// clock is a time that is watched as it passes: tenths of a second are its last digit, so that it does not flicker.
func clock(d time.Duration) string { return watched(d.Seconds()) }

func watched(seconds float64) string {
	if seconds < 9.95 {
		return strconv.FormatFloat(math.Max(seconds, 0), 'f', 1, 64) + "s"
	}
	return duration(math.Floor(seconds))
}

// ago says how long before now something was.
func ago(now, then time.Time) string {
	if d := now.Sub(then); d >= time.Second {
		return duration(math.Round(d.Seconds())) + " ago"
	}
	return "just now"
}

// setting lists a trial's parameters in the study's order. Those with one value alone tell nothing.
func setting(s *study.Study, values space.Setting) string {
	var list []string
	for _, p := range s.Parameters {
		v, exists := values[p.Name]
		if !exists || p.Kind == space.KindFixed {
			continue
		}
		text := clean(v.String())
		if x, ok := v.Any().(float64); ok {
			text = number(x)
		} else if strings.ContainsAny(text, " =") || text == "" {
			text = strconv.Quote(text)
		}
		list = append(list, clean(p.Name)+"="+text)
	}
	return strings.Join(list, " ")
}

// clean is the first line of a text, without what would disturb a terminal.
func clean(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = ansi.Strip(strings.ToValidUTF8(text, "\ufffd"))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text))
}

// plural is "1 trial" and "2 trials".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
