package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// trialsView says which trials to show, and in which order.
type trialsView struct {
	numbers []int // none: all
	states  []string
	sort    string
	limit   int
	known   bool
	why     bool
	best    advisor.Best // says which trials the models judge otherwise than what was seen
}

func trialsCommand(a *app) *cobra.Command {
	var v trialsView
	cmd := &cobra.Command{
		Use:   "trials [STUDY] [TRIAL…]",
		Short: "List the trials of a study",
		Long: `List the trials of a study, oldest first. With numbers, list only these trials; a range may go beyond the last trial. --why says why
each trial was chosen, and what was expected of it. Reasons that many trials share stand below the table. The reasons of a single trial
are shown in full. --json shows everything about the trials.`,
		Example: `  eke trials --state failed,cut
  eke trials --sort value --limit 5
  eke trials kiln 20 --why
  eke trials 3-7`,
		SuggestFor:        []string{"history", "log"},
		ValidArgsFunction: a.completeTrialsThat(func(study.Trial) bool { return true }),
		PreRunE:           func(*cobra.Command, []string) error { return v.check() },
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, numbers, err := studyAndAnyNumbers(cmd, args)
			if err != nil {
				return err
			}
			v.numbers = numbers
			return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
				if arg == "" && len(args) > 0 {
					if err := a.isNoStudy(cmd, d.Study().Name, args); err != nil {
						return err
					}
				}
				if len(d.Study().Limits) > 0 && !v.known && !v.why && !a.json {
					v.best, _, _ = d.Best(ctx, r) // without models, what was seen is all that is said
				}
				return a.trials(d.Study(), r, v)
			})
		},
	}
	cmd.Flags().StringSliceVar(&v.states, "state", nil, "show only trials in these `states`: pending, running, done, failed, cut, stopped early, abandoned")
	cmd.Flags().StringVar(&v.sort, "sort", "number", "sort by number, value (best first; values that do not count come after those that do) or cost (most expensive first)")
	cmd.Flags().BoolVar(&v.known, "known", false, "list the results that were imported instead")
	cmd.Flags().BoolVar(&v.why, "why", false, "say why each was chosen, instead of the note")
	cmd.Flags().IntVar(&v.limit, "limit", 0, "show at most this many trials: the first ones, or the latest if sorted by number")
	return a.onServers(cmd)
}

// trials shows what a view selects.
func (a *app) trials(s *study.Study, r *study.Record, v trialsView) error {
	all, noun := len(r.Trials), "trial"
	if v.known {
		all, noun = len(r.Known), "result"
	}
	for i, n := range v.numbers {
		if n > all && (i == 0 || v.numbers[i-1] != n-1) { // a range may go beyond the last
			return usage("leave the numbers out to list all", "there is no %s %d: study %s has %s", noun, n, s.Name, say.Count(all, noun))
		}
	}
	if v.known {
		return a.showKnown(s, v.ofKnown(s, r.Known), all)
	}
	list := v.of(s, r)
	return a.show(shownTrials(list), func() { a.printTrials(s, list, all, v) })
}

// showKnown lists results from elsewhere, by the numbers that eke forget --known takes.
func (a *app) showKnown(s *study.Study, list []knownResult, all int) error {
	shown := make([]study.Known, len(list))
	for i, k := range list {
		shown[i] = k.Known
	}
	return a.show(shown, func() {
		if len(list) == 0 && all == 0 {
			a.printf("no results from elsewhere\n")
			return
		}
		rows := [][]string{slices.Concat([]string{"result"}, aimNames(s), []string{"cost", "setting", "note"})}
		for _, k := range list {
			cost, note := "", say.NotCounted(study.Trial{Forgotten: k.Forgotten, Forgot: k.Forgot, Outside: k.Outside, Metrics: k.Metrics, Violates: k.Violates})
			if k.Cost > 0 {
				cost = say.Amount(s.Cost, k.Cost)
			}
			values := aimValues(s, study.Trial{State: study.Done, Value: k.Value, Metrics: k.Metrics})
			rows = append(rows, slices.Concat([]string{fmt.Sprint(k.number)}, values, []string{cost, say.Setting(s, k.Setting), note}))
		}
		a.table("", rows)
	})
}

func (v trialsView) check() error {
	for _, s := range v.states {
		if err := oneOfThese("--state", study.State(s), say.States...); err != nil {
			return err
		}
	}
	if v.known && len(v.states) > 0 {
		return usage("leave one of them out", "--state is for trials, and --known lists results from elsewhere")
	}
	if v.known && v.why {
		return usage("leave one of them out", "--why is for trials, and --known lists results from elsewhere")
	}
	if v.limit < 0 {
		return usage("give a whole number from 1, or 0 for all", "--limit is %d", v.limit)
	}
	return oneOfThese("--sort", v.sort, "number", "value", "cost")
}

// of selects and sorts trials.
func (v trialsView) of(s *study.Study, r *study.Record) []study.Trial {
	list := []study.Trial{}
	for _, t := range r.Trials {
		if (len(v.states) == 0 || slices.Contains(v.states, string(t.State))) && (len(v.numbers) == 0 || slices.Contains(v.numbers, t.Number)) {
			list = append(list, t)
		}
	}
	return ordered(v, list, func(a, b study.Trial) int { return betterFirst(s.Objective.Goal, a, b) }, func(t study.Trial) float64 { return t.Charged })
}

// knownResult is a result from elsewhere with its number.
type knownResult struct {
	study.Known
	number int
}

// ofKnown selects and sorts results from elsewhere.
func (v trialsView) ofKnown(s *study.Study, known []study.Known) []knownResult {
	list := []knownResult{}
	for i, k := range known {
		if len(v.numbers) == 0 || slices.Contains(v.numbers, i+1) {
			list = append(list, knownResult{k, i + 1})
		}
	}
	asTrial := func(k knownResult) study.Trial {
		return study.Trial{State: study.Done, Known: true, Value: k.Value, Metrics: k.Metrics, Look: k.Look, Forgotten: k.Forgotten, Outside: k.Outside, Violates: k.Violates}
	}
	return ordered(v, list, func(a, b knownResult) int { return betterFirst(s.Objective.Goal, asTrial(a), asTrial(b)) },
		func(k knownResult) float64 { return k.Cost })
}

// ordered sorts a list as the view says, and takes as much of it as the view allows.
func ordered[T any](v trialsView, list []T, byValue func(a, b T) int, cost func(T) float64) []T {
	switch v.sort {
	case "value":
		slices.SortStableFunc(list, byValue)
	case "cost":
		slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(cost(b), cost(a)) })
	}
	switch {
	case v.limit == 0 || len(list) <= v.limit:
		return list
	case v.sort == "value" || v.sort == "cost":
		return list[:v.limit]
	}
	return list[len(list)-v.limit:]
}

// betterFirst orders trials by value. Values that do not count come after those that do, and trials without a value come last.
func betterFirst(goal study.Goal, a, b study.Trial) int {
	class := func(t study.Trial) int {
		switch {
		case t.State != study.Done:
			return 2
		case !t.Counts():
			return 1
		}
		return 0
	}
	if of := class(a); of != class(b) || of == 2 {
		return class(a) - class(b)
	}
	if goal == study.Maximize {
		a, b = b, a
	}
	return cmp.Compare(a.Value, b.Value)
}

func (a *app) printTrials(s *study.Study, list []study.Trial, all int, v trialsView) {
	if len(list) == 0 {
		a.printf("no trials of %d\n", all)
		return
	}
	names := aimNames(s)
	head := slices.Concat([]string{"trial", "state"}, names, []string{"cost", "setting"})
	var reasons reasons
	switch {
	case v.why && len(list) > 1:
		reasons = reasonsOf(s, list)
		head = append(head, reasons.head...)
	case v.why:
		head = append(head, "why")
	default:
		head = append(head, "note")
	}
	metrics, at := slices.ContainsFunc(list, func(t study.Trial) bool { return len(besideAims(s, t.Metrics)) > 0 }), 3+len(names)
	if metrics {
		head = slices.Insert(head, at, "metrics")
	}
	rows := [][]string{head}
	for i, t := range list {
		var cost string
		note := say.Trouble(t.Note)
		switch {
		case t.State.Ended():
			cost = say.Amount(s.Cost, t.Charged)
		default:
			cost = "≤ " + say.Amount(s.Cost, t.Reserved)
			note = "reserved"
		}
		if t.Estimated {
			cost = "≈ " + cost
		}
		if why := v.best.NotCounted(t); why != "" {
			note = strings.TrimSuffix(why+"; "+note, "; ")
		}
		if was := len(t.Was); was > 0 {
			note = strings.TrimSuffix(corrected(s, t, t.Was[was-1])+"; "+note, "; ")
		}
		if t.Stopping && t.State.Open() {
			note = "being stopped; " + note
		}
		row := slices.Concat([]string{fmt.Sprint(t.Number), string(t.State)}, aimValues(s, t), []string{cost, say.Setting(s, t.Setting)})
		switch {
		case v.why && len(list) > 1:
			row = append(row, reasons.rows[i]...)
		case v.why:
			row = append(row, strings.TrimSuffix(reason(s, t.Why)+"; "+say.FarOff(s, t), "; "))
		default:
			row = append(row, note)
		}
		if metrics {
			row = slices.Insert(row, at, say.Short(say.Metrics(s, besideAims(s, t.Metrics)), widestMetrics))
		}
		rows = append(rows, row)
	}
	a.table("", rows)
	for _, line := range reasons.common {
		a.printf("%s\n", line)
	}
}

// aimNames are the columns of the objectives, one or several.
func aimNames(s *study.Study) (names []string) {
	for _, o := range s.Aims() {
		names = append(names, o.Name)
	}
	return names
}

// aimValues are the objectives of a trial, in the order of aimNames. What is missing is empty.
func aimValues(s *study.Study, t study.Trial) []string {
	y, _ := s.Outcome(t)
	list := make([]string, len(y))
	for j, v := range y {
		if !math.IsNaN(v) && (t.State == study.Done || s.Several()) {
			list[j] = say.Number(v)
		}
	}
	return list
}

// besideAims are the metrics that are no objectives.
func besideAims(s *study.Study, m study.Metrics) study.Metrics {
	if !s.Several() {
		return m
	}
	left := maps.Clone(m)
	for _, o := range s.Objectives {
		delete(left, o.Name)
	}
	return left
}

// widestMetrics is how much room the metrics of a trial get in a list. All of them are in --json.
const widestMetrics = 60

// corrected says what a trial was before its last correction, and why it was corrected.
func corrected(s *study.Study, t study.Trial, was study.Was) string {
	text := "corrected, was " + figures(s, was, study.Was{Metrics: t.Metrics})
	if was.Why != "" {
		text += " (" + say.Clean(was.Why) + ")"
	}
	return text
}

// figures are those of a trial before or after a correction, with the metrics that it changed.
func figures(s *study.Study, w, other study.Was) string {
	text := string(w.State)
	if w.State == study.Done {
		text = say.Number(w.Value)
	}
	changed := maps.Clone(w.Metrics)
	maps.DeleteFunc(changed, func(name string, v float64) bool { o, ok := other.Metrics[name]; return ok && o == v })
	if len(changed) > 0 {
		text += ", " + say.Metrics(s, changed)
	}
	text += " for " + say.Amount(s.Cost, w.Charged)
	if w.Setup != nil {
		text += ", of which setup " + say.Amount(s.Cost, *w.Setup)
	}
	return text
}

func bestCommand(a *app) *cobra.Command {
	n, prefer := 1, ""
	cmd := a.ofStudy(known, &cobra.Command{
		Use:   "best [STUDY]",
		Short: "Show the best setting so far",
		Long: `Show the best setting so far, among the trials that are done and were within the budget.

Where evaluations have noise (noise: true, or a setting that was tried twice had two values), the best observation is mostly
luck. The best setting is then the setting that the models expect to be the best. Its value is their estimate, with the band that they
hold 80% likely. The values that were seen there follow.

--n lists the best few settings, each with its best trial, best first.

With several objectives, no result is the best by itself: the front is listed, and --prefer picks one of its results. Weights say how much each
objective matters; an objective counts from 0 for the worst on the front to 1 for the best. With limits, only results within the limits are
picked; without weights, the objectives without a limit matter.

If there is no result yet, the exit code is 1.`,
		Example: `  eke best
  eke best --n 5
  eke best --prefer accuracy=0.8,latency_ms=0.2
  eke best --prefer 'latency_ms<=50'
  eke --json best kiln`,
		SuggestFor: []string{"winner", "optimum", "top"},
		PreRunE:    func(*cobra.Command, []string) error { return atLeast1("--n", n) },
	}, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
		s := d.Study()
		switch {
		case s.Several() && n != 1:
			return usage("leave it out; to list the front: eke front "+a.called(s), "--n is for one objective, and study %s has several", s.Name)
		case s.Several():
			return a.bestOfFront(ctx, d, r, prefer)
		case prefer != "":
			return usage("leave it out", "--prefer is for several objectives, and study %s has one", s.Name)
		}
		best, ok, err := d.Best(ctx, r)
		switch {
		case err != nil:
			return err
		case !ok && say.NoneFeasible(s, r) != "":
			return a.infeasible(s, say.NoneFeasible(s, r))
		case !ok && slices.ContainsFunc(r.Trials, func(t study.Trial) bool { return t.State == study.Done }):
			return wrong("see why: eke trials "+a.called(s), "study %s has no value that counts, after %s", s.Name, say.Count(len(r.Trials), "trial"))
		case !ok:
			return wrong("see how it stands: eke status "+a.called(s), "study %s has no value yet, after %s", s.Name, say.Count(len(r.Trials), "trial"))
		}
		if n == 1 {
			return a.show(briefOf(best), func() { a.printBest(s, best, r, best.Hurts(s, r)) })
		}
		list, err := d.Advisor().Bests(ctx, r, n)
		if err != nil {
			return err
		}
		return a.show(briefs(list), func() { a.printBests(s, list) })
	})
	cmd.Flags().IntVar(&n, "n", 1, "how many settings, best first")
	cmd.Flags().StringVar(&prefer, "prefer", "", "how much each of several objectives matters, or limits, as a `preference` such as accuracy=0.8,latency_ms=0.2 or latency_ms<=50")
	return cmd
}

// printBests lists settings, best first.
func (a *app) printBests(s *study.Study, list []advisor.Best) {
	rows := [][]string{{"", s.Objective.Name, "cost", "of", "setting"}}
	for i, b := range list {
		rows = append(rows, []string{fmt.Sprint(i + 1), b.Text(), say.CostOf(s.Cost, b.Trial), b.Title(), say.Setting(s, b.Setting)})
	}
	a.table("", rows)
}

func briefs(list []advisor.Best) []briefTrial {
	out := make([]briefTrial, len(list))
	for i, b := range list {
		out[i] = briefOf(b)
	}
	return out
}

func (a *app) printBest(s *study.Study, best advisor.Best, r *study.Record, hurts string) {
	which := best.Title()
	if !best.Known {
		which += fmt.Sprintf(" of %d", len(r.Trials))
	}
	a.printf("%s %s%s, %s, on %s\n", s.Objective.Name, best.Text(), say.For(s.Cost, best.Trial), which, onClock(best.Finished))
	if best.Estimate != nil {
		a.printf("  %s\n", say.Seen(best.Estimate.Values))
	}
	if hurts != "" {
		a.printf("  %s\n", hurts)
	}
	if text := advisor.LimitsMet(s, r, best.Otherwise); text != "" {
		a.printf("  limits: %s\n", text)
	}
	a.printDetails(s, best.Trial)
}

// printDetails prints the metrics of a trial, its setting, and the command that tries the setting.
func (a *app) printDetails(s *study.Study, t study.Trial) {
	var rows [][]string
	for _, p := range s.Inputs() {
		if v, exists := t.Setting[p.Name]; exists {
			rows = append(rows, []string{p.Name, v.String()})
		}
	}
	if text := say.Metrics(s, besideAims(s, t.Metrics)); text != "" {
		a.printf("  %s\n", text)
	}
	a.table("  ", rows)
	if line, _ := commandLine(s, t.Setting); line != "" {
		a.printf("  command: %s\n", line)
	}
}

// briefTrial is the essence of a trial that is done.
type briefTrial struct {
	Number   int           `json:"number"`
	Known    bool          `json:"known,omitempty"` // a result from elsewhere, without a number
	Setting  space.Setting `json:"setting"`
	Value    float64       `json:"value"`
	Cost     float64       `json:"cost"`
	Finished time.Time     `json:"finished"`
	Metrics  study.Metrics `json:"metrics,omitempty"`

	Estimate *advisor.Estimate `json:"estimate,omitempty"` // where evaluations have noise; the value is the estimated one then

	title, text string
}

func briefOf(b advisor.Best) briefTrial {
	return briefTrial{b.Number, b.Known, b.Setting, b.Expected(), b.Charged, b.Finished, b.Metrics, b.Estimate, b.Title(), b.Text()}
}
