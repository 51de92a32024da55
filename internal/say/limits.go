package say

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/study"
)

// Metrics lists the further numbers of a trial: "memory=7.4 GB, epochs=12". Those that have limits come first.
func Metrics(s *study.Study, m study.Metrics) string {
	var parts []string
	for _, name := range metricNames(s, m) {
		parts = append(parts, Clean(name)+"="+quantity(s, name, m[name]))
	}
	return strings.Join(parts, ", ")
}

// metricNames are the names of metrics, those with limits first.
func metricNames(s *study.Study, m study.Metrics) (names []string) {
	for _, name := range s.Limits.Names() {
		if _, known := m[name]; known {
			names = append(names, name)
		}
	}
	for _, name := range m.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// quantity writes a number with the unit of its limit, if it has one.
func quantity(s *study.Study, name string, x float64) string {
	return strings.TrimSpace(Number(x) + " " + Clean(s.Limits[name].Unit))
}

// nearLimit is Number for a number that is compared with a limit. Limits are round, and the best settings are often next to them: a number that would be written as a
// round one gets the digits that tell the two apart.
func nearLimit(x float64) string {
	if round, err := strconv.ParseFloat(plain(x, 3), 64); err == nil && plain(x, 3) == plain(x, 4) {
		return Digits(x, DigitsApart([]float64{round, x}))
	}
	return Number(x)
}

// Limit writes a limit in words: "memory at most 8 GB".
func Limit(name string, b study.Bound) string {
	var ends []string
	above, isAbove := b.Above()
	below, isBelow := b.Below()
	switch {
	case isAbove:
		ends = append(ends, "above "+Number(above))
	case b.Min != nil && b.Max != nil && !isBelow:
		ends = append(ends, "from "+Number(*b.Min)+" to "+Number(*b.Max))
	case b.Min != nil:
		ends = append(ends, "at least "+Number(*b.Min))
	}
	switch {
	case isBelow:
		ends = append(ends, "below "+Number(below))
	case b.Max != nil && (b.Min == nil || isAbove):
		ends = append(ends, "at most "+Number(*b.Max))
	}
	text := Clean(name) + " " + strings.Join(ends, " and ")
	return strings.TrimSpace(text + " " + Clean(b.Unit))
}

// Limits writes all limits of a study: "memory at most 8 GB, yield at least 0.9".
func Limits(s *study.Study) string {
	var parts []string
	for _, name := range s.Limits.Names() {
		parts = append(parts, Limit(name, s.Limits[name]))
	}
	return strings.Join(parts, ", ")
}

// Meet says how many results meet limits: "7 of 29 results meet them, and 3 do not report memory". The models may count more results than the observed numbers do. It is empty if
// there is no result.
func Meet(limits study.Limits, r *study.Record, more int) string {
	meet, all, lacks := more, 0, map[string]int{}
	for t := range r.EachMeasured() {
		if all++; len(limits.Violated(t.Metrics)) == 0 {
			meet++
		}
		for name := range limits {
			if _, known := t.Metrics[name]; !known {
				lacks[name]++
			}
		}
	}
	if all == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s meet them", meet, Count(all, "result"))
	for _, name := range limits.Names() {
		switch n := lacks[name]; n {
		case 0:
		case 1:
			text += ", and 1 does not report " + Clean(name)
		default:
			text += fmt.Sprintf(", and %d do not report %s", n, Clean(name))
		}
	}
	return text
}

// LimitsMet writes all limits of a study, and how many results meet them: "memory at most 8 GB; 7 of 29 results meet them".
func LimitsMet(s *study.Study, r *study.Record, more int) string {
	if len(s.Limits) == 0 {
		return ""
	}
	return strings.TrimSuffix(Limits(s)+"; "+Meet(s.Limits, r, more), "; ")
}

// violates says which limits a trial does not meet: "memory 9.1 is beyond its limit".
func violates(t study.Trial) string {
	var beyond, unknown []string
	for _, name := range t.Violates {
		if x, known := t.Metrics[name]; known {
			beyond = append(beyond, Clean(name)+" "+nearLimit(x))
		} else {
			unknown = append(unknown, Clean(name))
		}
	}
	var parts []string
	switch len(beyond) {
	case 0:
	case 1:
		parts = append(parts, beyond[0]+" is beyond its limit")
	default:
		parts = append(parts, strings.Join(beyond, ", ")+" are beyond their limits")
	}
	if len(unknown) > 0 {
		parts = append(parts, "no "+strings.Join(unknown, ", no ")+" was reported")
	}
	return strings.Join(parts, ", ")
}

// Otherwise says that the models judge limited quantities of a trial differently from the observed numbers:
// "error 0.0006005 was seen, 0.00059 is expected: counts by the models".
func Otherwise(t study.Trial, expected study.Metrics) string {
	var parts []string
	for _, name := range expected.Names() {
		text := "no " + Clean(name) + " was reported"
		if x, known := t.Metrics[name]; known {
			text = Clean(name) + " " + nearLimit(x) + " was seen"
		}
		parts = append(parts, text+", "+nearLimit(expected[name])+" is expected")
	}
	verdict := "counts"
	if t.Counts() {
		verdict = "does not count"
	}
	return strings.Join(parts, "; ") + ": " + verdict + " by the models"
}

// Unreported says that results lack limited quantities, and what to do about it.
func Unreported(results int, names []string) (text, hint string) {
	first := Clean(names[0])
	return fmt.Sprintf("%s, and no %s was reported", Count(results, "result"), Clean(strings.Join(names, ", no "))),
		fmt.Sprintf("let the command print %s in its result line, or take the limit out; eke correct TRIAL --metric %s=… adds it to a result", first, first)
}

// NoneFeasible says that there are results, but that none of them meets the limits, and how near they came; "" if that is not so.
func NoneFeasible(s *study.Study, r *study.Record) string {
	results := slices.Collect(r.EachMeasured())
	if len(s.Limits) == 0 || len(results) == 0 || slices.ContainsFunc(results, study.Trial.Counts) {
		return ""
	}
	var parts []string
	for _, name := range s.Limits.Names() {
		nearest, found := 0.0, false
		for _, t := range results {
			if x, known := t.Metrics[name]; known && (!found || distance(s.Limits[name], x) < distance(s.Limits[name], nearest)) {
				nearest, found = x, true
			}
		}
		text := Limit(name, s.Limits[name])
		switch {
		case !found:
			text += " (never reported)"
		case !s.Limits[name].Meets(nearest):
			text += " (nearest: " + nearLimit(nearest) + ")"
		}
		parts = append(parts, text)
	}
	who := "the only result does not meet"
	if len(results) > 1 {
		who = "none of " + Count(len(results), "result") + " meets"
	}
	text := fmt.Sprintf("%s the limits yet: %s", who, strings.Join(parts, ", "))
	if chance, known := lastChance(r); known && chance < hardlyLikely {
		text += fmt.Sprintf("; the last trial was %s likely to meet them, so perhaps no setting does", Percent(chance))
	}
	return text
}

// hardlyLikely is the chance to meet the limits below which perhaps no setting does: the trial was chosen for this chance.
const hardlyLikely = 0.05

// lastChance is the chance to meet the limits that the last trial with a forecast had, of those handed out since the limits are what they are.
// One that somebody asked for says nothing.
func lastChance(r *study.Record) (chance float64, known bool) {
	for _, t := range slices.Backward(r.Trials[min(r.Judged, len(r.Trials)):]) {
		if e := t.Forecast(); e != nil && e.Within != nil && t.Item == 0 {
			return *e.Within, true
		}
	}
	return 0, false
}

// distance is how far a number is beyond a limit; 0 if it is not.
func distance(b study.Bound, x float64) float64 {
	far := 0.0
	if b.Max != nil {
		far = math.Max(far, x-*b.Max)
	}
	if b.Min != nil {
		far = math.Max(far, *b.Min-x)
	}
	return far
}
