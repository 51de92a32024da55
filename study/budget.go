package study

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// MaxAmount is the largest cost or budget. It keeps sums of costs exact enough for the ledger; as seconds it is 30 million years.
const MaxAmount = 1e15

// maxTrials is more trials than any log holds.
const maxTrials = 1e9

func (r *reader) readBudget(n *node, cost Cost) Budget {
	f, ok := r.fields(n, "budget", budgetKeys, "write budget: {total: 200}")
	if !ok {
		return Budget{}
	}
	var b Budget
	total := f.need("total", "give the amount that all trials together may cost")
	b.Total, ok = r.amount(total, "budget.total", cost)
	limit, limited := r.amount(f.m["per_trial"], "budget.per_trial", cost)
	b.PerTrial = limit
	if ok && limited && limit > b.Total {
		r.fail(f.m["per_trial"].at, "budget.per_trial", "give at most the total, or leave it out", "per_trial is %s, above the total of %s",
			f.m["per_trial"].text, total.text)
	}
	if count, ok := r.whole(f.m["trials"], "budget.trials", 1, maxTrials); ok {
		b.Trials = int(count)
	}
	if word, ok := r.word(f.m["limit"], "budget.limit", limits); ok && word == string(LimitNone) {
		b.Limit = LimitNone
	}
	if word, ok := r.word(f.m["over"], "budget.over", overs); ok && word == string(OverCut) {
		b.Over = OverCut
	}
	b.Timeout = r.duration(f.m["timeout"], "budget.timeout")
	b.Deadline = r.duration(f.m["deadline"], "budget.deadline")
	return b
}

// amount reads a cost: a number of units or, where wall time is the cost, a duration or a number
// of seconds.
func (r *reader) amount(n *node, path string, cost Cost) (float64, bool) {
	if n == nil {
		return 0, false
	}
	amount, ok := 0.0, false
	switch _, isDuration := parseDuration(n.text); {
	case n.is == isText && cost.Source == Walltime && !decimal.MatchString(n.text):
		var d time.Duration
		if d, ok = r.parsedDuration(n, path); ok {
			amount = d.Seconds()
		}
	case n.is == isText && isDuration:
		r.fail(n.at, path, "give a number of "+cost.Unit+", or cost: {source: walltime}", "%s is the duration %s, but the cost is counted in %s",
			last(path), n.text, cost.Unit)
	case n.is == isText && withUnit.MatchString(n.text) && !decimal.MatchString(n.text):
		r.fail(n.at, path, "write "+withUnit.FindStringSubmatch(n.text)[1]+"; that it counts "+cost.Unit+" is said in cost.unit", "%s is %s, but must be a number", last(path), quoteShort(n.text))
	default:
		amount, ok = r.number(n, path)
	}
	if ok && !(amount > 0 && amount <= MaxAmount) {
		r.fail(n.at, path, fmt.Sprintf("give an amount above 0 and up to %g", MaxAmount), "%s is %s", last(path), n.text)
		return 0, false
	}
	return amount, ok
}

// duration reads a duration above zero.
func (r *reader) duration(n *node, path string) time.Duration {
	switch {
	case n == nil:
		return 0
	case n.is == isNumber:
		r.fail(n.at, path, "give it a unit: "+n.text+"s, "+n.text+"m or "+n.text+"h", "%s is the number %s, but must be a duration", last(path), n.text)
		return 0
	case n.is != isText:
		r.wrongType(n, path, "a duration", "give a duration such as 2h30m")
		return 0
	}
	d, ok := r.parsedDuration(n, path)
	if ok && d <= 0 {
		r.fail(n.at, path, "give a duration above zero", "%s is %s", last(path), n.text)
		return 0
	}
	return d
}

func (r *reader) parsedDuration(n *node, path string) (time.Duration, bool) {
	d, ok := parseDuration(n.text)
	if !ok {
		hint := "give a duration such as 2h30m or 90s"
		if _, below := parseDuration(strings.TrimPrefix(n.text, "-")); below {
			hint = "give a duration above zero"
		}
		if m := inWords.FindStringSubmatch(strings.ToLower(n.text)); m != nil {
			unit := m[2][:1]
			if x, err := strconv.ParseFloat(m[1], 64); err == nil && unit == "d" && x < 1e5 {
				m[1], unit = strconv.FormatFloat(x*24, 'f', -1, 64), "h"
			}
			if text := m[1] + unit; goDuration.MatchString(text) {
				hint = "write " + text
			}
		}
		r.fail(n.at, path, hint, "%s is %s, which is not a duration", last(path), quoteShort(n.text))
	}
	return d, ok
}

var (
	inWords = regexp.MustCompile(`^(\d+(?:\.\d+)?) ?(d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)$`)
	// a number with its unit after or a sign such as $ before it
	withUnit = regexp.MustCompile(`^\p{Sc}? ?(\d+(?:\.\d+)?)[^\d.,]*$`)
	// durations as Go has them, each number with its unit; a sign or a bare 0 makes no sense here.
	goDuration = regexp.MustCompile(`^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)
)

func parseDuration(text string) (time.Duration, bool) {
	if !goDuration.MatchString(text) {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}

// formatDuration is Duration.String without the zeros at the end: 72h, not 72h0m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// formatAmount writes a cost so that it reads back as the same number.
func formatAmount(x float64, source Source) string {
	if source == Walltime && x < 1e9 {
		if d := time.Duration(math.Round(x * 1e9)); d > 0 && d.Seconds() == x {
			return formatDuration(d)
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
