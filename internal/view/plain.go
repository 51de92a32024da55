package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Plain tells a run in lines of plain text, as suits a log: one for each piece of news but thinking, which the trial
// that is thought of tells by itself. What repeats the line before is left out.
func Plain(w io.Writer, s *study.Study) func(runner.News) {
	p := plain{study: s, bests: newBests(s)}
	return func(n runner.News) {
		text := p.text(n)
		if text == "" || text == p.last {
			return
		}
		p.last = text
		fmt.Fprintf(w, "%s  %s\n", n.At.Local().Format("15:04:05"), strings.TrimRight(text, " "))
	}
}

type plain struct {
	study         *study.Study
	bests         *bests
	best          advisor.Best // when the last news came
	last          string       // the line before
	setting, cost int          // the widest ones so far, so that what comes after them stands in columns
	outcome       int          // the same for several objectives
}

func (p *plain) text(n runner.News) string {
	text := say.Clean(n.Text)
	switch t := n.Trial; {
	case n.Kind == runner.Thinking:
		return ""
	case n.Kind == runner.Started && t != nil:
		return subject(t, "started") + p.started(t)
	case n.Kind == runner.Extended && t != nil:
		return subject(t, "extended") + "needs more; " + say.Amount(p.study.Cost, t.Reserved) + " " + say.Are(p.study.Cost, t.Reserved) + " reserved for it now"
	case (n.Kind == runner.Ended || n.Kind == runner.Recovered) && t != nil:
		return subject(t, string(t.State)) + p.ended(n)
	case n.Kind == runner.Queue && t != nil && n.Text == "":
		return subject(t, "running") + "it has left the queue"
	case n.Kind == runner.Queue && t != nil:
		return subject(t, "queued") + text
	case n.Kind == runner.Late && t != nil:
		return subject(t, "late") + text
	case n.Kind == runner.Command:
		text = say.Clean(command(n))
	case n.Kind == runner.Resumed && n.Record != nil:
		p.best, _ = p.bests.of(n.Record)
		text = say.Count(len(n.Record.Trials), "trial") + ", " + account(false, p.study, n.Record.Ledger)
	case n.Kind == runner.Stopping && text == "":
		text = "no new trial is started; running ones are waited for"
	case n.Kind == runner.Cutting && text == "":
		text = "running trials are being stopped"
	}
	return pad(string(n.Kind), 10) + text
}

// command is what is run, as it would be typed.
func command(n runner.News) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(n.Env)) {
		words = append(words, say.Command([]string{name + "=" + n.Env[name]}))
	}
	text := strings.Join(append(words, say.Command(n.Run), " in "+cmp.Or(n.Workdir, "the folder of its image")), " ")
	for i, slot := range n.Slots {
		if len(slot.Env) == 0 {
			continue
		}
		text += fmt.Sprintf("; slot %d:", i)
		for _, name := range slices.Sorted(maps.Keys(slot.Env)) {
			text += " " + say.Command([]string{name + "=" + slot.Env[name]})
		}
	}
	return text
}

// subject is the beginning of a line about a trial; the parts after it stand below each other.
func subject(t *study.Trial, verb string) string {
	return fmt.Sprintf("trial %-3d %-9s ", t.Number, verb)
}

func (p *plain) started(t *study.Trial) string {
	parts := []string{column(&p.setting, say.Setting(p.study, t.Setting))}
	if text := predicted(p.study, *t); text != "" {
		parts = append(parts, text)
	}
	if t.Thinking >= 0.1 {
		parts = append(parts, "chosen in "+say.Duration(t.Thinking))
	}
	return strings.Join(parts, "   ")
}

func (p *plain) ended(n runner.News) string {
	t, value := n.Trial, "–"
	isBest, changed := p.judge(n)
	if t.State == study.Done {
		value = say.Number(t.Value)
	}
	value, verdict := pad(value, 9), "best so far"
	if p.study.Several() {
		value, verdict = column(&p.outcome, cmp.Or(say.Outcome(p.study, *t), "–")), "on the front"
		if isBest && p.bests.front(n.Record).Expected {
			verdict += " by the models' means"
		}
	}
	parts := []string{value, column(&p.cost, "cost "+say.Amount(p.study.Cost, t.Charged))}
	if n.Record != nil {
		parts = append(parts, account(false, p.study, n.Record.Ledger))
	}
	if limit := p.study.Budget.PerTrial; limit > 0 && t.Charged > limit && t.State == study.Done {
		parts = append(parts, "above per_trial of "+say.Amount(p.study.Cost, limit))
	}
	switch {
	case t.State != study.Done:
		parts = append(parts, cmp.Or(say.Clean(n.Text), say.Trouble(t.Note)))
	case !t.Counts():
		parts = append(parts, p.best.NotCounted(*t))
	case isBest:
		parts = append(parts, verdict)
	}
	if far := say.FarOff(p.study, *t); far != "" {
		parts = append(parts, far)
	}
	if changed {
		parts = append(parts, fmt.Sprintf("best is now %s: %s", p.best.Title(), p.best.Text()))
	}
	return strings.Join(parts, "   ")
}

// column pads a text to the widest one so far, but leaves no gap for one that was very wide.
func column(widest *int, text string) string {
	width := ansi.StringWidth(text)
	*widest = max(*widest, min(width, 48))
	return text + blanks(*widest-width)
}

// judge says whether the trial that a piece of news is about is the best one now, or on the front of several objectives, or, where evaluations have noise, whether another
// setting is the best now. The luckiest observation is no news.
func (p *plain) judge(n runner.News) (isBest, changed bool) {
	if n.Record == nil || n.Trial == nil {
		return false, false
	}
	if p.study.Several() {
		return p.bests.front(n.Record).Has(*n.Trial), false
	}
	before := p.best
	best, ok := p.bests.of(n.Record)
	p.best = best
	if !ok || best.Estimate == nil {
		return ok && best.Number == n.Trial.Number, false
	}
	return false, !before.Has(best.Trial)
}

// reasons are a trial's reasons in words: what is expected of it, and what the plan would try next. The policy stands
// in the title.
func reasons(s *study.Study, t study.Trial) string {
	why, _ := advisor.WhyOf(t.Why)
	var parts []string
	if why.Expected == nil || why.Policy == "design" || why.Policy == "earlier" {
		parts = append(parts, say.Chosen(why.Policy, why.Picked))
	}
	if why.Earlier != "" {
		parts = append(parts, why.Earlier)
	}
	if e := why.Expected; e != nil {
		parts = append(parts, say.Expected(s, *e))
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
		return "costs " + say.Cost(s, *why.Expected)
	}
	if t.State.Ended() {
		return ""
	}
	return "reserved " + say.Amount(s.Cost, t.Reserved)
}

// bestNow is the best trial in a line of JSON.
type bestNow struct {
	Trial   int           `json:"trial"`
	Value   float64       `json:"value"`
	Cost    float64       `json:"cost"`
	Setting space.Setting `json:"setting"`

	Estimate *advisor.Estimate `json:"estimate,omitempty"` // where evaluations have noise; the value is the estimated one then
}

// JSON tells a run in lines of JSON: each piece of news, with the ledger and the best trial as they stand. What the policy
// remembers for itself is left out of the trial.
func JSON(w io.Writer, s *study.Study) func(runner.News) {
	bests := newBests(s)
	return func(n runner.News) {
		line := struct {
			runner.News
			Ledger *study.Ledger `json:"ledger,omitempty"`
			Best   *bestNow      `json:"best,omitempty"`
		}{News: n}
		if n.Trial != nil {
			trial := *n.Trial
			trial.Plan = nil
			if !json.Valid(trial.Why) {
				trial.Why = nil
			}
			line.Trial = &trial
		}
		if n.Record != nil {
			line.Ledger = &n.Record.Ledger
			if b, ok := bests.of(n.Record); ok {
				line.Best = &bestNow{b.Number, b.Expected(), b.Charged, b.Setting, b.Estimate}
			}
		}
		text, err := json.Marshal(line)
		if err != nil { // a number that JSON does not have; the news is told all the same
			text, _ = json.Marshal(runner.News{Kind: n.Kind, At: n.At, Text: n.Text})
		}
		fmt.Fprintf(w, "%s\n", text)
	}
}
