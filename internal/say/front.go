package say

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eke-bo/eke/study"
)

// Goals writes what a study wants: "minimize loss", or "maximize accuracy, minimize latency_ms".
func Goals(s *study.Study) string {
	var parts []string
	for _, o := range s.Aims() {
		parts = append(parts, fmt.Sprintf("%s %s", o.Goal, Clean(o.Name)))
	}
	return strings.Join(parts, ", ")
}

// Outcome writes the objectives of a trial: "loss 0.12", or "accuracy 0.91, latency_ms 12".
func Outcome(s *study.Study, t study.Trial) string {
	y, _ := s.Outcome(t)
	return Objectives(s, y)
}

// Objectives writes an outcome: "accuracy 0.91, latency_ms 12".
func Objectives(s *study.Study, y []float64) string {
	var parts []string
	for j, o := range s.Aims() {
		if y[j] == y[j] { // or else it is missing
			parts = append(parts, Clean(o.Name)+" "+Number(y[j]))
		}
	}
	return strings.Join(parts, ", ")
}

// SeenOutcomes writes what was seen of each objective at a setting: "seen there: accuracy 0.91, 0.89; latency_ms 12, 14".
func SeenOutcomes(s *study.Study, list [][]float64) string {
	parts := make([]string, len(s.Objectives))
	for j, o := range s.Objectives {
		parts[j] = Clean(o.Name) + " " + SeenOf(list, j)
	}
	return seenThere + strings.Join(parts, "; ")
}

// SeenOf writes what was seen of one objective at a setting: "0.91, 0.89".
func SeenOf(list [][]float64, objective int) string {
	values := make([]float64, len(list))
	for i, y := range list {
		values[i] = y[objective]
	}
	return strings.TrimPrefix(Seen(values), seenThere)
}

// Worst writes the worst that counts, "accuracy 0.5, latency_ms 200", and says which of these values were found from results.
func Worst(s *study.Study, worst []float64, from int) string {
	found, every := "found from the first "+Count(from, "result"), true
	for _, o := range s.Objectives {
		every = every && o.Worst == nil
	}
	var parts []string
	for j, o := range s.Objectives {
		text := Clean(o.Name) + " " + Number(worst[j])
		if o.Worst == nil && !every {
			text += " (" + found + ")"
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, ", ")
	if every {
		text += ", " + found
	}
	return text
}

// mostNamed is how many trials are named one by one.
const mostNamed = 10

// BeyondWorst says that results, with these outcomes, are not on the front because of the worst that the study file gives; "" if there are none.
func BeyondWorst(s *study.Study, list []study.Trial, outcomes [][]float64) string {
	if len(list) == 0 {
		return ""
	}
	var limits, names []string
	for i, t := range list {
		for _, o := range s.NoBetter(outcomes[i]) {
			if limit := Clean(o.Name) + " " + Number(*o.Worst); !slices.Contains(limits, limit) {
				limits = append(limits, limit)
			}
		}
		names = append(names, t.Title())
	}
	are := "are"
	if len(list) == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s that no other beats %s not on the front, being beyond worst (%s): %s", Count(len(list), "result"), are, strings.Join(limits, ", "), Some(names))
}

// BeyondFound says which results on the front add nothing to the hypervolume, being beyond the worst that was found where the study file gives none; "" if there are none.
func BeyondFound(s *study.Study, list []study.Trial, outcomes [][]float64, worst []float64) string {
	var found, names []string
	for i, t := range list {
		for j, o := range s.Objectives {
			if o.Worst == nil && !o.Goal.Better(outcomes[i][j], worst[j]) {
				if text := Clean(o.Name) + " " + Number(worst[j]); !slices.Contains(found, text) {
					found = append(found, text)
				}
				if !slices.Contains(names, t.Title()) {
					names = append(names, t.Title())
				}
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("beyond the worst that was found (%s), and so worth nothing in what is searched for: %s; give worst in the study file if that is wrong", strings.Join(found, ", "), Some(names))
}

// Some lists the first of some names, and says how many more there are.
func Some(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// farWorst is the largest ratio of the distance between a worst and the best of the front to the front's width. Beyond it, the rest of the front counts for
// next to nothing.
const farWorst = 20

// FarWorst says that a worst that the study file gives is far from the front; "" if none is. A single result has no width.
func FarWorst(s *study.Study, front [][]float64) string {
	if len(front) < 2 {
		return ""
	}
	var parts []string
	for j, o := range s.Objectives {
		low, high := frontRange(front, j)
		if o.Worst != nil && math.Max(high-*o.Worst, *o.Worst-low) > farWorst*(high-low) {
			parts = append(parts, fmt.Sprintf("%s %s, and the front has %s to %s", Clean(o.Name), Number(*o.Worst), Number(low), Number(high)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("worst is far from the front (%s), which makes the rest of the front seem worthless", strings.Join(parts, "; "))
}

// frontRange is how far a front reaches in one objective.
func frontRange(front [][]float64, objective int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, y := range front {
		low, high = math.Min(low, y[objective]), math.Max(high, y[objective])
	}
	return low, high
}

// FrontRanges writes how far a front reaches: "accuracy 0.5 to 0.9, latency_ms 3 to 180".
func FrontRanges(s *study.Study, front [][]float64) string {
	var parts []string
	for j, o := range s.Objectives {
		low, high := frontRange(front, j)
		parts = append(parts, fmt.Sprintf("%s %s to %s", Clean(o.Name), Number(low), Number(high)))
	}
	return strings.Join(parts, ", ")
}

// Within writes limits on objectives: "accuracy >= 0.9 and latency_ms <= 50".
func Within(list []study.Within) string {
	parts := make([]string, len(list))
	for i, w := range list {
		parts[i] = Clean(w.String())
	}
	return strings.Join(parts, " and ")
}

// ExpectedObjectives writes what is expected of all objectives: "loss 0.12 ± 0.031".
func ExpectedObjectives(s *study.Study, e study.Expected) string {
	text := Clean(s.Objective.Name) + " " + ExpectedValue(e)
	for _, o := range s.Objectives[min(1, len(s.Objectives)):] {
		if other := ExpectedOther(e, o.Name); other != "" {
			text += ", " + Clean(o.Name) + " " + other
		}
	}
	return text
}

// ExpectedOther writes what is expected of an objective that is not the first; "" if nobody knows.
func ExpectedOther(e study.Expected, name string) string {
	switch r, known := e.Also[name]; {
	case !known:
		return ""
	case e.Early:
		return tooEarly
	default:
		return Spread(r.Value, r.SD)
	}
}

// beating is what a good trial does.
func beating(s *study.Study) string {
	if s.Several() {
		return "extend the front"
	}
	return "beat the best"
}

// NoBetter says that no setting is worth its price: none is likely to be better, or none can be.
func NoBetter(s *study.Study, impossible bool) string {
	switch {
	case !impossible:
		return "no setting is likely enough to " + beating(s)
	case s.Several():
		return "nothing can extend the front"
	}
	return "nothing can be better than the best value"
}

// extends says which part of the front a trial may extend: "may extend the front between trials 12 and 31".
func extends(between []int) string {
	switch len(between) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("may extend the front beyond trial %d", between[0])
	}
	return fmt.Sprintf("may extend the front between trials %d and %d", min(between[0], between[1]), max(between[0], between[1]))
}
