package report

import (
	"fmt"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// page is what the report shows: finished texts and pictures.
type page struct {
	Title, Goal, Created, Version string

	Best   *bestTrial // of one objective
	Ends   *frontEnds // of several objectives
	NoBest string     // why there is neither
	Parts  []part
	Gauge  *canvas
	Facts  []fact

	charts
	Ahead    string // what the rest of the money is expected to buy; empty: nobody knows
	Missing  string // why there are no charts of the models
	Learnt   string // how many trials and looks the models go by
	Parallel *canvas
	Rays     string // which trials the parallel coordinates show

	Table table
}

type fact struct{ Name, Text string }

// charts are those that are also written as files.
type charts struct {
	Money      *canvas
	Marks      []markKey
	Heading    string    // of the chart of money
	Line       string    // what its line is
	Learning   *canvas   // nil: no trial showed values on its way
	Front      []*canvas // every pair of several objectives; empty: there is one
	Dots       string    // what the charts of the front show
	Beyond     string    // which results are not on the front because of the worst that the study file gives, or on it by the models' means alone; "": none
	Metrics    []*canvas // the other numbers that trials reported; empty: there are none
	Forecasts  []figure
	Importance *canvas
	Slices     []*canvas
}

type figure struct {
	name    string
	Picture *canvas
	Caption string
}

// parameter is one value of the best setting: as everywhere, and in full, as people need it to use the setting.
type parameter struct{ Name, Text, Exact string }

type bestTrial struct {
	Title, Objective   string
	Value, Cost, Share string
	Band, Seen         string // of an estimate, where evaluations have noise
	Hurts              string // that a lower fidelity gave a better value, that the models judge limits otherwise than what was seen, that all may be a plateau, or that values of choices were never evaluated in full
	Setting            []parameter
	Metrics            string
}

func newPage(d Data) page {
	s, r := d.Study, d.Record
	best, found := d.best()
	parts := budgetParts(s, r)
	p := page{
		Title: s.Name, Goal: goalText(s), Version: d.Version,
		Parts: parts, Gauge: gauge(parts), Facts: facts(s, r, d.Changes),
		charts: chartsOf(d), Table: newTable(s, r, best),
	}
	if d.Rest != nil {
		p.Ahead = restText(s, d.Rest)
	}
	if !d.Created.IsZero() {
		p.Created = d.Created.Format("2 January 2006, 15:04 MST")
	}
	p.NoBest = "No trial has returned a value within the budget yet."
	if text := say.NoneFeasible(s, r); text != "" {
		p.NoBest = sentence(text)
	}
	switch front := d.front(); {
	case len(front.Trials) > 0:
		p.Ends = newEnds(s, front)
	case s.Several() && p.Beyond != "":
		p.NoBest = sentence(p.Beyond)
	case found:
		p.Best = newBest(s, r, best)
	}
	if trials := counting(r); len(trials) > 1 {
		p.Parallel = parallelChart(s, trials, best)
		p.Rays = say.Count(len(trials), "trial")
		if len(trials) > mostLines {
			p.Rays = fmt.Sprintf("%d of %s, the best %d among them", mostLines, p.Rays, mostLines/2)
		}
	}
	switch in := d.Insight; {
	case in == nil:
		p.Missing = "the models were not fitted"
	case in.State != insight.Ready:
		p.Missing = in.Missing
	default:
		p.Learnt = learnt(in, len(s.Parameters))
	}
	return p
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

func goalText(s *study.Study) string {
	var parts []string
	for _, o := range s.Aims() {
		verb := "as high as possible"
		if o.Goal == study.Minimize {
			verb = "as low as possible"
		}
		parts = append(parts, o.Name+", "+verb)
	}
	return strings.Join(parts, "; ")
}

func newBest(s *study.Study, r *study.Record, t advisor.Best) *bestTrial {
	b := &bestTrial{Title: t.Title(), Objective: s.Objective.Name, Cost: say.CostOf(s.Cost, t.Trial)}
	b.Value, b.Band = t.Words()
	if t.Estimate != nil {
		b.Seen = say.Seen(t.Estimate.Values)
	}
	b.Hurts = t.Hurts(s, r)
	if t.Known {
		b.Share = "not paid by this study"
	} else if r.Ledger.Spent > 0 {
		b.Share = say.Percent(t.Charged/r.Ledger.Spent) + " of what was spent"
	}
	for _, p := range s.Inputs() {
		if v, ok := t.Setting[p.Name]; ok {
			b.Setting = append(b.Setting, parameter{p.Name, say.Value(v), v.String()})
		}
	}
	b.Metrics = say.Metrics(s, t.Metrics)
	return b
}

// facts are the study in a few words.
func facts(s *study.Study, r *study.Record, changes *study.Changes) []fact {
	thinking, evaluating := 0.0, 0.0
	by := map[string]int{}
	var order []string
	picked := false
	for _, t := range r.Trials {
		thinking += t.Thinking
		switch {
		case t.Wall > 0:
			evaluating += t.Wall
		case t.State.Ended() && !t.Started.IsZero():
			evaluating += max(t.Finished.Sub(t.Started).Seconds(), 0)
		}
		if why, _ := advisor.WhyOf(t.Why); why.Policy != "" {
			if by[why.Policy]++; by[why.Policy] == 1 {
				order = append(order, why.Policy)
			}
			picked = why.Picked != "" // what else the last one says is about that trial
		}
	}
	policy, before := s.Policy.Name, ": "
	for _, name := range order {
		policy += fmt.Sprintf("%s%d by %s", before, by[name], name)
		before = ", "
	}
	list := []fact{
		{"Trials", say.Tally(say.Counts(r.Trials))},
		{"Budget", say.Amount(s.Cost, r.Ledger.Total)},
		{"Evaluating", say.Duration(evaluating)},
		{"Thinking", thinkingText(thinking, evaluating)},
		{"Policy", policy},
	}
	if changes != nil {
		list = append(list, fact{"Changes", say.Changes(s.Cost, *changes, r.Ledger.Spent)})
	}
	spent, saved := say.CostByFidelity(s, r.Trials, advisor.Saved).Words(s)
	if spent != "" {
		list = append(list, fact{"Spent at", spent})
	}
	if saved != "" {
		list = append(list, fact{"Saved", saved})
	}
	if a, err := advisor.New(s); picked && err == nil {
		list = append(list, fact{"Why this policy", a.Pick(r).Why()})
	}
	return list
}

func thinkingText(thinking, evaluating float64) string {
	if thinking <= 0 || evaluating <= 0 {
		return say.Duration(thinking)
	}
	return say.Duration(thinking) + ": " + say.Percent(thinking/(thinking+evaluating)) + " went into thinking" // as eke status has it
}

// chartsOf draws where the money went and, if there are models, what they have learnt.
func chartsOf(d Data) charts {
	best, _ := d.best()
	s, in, steps := d.Study, d.Insight, best.Course(d.Study.Objective.Goal, d.Record)
	rest, front := d.Rest, d.front()
	if s.Several() { // it is of the hypervolume
		rest = nil
	}
	list := charts{Money: moneyChart(s, d.Record, steps, best.Estimate, rest), Front: frontCharts(s, d.Record, front, d.Rest), Dots: frontWords(front), Beyond: front.Notes(s), Metrics: metricCharts(s, d.Record), Marks: markKeys(steps, valueScale(s, drawn(steps, best.Estimate), rest)), Heading: "Best value against money spent", Line: "best so far", Learning: learningChart(s, d.Record, best)}
	if s.Several() {
		list.Heading = "Best " + s.Objective.Name + " against money spent"
	}
	if best.Estimate != nil {
		list.Heading, list.Line = "Values against money spent", "expected of the best setting, with its 80% band"
	}
	if in == nil {
		return list
	}
	values, costs := guesses(s.Cost, in.Forecasts)
	if len(values) > 0 {
		list.Forecasts = append(list.Forecasts, figure{"value", forecastChart("value", s.Objective.Name, values, false, false), calibration(values)})
	}
	if len(costs) > 0 {
		list.Forecasts = append(list.Forecasts, figure{"cost", forecastChart("cost", say.Axis("cost", s.Cost), costs, true, s.Measured()), calibration(costs)})
	}
	if in.State != insight.Ready {
		return list
	}
	if len(in.Importance) > 0 {
		list.Importance = importanceChart(s, in.Importance)
	}
	value, cost := sliceScales(s, d.Record, in.Slices)
	for _, slice := range in.Slices {
		for _, param := range s.Inputs() {
			if param.Name == slice.Parameter {
				list.Slices = append(list.Slices, sliceChart(s, param, slice, tried(d.Record, param.Name), value, cost))
			}
		}
	}
	return list
}

// learnt tells how much the models go by. Fewer trials and looks than two per parameter, plus two, are not much.
func learnt(in *insight.Insight, params int) string {
	text := "Learnt from " + say.Learnt(in.Observed, in.Looks)
	if in.Observed+in.Looks < 2*(params+1) {
		text += fmt.Sprintf(", with %s: little more than a guess", say.Count(params, "parameter"))
	}
	if in.CutShort {
		text += "; there was no time to finish"
	}
	return text + "."
}

// mostStrokes is how many values are marked; of more, evenly many along the study.
const mostStrokes = 400

// tried lists the values of a parameter that trials have tried to their end.
func tried(r *study.Record, name string) (list []space.Value) {
	for _, t := range r.Trials {
		if v, ok := t.Setting[name]; ok && t.State.Ended() && t.State != study.Abandoned && t.IsEvidence() {
			list = append(list, v)
		}
	}
	return evenly(list, mostStrokes)
}
