package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// reasons are why several trials were chosen, for a table. A row has what is the trial's own. What all trials of a policy have in common is
// said once, below the table; what some have in common as well, with a number that stands in their rows.
type reasons struct {
	head   []string
	rows   [][]string // in the order of the trials
	common []string
}

// reasonsOf returns the reasons of trials.
func reasonsOf(s *study.Study, list []study.Trial) reasons {
	whys, clauses := make([]advisor.Why, len(list)), make([][]study.Clause, len(list))
	all, same := map[string]int{}, map[string][]study.Clause{} // trials of a policy, and its clauses of the same words
	for i, t := range list {
		why, ok := advisor.WhyOf(t.Why)
		whys[i], clauses[i] = why, clausesOf(why, ok)
		all[chooser(why)]++
		for _, c := range clauses[i] {
			said := chooser(why) + ": " + c.Words
			same[said] = append(same[said], c)
		}
	}
	var numbered []string
	out := reasons{head: []string{"chosen by", "expected " + s.Objective.Name, "beats the best", "expected cost", "why"}}
	if len(s.Objectives) > 0 {
		out.head[2] = "extends the front"
	}
	if len(s.Limits) > 0 {
		out.head = slices.Insert(out.head, 3, "meets the limits")
	}
	failures := slices.ContainsFunc(whys, func(why advisor.Why) bool { return why.Expected != nil && why.Expected.Works != nil })
	if failures {
		out.head = slices.Insert(out.head, 3, "likely to work")
	}
	for j, o := range s.Aims()[1:] {
		out.head = slices.Insert(out.head, 2+j, "expected "+o.Name)
	}
	for i, why := range whys {
		row, own := []string{chooser(why), say.Nothing, say.Nothing, say.Nothing}, []string{}
		if e := why.Expected; e != nil {
			row[1], row[3] = say.ExpectedValue(*e), strings.TrimPrefix(say.Cost(s, *e), "about ")
			if e.Beats > 0 && !e.Early {
				row[2] = say.Percent(e.Beats)
			}
			if e.Fits < 0.5 {
				own = append(own, say.Percent(e.Fits)+" likely to fit the budget: a gamble")
			}
			if far := say.FarOff(s, list[i]); far != "" {
				own = append(own, far)
			}
		}
		for _, c := range clauses[i] {
			alike := same[chooser(why)+": "+c.Words]
			text := say.Clean(say.Clause(alike...))
			line := chooser(why) + ": " + text
			switch n := len(alike); n {
			case 1:
				own = append(own, text)
			case all[chooser(why)]:
				if !slices.Contains(out.common, line) {
					out.common = append(out.common, line)
				}
			default:
				if !slices.Contains(numbered, text) {
					numbered = append(numbered, text)
				}
				own = append(own, fmt.Sprintf("[%d]", slices.Index(numbered, text)+1))
			}
		}
		e := cmp.Or(why.Expected, &study.Expected{})
		if len(s.Limits) > 0 {
			row = slices.Insert(row, 3, chance(e.Within))
		}
		if failures {
			row = slices.Insert(row, 3, chance(e.Works))
		}
		for j, o := range s.Aims()[1:] {
			row = slices.Insert(row, 2+j, cmp.Or(say.ExpectedOther(*e, o.Name), say.Nothing))
		}
		out.rows = append(out.rows, append(row, strings.Join(own, "; ")))
	}
	for i, c := range numbered {
		out.common = append(out.common, fmt.Sprintf("[%d] %s", i+1, c))
	}
	return out
}

// chance writes a chance, if it is known.
func chance(known *float64) string {
	if known == nil {
		return say.Nothing
	}
	return say.Percent(*known)
}

// chooser is who chose a trial, in a word.
func chooser(why advisor.Why) string {
	if why.Policy == "" {
		return "hand"
	}
	return say.Clean(why.Policy)
}

// clausesOf are the reasons of a trial, but for what was expected of it. Older logs have them in words alone.
func clausesOf(why advisor.Why, ok bool) []study.Clause {
	if !ok {
		return []study.Clause{{Words: "the reason is not known"}}
	}
	list := why.Clauses
	if len(list) == 0 {
		text := strings.TrimPrefix(say.Chosen(why.Policy, why.Picked), "chosen by "+chooser(why)+": ") + "; " + why.Earlier
		for words := range strings.SplitSeq(strings.TrimSuffix(text, "; "), "; ") {
			list = append(list, study.Clause{Words: words})
		}
	}
	return list
}
