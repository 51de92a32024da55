package view

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// Plain tells a run in lines of plain text, as suits a log: one for each piece of news but thinking, which the trial
// that is thought of tells by itself. What repeats the line before is left out.
func Plain(w io.Writer, s *study.Study) func(runner.News) {
	p := plain{study: s}
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
	last          string // the line before
	setting, cost int    // the widest ones so far, so that what comes after them stands in columns
}

func (p *plain) text(n runner.News) string {
	text := say.Clean(n.Text)
	switch t := n.Trial; {
	case n.Kind == runner.Thinking:
		return ""
	case n.Kind == runner.Started && t != nil:
		return subject(t, "started") + p.started(t)
	case n.Kind == runner.Extended && t != nil:
		return subject(t, "extended") + "needs more; " + say.Amount(p.study.Cost, t.Reserved) + " are reserved for it now"
	case (n.Kind == runner.Ended || n.Kind == runner.Recovered) && t != nil:
		return subject(t, string(t.State)) + p.ended(n)
	case n.Kind == runner.Late && t != nil:
		return subject(t, "late") + text
	case n.Kind == runner.Command:
		text = say.Clean(command(n))
	case n.Kind == runner.Resumed && n.Record != nil:
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
	return strings.Join(append(words, say.Command(n.Run), " in "+n.Workdir), " ")
}

// subject is the beginning of a line about a trial; the parts after it stand below each other.
func subject(t *study.Trial, verb string) string {
	return fmt.Sprintf("trial %-3d %-10s", t.Number, verb)
}

func (p *plain) started(t *study.Trial) string {
	parts := []string{column(&p.setting, say.Setting(p.study, t.Setting)), predicted(p.study, *t)}
	if t.Thinking >= 0.1 {
		parts = append(parts, "chosen in "+say.Duration(t.Thinking))
	}
	return strings.Join(parts, "   ")
}

func (p *plain) ended(n runner.News) string {
	t, value := n.Trial, "–"
	if t.State == study.Done {
		value = say.Number(t.Value)
	}
	parts := []string{pad(value, 9), column(&p.cost, "cost "+say.Amount(p.study.Cost, t.Charged))}
	if n.Record != nil {
		parts = append(parts, account(false, p.study, n.Record.Ledger))
	}
	if limit := p.study.Budget.PerTrial; limit > 0 && t.Charged > limit && t.State == study.Done {
		parts = append(parts, "above per_trial of "+say.Amount(p.study.Cost, limit))
	}
	switch {
	case t.State != study.Done:
		parts = append(parts, say.Clean(n.Text+"\n"+t.Note))
	case !t.Counts():
		parts = append(parts, say.NotCounted(*t))
	case isBest(p.study, n):
		parts = append(parts, "best so far")
	}
	return strings.Join(parts, "   ")
}

// column pads a text to the widest one so far, but leaves no gap for one that was very wide.
func column(widest *int, text string) string {
	width := ansi.StringWidth(text)
	*widest = max(*widest, min(width, 48))
	return text + blanks(*widest-width)
}

// isBest says whether the trial that a piece of news is about is the best one now.
func isBest(s *study.Study, n runner.News) bool {
	if n.Record == nil || n.Trial == nil {
		return false
	}
	best, ok := n.Record.Best(s.Objective.Goal)
	return ok && best.Number == n.Trial.Number
}
