package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eke-bo/eke/study"
)

// amount is a sum of money as people read it: 12.5 euros, or 2m30s where the cost is wall time.
func amount(x float64, c study.Cost) string {
	if c.Source == study.Walltime {
		return seconds(x)
	}
	if slices.Contains([]string{"$", "€", "£", "¥"}, c.Unit) {
		return c.Unit + number(x)
	}
	return number(x) + " " + c.Unit
}

// seconds is a time as people read it.
func seconds(x float64) string {
	switch {
	case !(math.Abs(x) < 1e9): // no duration holds it
		return number(x) + "s"
	case math.Abs(x) < 5e-5: // what rounding leaves of a budget
		return "0s"
	case math.Abs(x) < 0.9995:
		return number(math.Round(x*1e4)/10) + "ms"
	case math.Abs(x) < 59.95:
		return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) + "s"
	}
	text := time.Duration(math.Round(x) * 1e9).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// number is a number with five digits, and without an exponent where people would write none.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1e4 && a < 1e15:
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	case a >= 1e-4 && a < 1e4:
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 5, 64)
}

// parseAmount reads a sum of money: a number and, where the cost is wall time, a duration as well. What names it in
// messages.
func parseAmount(text, what string, c study.Cost) (float64, error) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text, 64)
	d, notDuration := time.ParseDuration(text)
	switch {
	case err == nil && (math.IsNaN(x) || math.IsInf(x, 0)):
		return 0, usage("give a finite number", "%s is %s", what, text)
	case err == nil:
		return x, nil
	case notDuration == nil && c.Source == study.Walltime:
		return d.Seconds(), nil
	case notDuration == nil:
		return 0, usage("give a number of "+c.Unit, "%s is the duration %s, but the cost is counted in %s", what, text, c.Unit)
	case c.Source == study.Walltime:
		return 0, usage("give seconds, or a duration such as 1m30s", "%s is %q, which is no amount of time", what, text)
	}
	return 0, usage("give a number of "+c.Unit, "%s is %q, which is no number", what, text)
}

// gauge is a bar of so many letters: spent, reserved, left.
func gauge(l study.Ledger, width int) string {
	whole := math.Max(l.Total, l.Spent+l.Reserved)
	if !(whole > 0) {
		return strings.Repeat("░", width)
	}
	spent := int(math.Round(l.Spent / whole * float64(width)))
	held := int(math.Round((l.Spent+l.Reserved)/whole*float64(width))) - spent
	return strings.Repeat("█", spent) + strings.Repeat("▒", held) + strings.Repeat("░", width-spent-held)
}
