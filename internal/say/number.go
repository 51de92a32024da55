package say

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Nothing stands where there is no number.
const Nothing = "–"

// Number writes four significant digits, enough to tell values of an objective apart. Whole parts are written in full,
// with commas from five digits on; below 0.0001 and from ten million on there is an exponent.
func Number(x float64) string { return Digits(x, 4) }

// Digits is Number with another count of digits.
func Digits(x float64, n int) string { return grouped(plain(x, n)) }

// DigitsApart is how many digits tell numbers of a list apart, as far as they differ: at least as many as Number writes.
func DigitsApart(list []float64) int {
	const fewest, most = 4, 15
	for n := fewest; n < most; n++ {
		as := map[string]float64{}
		if !slices.ContainsFunc(list, func(x float64) bool {
			text := Digits(x, n)
			other, written := as[text]
			as[text] = x
			return written && other != x
		}) {
			return n
		}
	}
	return most
}

// Percent writes a share. Only nothing is "0%" and only all is "100%".
func Percent(share float64) string {
	switch p := 100 * share; {
	case !finite(p):
		return Nothing
	case p > 0 && p < 1:
		return "<1%"
	case p > 99 && p < 100:
		return ">99%"
	case p > 999:
		return ">999%"
	default:
		return fixed(p, 0) + "%"
	}
}

// Count writes "1 trial", "2 trials".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(strconv.Itoa(n)) + " " + noun + "s"
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// plain is Digits without commas.
func plain(x float64, n int) string {
	if !finite(x) {
		return Nothing
	}
	mantissa, power := parts(x)
	if power < -4 || power >= 7 {
		if mantissa = rounded(mantissa, n-1); strings.HasPrefix(mantissa, "10") {
			mantissa, power = "1", power+1
		}
	}
	switch {
	case x == 0:
		return "0"
	case power >= -4 && power < 7:
		return trimmed(fixed(x, n-1-power))
	}
	return signed(x, trimmed(mantissa)) + "e" + strconv.Itoa(power)
}

// parts splits a number into the digits of its shortest form, such as 1.25, and a power of ten.
func parts(x float64) (mantissa string, power int) {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', -1, 64), "e")
	power, _ = strconv.Atoi(exponent)
	return mantissa, power
}

// fixed writes this many decimals.
func fixed(x float64, places int) string {
	return signed(x, rounded(strconv.FormatFloat(math.Abs(x), 'f', -1, 64), max(places, 0)))
}

// rounded rounds the digits that people see, a half up. Rounding the binary number instead would make 0.1 of 0.15, and
// leave halves to the habits of each language. There are at most fifteen digits, which both languages count exactly.
func rounded(text string, places int) string {
	whole, decimals, _ := strings.Cut(text, ".")
	if missing := places - len(decimals); missing > 0 {
		decimals += strings.Repeat("0", missing)
	}
	digits := whole + decimals[:places]
	if len(decimals) > places && decimals[places] >= '5' {
		n, _ := strconv.ParseUint(digits, 10, 64)
		digits = fmt.Sprintf("%0*d", len(digits), n+1)
	}
	if places == 0 {
		return digits
	}
	return digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

// signed puts the sign of x before a text, unless it was rounded to nothing.
func signed(x float64, text string) string {
	if x < 0 && strings.Trim(text, "0.") != "" {
		return "-" + text
	}
	return text
}

// trimmed drops the zeros after the last decimal that counts.
func trimmed(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// grouped sets commas into whole parts of five digits and more.
func grouped(text string) string {
	digits := strings.TrimPrefix(text, "-")
	whole := len(digits)
	if k := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); k >= 0 {
		whole = k
	}
	if whole < 5 {
		return text
	}
	for k := whole - 3; k > 0; k -= 3 {
		digits = digits[:k] + "," + digits[k:]
	}
	return text[:strings.IndexAny(text, "0123456789")] + digits
}

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

// powers are powers of ten, all or every this many; where there is room, numbers between them as well.
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
