package view

import (
	"fmt"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// reasons are a trial's reasons in words: what is expected of it, and what the plan would try next. The policy stands
// in the title.
func reasons(s *study.Study, t study.Trial) string {
	why, _ := advisor.WhyOf(t.Why)
	var parts []string
	if why.Expected == nil || why.Policy == "design" || why.Policy == "earlier" {
		parts = append(parts, say.Chosen(why.Policy, ""))
	}
	if why.Earlier != "" {
		parts = append(parts, why.Earlier)
	}
	if e := why.Expected; e != nil {
		parts = append(parts, say.Expected(s.Objective.Name, s.Cost, say.Expectation(*e)))
	}
	var next []string
	for _, step := range why.Next {
		next = append(next, fmt.Sprintf("%s (%s)", say.Setting(s, step.Setting), say.Bare(s.Cost, step.Expected.CostMedian)))
	}
	if len(next) > 0 {
		parts = append(parts, "then "+strings.Join(next, " → "))
	}
	return strings.Join(parts, "; ")
}

// predicted is what a trial is expected to cost, or what is held for it while nothing is known. Nothing is held any more for one that has ended, as
// whoever follows a study from elsewhere may see it.
func predicted(s *study.Study, t study.Trial) string {
	if why, _ := advisor.WhyOf(t.Why); why.Expected != nil {
		return "costs " + say.Cost(s.Cost, say.Expectation(*why.Expected))
	}
	if t.State.Ended() {
		return ""
	}
	return "reserved " + say.Amount(s.Cost, t.Reserved)
}
