package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// whyOf reads a trial's reasons, if it has any that can be read.
func whyOf(t study.Trial) (why advisor.Why, ok bool) {
	if len(t.Why) == 0 || json.Unmarshal(t.Why, &why) != nil {
		return advisor.Why{}, false
	}
	return why, true
}

// reasons are a trial's reasons in words: what is expected of it, and what the plan would try next. The policy stands
// in the title.
func reasons(s *study.Study, t study.Trial) string {
	why, _ := whyOf(t)
	var parts []string
	if why.Expected == nil || why.Policy == "design" {
		parts = append(parts, say.Chosen(why.Policy, ""))
	}
	if e := why.Expected; e != nil {
		parts = append(parts, say.Expected(s.Objective.Name, s.Cost, say.Expectation(*e)))
	}
	if next := nextSteps(s, why.Next); next != "" {
		parts = append(parts, next)
	}
	return strings.Join(parts, "; ")
}

// nextSteps is the rest of a plan in one line.
func nextSteps(s *study.Study, next []advisor.Step) string {
	var steps []string
	for _, step := range next {
		steps = append(steps, fmt.Sprintf("%s (%s)", say.Setting(s, step.Setting), say.Bare(s.Cost, step.Expected.Cost)))
	}
	if len(steps) == 0 {
		return ""
	}
	return "then " + strings.Join(steps, " → ")
}

// predicted is what a trial is expected to cost, or what is held for it while nothing is known.
func predicted(s *study.Study, t study.Trial) string {
	if why, ok := whyOf(t); ok && why.Expected != nil {
		return "costs " + say.Cost(s.Cost, say.Expectation(*why.Expected))
	}
	return "reserved " + say.Amount(s.Cost, t.Reserved)
}
