package say

import (
	"fmt"
	"math"
	"strings"

	"github.com/eke-bo/eke/study"
)

// longShot is the chance to beat the best below which a trial is one. Its expected value looks poor beside the best, and whoever pays wonders.
const longShot = 0.05

// Expectation is what the models expect of a trial. It has the fields of advisor.Expected, which cannot be used here:
// the advisor itself has things to say.
type Expectation struct {
	Value, ValueSD                float64
	Cost, CostSD                  float64
	CostLow, CostMedian, CostHigh float64
	Fits                          float64 // chance to fit what is left of the budget
	ValueLow, ValueHigh           float64 // ends of the band of 80%; equal if they are not known
	Beats                         float64 // chance to beat the best value; 0 if it is not known
}

// Spread writes a value that is known so well: "0.12 ± 0.031". The value has no digits below those of its spread.
func Spread(value, sd float64) string {
	if !(sd > 0) || !finite(sd) || !finite(value) {
		return Number(value)
	}
	_, power := parts(sd)
	_, top := parts(value)
	text := Number(value)
	if power >= -4 && power < 7 && top >= -4 && top < 7 {
		text = grouped(trimmed(fixed(value, min(3-top, 1-power))))
	}
	return text + " ± " + Digits(sd, 2)
}

// lopsided is how many times as long as the other one side of a band is at least, for "±" to say something wrong about it.
const lopsided = 1.25

// ExpectedValue writes the value that is expected: "0.12 ± 0.031", or "5.3 (80% between 1.2 and 14)" if one side is clearly the longer.
func ExpectedValue(e Expectation) string {
	below, above := e.Value-e.ValueLow, e.ValueHigh-e.Value
	if max(below, above) > lopsided*min(below, above) {
		if text, band := Estimate(e.Value, e.ValueLow, e.ValueHigh); band != "" {
			return text + " (" + band + ")"
		}
	}
	return Spread(e.Value, e.ValueSD)
}

// Cost writes what a trial is expected to cost: "about 3.4 core-hours (90% below 5.1)". It is the median: the mean of a cost that
// is hardly known lies far above most outcomes.
func Cost(c study.Cost, e Expectation) string {
	text := "about " + Amount(c, e.CostMedian)
	if e.CostHigh > e.CostMedian {
		text += " (90% below " + Bare(c, e.CostHigh) + ")"
	}
	return text
}

// Expected writes all that is expected of a trial: "expected loss 0.12 ± 0.031, 36% likely to beat the best, for about 3.4 core-hours
// (90% below 5.1), >99% likely to fit the budget".
func Expected(objective string, c study.Cost, e Expectation) string {
	text := "expected " + Clean(objective) + " " + ExpectedValue(e)
	switch beats := ", " + Percent(e.Beats) + " likely to beat the best"; {
	case e.Beats >= longShot:
		text += beats + ","
	case e.Beats > 0:
		text += beats + " (a long shot),"
	}
	text += " for " + Cost(c, e) + ", " + Percent(e.Fits) + " likely to fit the budget"
	if e.Fits < 0.5 {
		text += ": a gamble"
	}
	return text
}

// Chosen writes what chose a trial, and why that did.
func Chosen(policy, picked string) string {
	switch policy, picked = Clean(policy), Clean(picked); {
	case strings.HasPrefix(picked, "trial "): // a second try of a trial that was lost
		return picked
	case policy == "":
		return "asked for by hand"
	case policy == "queue":
		return picked
	case policy == "earlier":
		return "the best setting of the earlier study"
	case policy == "design":
		return "one of the first trials, spread out to learn from"
	case picked == "":
		return "chosen by " + policy
	}
	return "chosen by " + policy + ": " + picked
}

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

// Outlook is what money is expected to buy: the best value now, and quantiles of the best value once the money is spent.
type Outlook struct{ Left, Best, Worse, Median, Better float64 }

// Rest says what the remaining money is expected to buy, as in "the remaining 12 euros are expected to improve loss from 3.2 to
// about 3.1 (80% between 3.2 and 2.9)".
func Rest(s *study.Study, o Outlook) string { return "the remaining " + promise(s, o) }

// RestWith says the same of the money that is left together with an amount that would be added.
func RestWith(s *study.Study, added float64, o Outlook) string {
	return "with " + Amount(s.Cost, added) + " more, " + promise(s, o)
}

func promise(s *study.Study, o Outlook) string {
	n := digitsFor(o.Best, o.Worse, o.Median, o.Better)
	best, median, worse, better := Digits(o.Best, n), Digits(o.Median, n), Digits(o.Worse, n), Digits(o.Better, n)
	does := fmt.Sprintf("improve %s from %s to about %s", s.Objective.Name, best, median)
	if best == median {
		does = fmt.Sprintf("leave %s at about %s", s.Objective.Name, best)
	}
	if worse == better {
		return fmt.Sprintf("%s are expected to %s", Amount(s.Cost, o.Left), does)
	}
	return fmt.Sprintf("%s are expected to %s (80%% between %s and %s)", Amount(s.Cost, o.Left), does, worse, better)
}

// digitsFor is how many digits tell values apart from the first, to two digits of the largest difference. There are four to
// eight: late in a study gains are small.
func digitsFor(from float64, others ...float64) int {
	const fewest, most = 4, 8
	gap := 0.0
	for _, v := range others {
		gap = math.Max(gap, math.Abs(v-from))
	}
	if gap == 0 || from == 0 || !finite(gap) {
		return fewest
	}
	return min(max(int(math.Ceil(math.Log10(math.Abs(from)/gap)))+2, fewest), most)
}
