package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
	whys, clauses := make([]advisor.Why, len(list)), make([][]string, len(list))
	all, times, spans := map[string]int{}, map[string]int{}, map[string][]span{} // trials of a policy, those with a clause, and its numbers
	for i, t := range list {
		why, ok := advisor.WhyOf(t.Why)
		whys[i], clauses[i] = why, clausesOf(why, ok)
		all[chooser(why)]++
		for _, c := range clauses[i] {
			form, numbers := formOf(c)
			times[chooser(why)+": "+form]++
			spans[form] = widened(spans[form], numbers)
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
			form, _ := formOf(c)
			n := times[chooser(why)+": "+form]
			if n > 1 {
				c = filled(form, spans[form])
			}
			line := chooser(why) + ": " + c
			switch n {
			case 1:
				own = append(own, c)
			case all[chooser(why)]:
				if !slices.Contains(out.common, line) {
					out.common = append(out.common, line)
				}
			default:
				if !slices.Contains(numbered, c) {
					numbered = append(numbered, c)
				}
				own = append(own, fmt.Sprintf("[%d]", slices.Index(numbered, c)+1))
			}
		}
		if len(s.Limits) > 0 {
			chance := say.Nothing
			if e := why.Expected; e != nil && e.Within != nil {
				chance = say.Percent(*e.Within)
			}
			row = slices.Insert(row, 3, chance)
		}
		if failures {
			chance := say.Nothing
			if e := why.Expected; e != nil && e.Works != nil {
				chance = say.Percent(*e.Works)
			}
			row = slices.Insert(row, 3, chance)
		}
		for j, o := range s.Aims()[1:] {
			other := ""
			if why.Expected != nil {
				other = say.ExpectedOther(*why.Expected, o.Name)
			}
			row = slices.Insert(row, 2+j, cmp.Or(other, say.Nothing))
		}
		out.rows = append(out.rows, append(row, strings.Join(own, "; ")))
	}
	for i, c := range numbered {
		out.common = append(out.common, fmt.Sprintf("[%d] %s", i+1, c))
	}
	return out
}

// chooser is who chose a trial, in a word.
func chooser(why advisor.Why) string {
	if why.Policy == "" {
		return "hand"
	}
	return say.Clean(why.Policy)
}

// clausesOf splits the reasons of a trial, but for what was expected of it.
func clausesOf(why advisor.Why, ok bool) []string {
	if !ok {
		return []string{"the reason is not known"}
	}
	text := strings.TrimPrefix(say.Chosen(why.Policy, why.Picked), fmt.Sprintf("chosen by %s: ", chooser(why)))
	if why.Earlier != "" {
		text += "; " + why.Earlier
	}
	return strings.Split(text, "; ")
}

// span is the range of a number: its lowest and highest values, as they are written.
type span struct{ low, high string }

// hole stands for a number in a form.
const hole = "\x00"

// measures are parts of clauses whose numbers only say how much: how much a look is worth, how quick trials are, how many the money is for, how well an earlier study predicts.
var measures = []string{" first, and then the full evaluation ", ": it thought less", ", prices count less", "the earlier study"}

// formOf takes such numbers out of a clause. Clauses of one form say the same.
func formOf(clause string) (form string, numbers []string) {
	if !slices.ContainsFunc(measures, func(part string) bool { return strings.Contains(clause, part) }) {
		return clause, nil
	}
	words := strings.Split(strings.Replace(clause, "worth about as much", "worth 1 times as much", 1), " ")
	for i, w := range words {
		number := strings.Trim(w, "(),%")
		if _, err := strconv.ParseFloat(number, 64); err == nil {
			words[i], numbers = strings.Replace(w, number, hole, 1), append(numbers, number)
		}
	}
	return strings.Join(words, " "), numbers
}

// widened takes numbers into their spans.
func widened(spans []span, numbers []string) []span {
	size := func(text string) float64 { x, _ := strconv.ParseFloat(text, 64); return x }
	for i, n := range numbers {
		switch {
		case i == len(spans):
			spans = append(spans, span{n, n})
		case size(n) < size(spans[i].low):
			spans[i].low = n
		case size(n) > size(spans[i].high):
			spans[i].high = n
		}
	}
	return spans
}

// filled puts spans in the place of the numbers of a form.
func filled(form string, spans []span) string {
	for _, s := range spans {
		text := s.low
		if s.high != s.low {
			text += " to " + s.high
		}
		form = strings.Replace(form, hole, text, 1)
	}
	return strings.Replace(form, "worth 1 times as much", "worth about as much", 1)
}
