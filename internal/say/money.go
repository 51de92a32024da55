package say

import (
	"strings"
	"unicode"

	"github.com/eke-bo/eke/study"
)

// Amount writes a cost with its unit. There are three forms: wall time is a duration, a currency sign stands before
// the number, and every other unit stands after it: "2m30s", "$12.50", "12.5 core-hours", "12.5 USD".
func Amount(c study.Cost, x float64) string {
	unit := Clean(c.Unit)
	switch {
	case !finite(x):
		return Nothing
	case c.Source == study.Walltime:
		return Duration(x)
	case isSign(unit):
		return price(unit, x)
	}
	return strings.TrimSpace(Number(x) + " " + unit)
}

// Bare writes an amount beside another one that names the unit, as in "3 of 12.5 core-hours". A currency sign stays.
func Bare(c study.Cost, x float64) string {
	if c.Source == study.Walltime || isSign(Clean(c.Unit)) {
		return Amount(c, x)
	}
	return Number(x)
}

// Axis names an axis of money: "spent, core-hours". The labels of a clock name their units themselves.
func Axis(name string, c study.Cost) string {
	if unit := Clean(c.Unit); unit != "" && c.Source != study.Walltime {
		return name + ", " + unit
	}
	return name
}

func isSign(unit string) bool {
	runes := []rune(unit)
	return len(runes) == 1 && unicode.Is(unicode.Sc, runes[0])
}

// price writes cents, or nothing for none. Amounts below 1 keep their digits: they may be a fraction of a cent.
func price(sign string, x float64) string {
	size := max(x, -x)
	text := plain(size, 4)
	if size >= 1 && size < 1e7 {
		text = trimmed(fixed(size, 2))
	}
	if strings.IndexByte(text, '.') == len(text)-2 && len(text) > 2 {
		text += "0"
	}
	return signed(x, sign+grouped(text))
}
