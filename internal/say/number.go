package say

import (
	"fmt"
	"math"
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

// fixed writes so many decimals.
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
