package view

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// whyOf reads a trial's reasons, if it has any that can be read.
func whyOf(t study.Trial) (why advisor.Why, ok bool) {
	if len(t.Why) == 0 || json.Unmarshal(t.Why, &why) != nil {
		return advisor.Why{}, false
	}
	return why, true
}

// reasons are a trial's reasons in words: what is expected of it, and what the plan would try next.
func reasons(s *study.Study, t study.Trial) string {
	why, ok := whyOf(t)
	if !ok {
		return "asked for by hand"
	}
	var parts []string
	if why.Policy == "design" {
		parts = append(parts, "one of the first, spread out to learn from")
	}
	if e := why.Expected; e != nil {
		parts = append(parts, fmt.Sprintf("expects %s ± %s for %s", number(e.Value), number(e.ValueSD), Amount(s, e.Cost)),
			chance(e.Fits)+" likely to fit the budget")
	}
	if next := nextSteps(s, why.Next); next != "" {
		parts = append(parts, next)
	}
	if len(parts) == 0 {
		return "chosen by " + clean(why.Policy)
	}
	return strings.Join(parts, "; ")
}

// nextSteps is the rest of a plan in one line.
func nextSteps(s *study.Study, next []advisor.Step) string {
	var steps []string
	for _, step := range next {
		steps = append(steps, fmt.Sprintf("%s (%s)", setting(s, step.Setting), bare(s, step.Expected.Cost)))
	}
	if len(steps) == 0 {
		return ""
	}
	return "then " + strings.Join(steps, " → ")
}

// chance never rounds to certainty.
func chance(p float64) string {
	switch percent := 100 * p; {
	case !(percent >= 1):
		return "< 1 %"
	case percent > 99 && percent < 100:
		return "> 99 %"
	default:
		return fmt.Sprintf("%.0f %%", math.Min(percent, 100))
	}
}

// predicted is what a trial is expected to cost, and what it costs less than nine times in ten.
func predicted(s *study.Study, t study.Trial) string {
	why, ok := whyOf(t)
	if !ok || why.Expected == nil {
		return "reserved " + Amount(s, t.Reserved)
	}
	e := why.Expected
	text := "predicted " + Amount(s, e.Cost)
	if e.Cost >= e.CostMedian && e.CostMedian > 0 {
		sd := math.Sqrt(2 * math.Log(e.Cost/e.CostMedian)) // of a log-normal's logarithm
		text += fmt.Sprintf(" (90 %% below %s)", bare(s, e.CostMedian*math.Exp(sd*normal90)))
	}
	return text
}

const normal90 = 1.2815515655446004 // Φ⁻¹(0.9)
