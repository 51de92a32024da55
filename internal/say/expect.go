package say

import (
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
