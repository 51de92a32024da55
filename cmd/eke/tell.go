package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// tellFlags is the result of a trial, as it was typed.
type tellFlags struct {
	value, cost, setup, note      string
	failed, abandon, evenIfRunner bool
	over                          bool
	metrics                       map[string]string
}

func tellCommand(a *app) *cobra.Command {
	var f tellFlags
	cmd := &cobra.Command{
		Use:   "tell [STUDY] TRIAL",
		Short: "Report the result of a trial that you asked for by hand",
		Long: `Report the result of a trial: what it returned and what it cost, or that it failed, or that you gave it up.

The cost is in the study's unit. If that is wall time, give seconds or a duration such as 1m30s. A trial that
failed or was given up is charged --cost; without --cost it is charged nothing.

If the budget does not cover the cost, eke tell asks for --over, since the cost may be a slip.

You can report a trial only once. Exception: if a trial was given up, by you or because its run
died, you can still report a late result.`,
		Example: `  eke tell 3 --value 0.81 --cost 3.5
  eke tell kiln 4 --failed --cost 2 --note 'the glaze ran'
  eke tell kiln 5 --abandon
  eke tell kiln 6 --value 0.7 --cost 90 --over
  eke tell kiln 7 --value 0.7 --cost 3 --metric memory=7.4
  eke tell oven 8 --value 0.7 --cost 25 --setup 20`,
		SuggestFor:        []string{"report-result", "finish", "observe"},
		ValidArgsFunction: a.completeTrials,
		Args:              from1To(2, "write: eke tell 3 --value VALUE --cost COST; eke status lists open trials", "the trial's number is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, trial := studyAnd(args)
			n, err := strconv.Atoi(trial)
			if err != nil {
				return usage("write: eke tell [STUDY] TRIAL, such as eke tell 3", "%q is not the number of a trial", trial)
			}
			return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
				return a.tell(ctx, d, r, n, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.value, "value", "", "the `number` that the trial returned")
	flags.StringVar(&f.cost, "cost", "", "the `amount` that it cost")
	flags.StringVar(&f.setup, "setup", "", "the part of the cost, an `amount`, that went into changes, if the study has a changeover")
	flags.StringToStringVar(&f.metrics, "metric", nil, "another number that the trial reported, as `name=number`, such as memory=7.4; repeat for more")
	flags.StringVar(&f.note, "note", "", "a remark to keep with the trial")
	flags.BoolVar(&f.failed, "failed", false, "the trial ended without a value")
	flags.BoolVar(&f.abandon, "abandon", false, "give the trial up; its setting will be tried again")
	flags.BoolVar(&f.over, "over", false, "record a cost that is more than the budget covers")
	flags.BoolVar(&f.evenIfRunner, "force", false, "report it even if it belongs to a run")
	return cmd
}

func (a *app) tell(ctx context.Context, d *broker.Broker, record *study.Record, n int, f tellFlags) error {
	s := d.Study()
	if n < 1 || n > len(record.Trials) {
		return fault.New(fault.NotFound, trialsThere(s, record), "study %s has no trial %d", s.Name, n)
	}
	if err := f.mayTell(s, record.Trials[n-1]); err != nil {
		return err
	}
	finished, err := f.finished(s, n)
	if err != nil {
		return err
	}
	if err := f.mayCost(s, record, n, finished.Charged); err != nil {
		return err
	}
	if err := d.Finish(ctx, n, finished); err != nil {
		return err
	}
	before, _, err := d.Best(ctx, record)
	if err != nil {
		return err
	}
	if record, err = d.Record(ctx); err != nil {
		return err
	}
	best, ok, err := d.Best(ctx, record)
	if err != nil {
		return err
	}
	t, now := record.Trials[n-1], ""
	if s.Several() {
		var f advisor.Front
		if f, err = d.Front(ctx, record); err != nil {
			return err
		}
		if f.Expected && t.State == study.Done {
			now = frontNow(record, f, n)
		}
	} else if best.Estimate != nil && !before.Has(best.Trial) {
		now = bestNow(s, best, ok)
	}
	return a.show(shown(t), func() {
		a.printTold(s, record, t, finished.Charged, best, ok)
		if now != "" {
			a.printf("%s\n", now)
		}
	})
}

func trialsThere(s *study.Study, r *study.Record) string {
	if len(r.Trials) == 0 {
		return "ask for one first: eke ask " + s.Name
	}
	return fmt.Sprintf("there are trials 1 to %d: eke trials %s", len(r.Trials), s.Name)
}

// mayTell refuses a trial that was reported already, and one that somebody else will report.
func (f tellFlags) mayTell(s *study.Study, t study.Trial) error {
	switch {
	case t.State == study.Abandoned && f.abandon:
		return wrong("a late result can still be reported with --value and --cost", "trial %d was given up already", t.Number)
	case t.State.Ended() && t.State != study.Abandoned:
		result := "without a value"
		if t.State == study.Done {
			result = say.Outcome(s, t)
		}
		hint := "; see: eke trials " + s.Name
		if line := f.correctLine(s, t.Number); line != "" {
			hint = "; to change what was told: " + line
		}
		return wrong("nothing was changed or charged"+hint, "trial %d %s already: %s for %s", t.Number, t.State.Predicate(), result,
			say.Amount(s.Cost, t.Charged))
	case t.State.Open() && t.Runner != byHand && strings.HasPrefix(t.Runner, "run-") && !f.evenIfRunner:
		return wrong("wait for it; if the run has died, the next eke run takes care of it; --force reports it all the same",
			"trial %d belongs to a run (%s), which will report its result", t.Number, t.Runner)
	}
	return nil
}

// correctLine is the command that changes what was told of a trial to what these flags say; "" if they say nothing.
func (f tellFlags) correctLine(s *study.Study, n int) string {
	line := []string{"eke", "correct", s.Name, strconv.Itoa(n)}
	bare := len(line)
	for _, flag := range [][2]string{{"value", f.value}, {"cost", f.cost}, {"setup", f.setup}} {
		if flag[1] != "" {
			line = append(line, "--"+flag[0], flag[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.metrics)) {
		line = append(line, "--metric", name+"="+f.metrics[name])
	}
	if f.failed {
		line = append(line, "--failed")
	}
	if len(line) == bare {
		return ""
	}
	return say.Command(line)
}

// addLine is the command that adds the limited quantities that a result lacks; "" if it lacks none.
func addLine(s *study.Study, t study.Trial) string {
	line := []string{"eke", "correct", s.Name, strconv.Itoa(t.Number)}
	bare := len(line)
	for _, name := range t.Violates {
		if _, known := t.Metrics[name]; !known {
			line = append(line, "--metric", name+"=NUMBER")
		}
	}
	if len(line) == bare {
		return ""
	}
	return say.Command(line)
}

// mayCost refuses a cost that the budget does not cover, unless it is meant: it may be a slip, such as cents for euros.
func (f tellFlags) mayCost(s *study.Study, r *study.Record, trial int, cost float64) error {
	t := r.Trials[trial-1]
	most := r.Ledger.Left() + t.Reserved
	if t.State == study.Abandoned {
		most = r.Ledger.Left() + t.Charged
	}
	if f.over || cost <= most*(1+1e-9) {
		return nil
	}
	hint := fmt.Sprintf("--over records it all the same: the study is over budget then, and the value does not count until you add to the budget: eke budget add %s %s", s.Name, roundedUp(cost-most))
	if s.Measured() {
		hint = "--over records it all the same, and charges what is left"
	}
	return usage(hint, "trial %d cost %s, but only %s %s reserved for it or left", trial, say.Amount(s.Cost, cost), say.Amount(s.Cost, most), say.Are(s.Cost, most))
}

// roundedUp writes an amount that is to be added. Less would not do.
func roundedUp(amount float64) string {
	return strconv.FormatFloat(math.Ceil(1000*amount)/1000, 'f', -1, 64)
}

// finished turns the flags into the event body of a trial.
func (f tellFlags) finished(s *study.Study, n int) (study.Finished, error) {
	out := study.Finished{State: study.Done, Note: f.note}
	switch {
	case f.failed && f.abandon:
		return out, usage("give one of them", "--failed and --abandon exclude each other")
	case (f.failed || f.abandon) && f.value != "":
		return out, usage("leave out --value, or the other flag", "a trial with a --value has neither failed nor been given up")
	case f.failed:
		out.State = study.Failed
	case f.abandon:
		out.State, out.Stopped = study.Abandoned, true
	}
	var err error
	if out.State == study.Done {
		if err = f.missing(s, n); err != nil {
			return out, err
		}
	}
	if f.value != "" {
		if out.Value, err = strconv.ParseFloat(strings.TrimSpace(f.value), 64); err != nil {
			return out, usage("give a number", "--value is %q, which is not a number", f.value)
		}
		if math.IsNaN(out.Value) || math.IsInf(out.Value, 0) {
			return out, usage("give --failed instead", "--value is %s, which teaches nothing", f.value)
		}
	}
	if f.cost != "" {
		if out.Charged, err = parseAmount(f.cost, "--cost", s.Cost); err != nil {
			return out, err
		}
		if out.Charged < 0 {
			return out, usage("give an amount of 0 or more", "--cost is %s", f.cost)
		}
	}
	if s.Measured() {
		out.Wall = out.Charged
	}
	if out.Setup, err = f.readSetup(s); err != nil {
		return out, err
	}
	if out.Setup != nil && (*out.Setup < 0 || *out.Setup > out.Charged) {
		return out, usage("give a part of the cost: from 0 to "+say.Amount(s.Cost, out.Charged), "--setup is %s", f.setup)
	}
	if out.Metrics, err = f.readMetrics(); err != nil {
		return out, err
	}
	if x, twice := out.Metrics[s.Objective.Name]; twice && out.State == study.Done {
		return out, usage("give it as the --value", "%s is the objective, and --metric %s is %v", s.Objective.Name, s.Objective.Name, x)
	}
	return out, s.Misnamed(out.Metrics, nil)
}

// missing returns an error that names everything a finished trial lacks; nil if there is nothing. A metric with a limit may be left out, so it is named only
// beside something else.
func (f tellFlags) missing(s *study.Study, n int) error {
	var list []string
	if f.value == "" {
		list = append(list, "--value ("+s.Objective.Name+")")
	}
	if f.cost == "" && s.Measured() {
		list = append(list, "--cost (seconds, or a duration such as 1m30s)")
	} else if f.cost == "" {
		list = append(list, "--cost (in "+s.Cost.Unit+")")
	}
	lacks := func(names []string) {
		for _, name := range names {
			if _, given := f.metrics[name]; !given {
				list = append(list, "--metric "+name)
			}
		}
	}
	lacks(s.Missing(nil))
	if len(list) == 0 {
		return nil
	}
	lacks(s.Limits.Names())
	are := "are"
	if len(list) == 1 {
		are = "is"
	}
	return usage("write: "+tellLine(s, n)+"; or give --failed, or --abandon", "%s %s missing", strings.Join(list, ", "), are)
}

// tellLine is the command that reports a trial.
func tellLine(s *study.Study, n int) string {
	line := fmt.Sprintf("eke tell %s %d --value VALUE --cost COST", s.Name, n)
	if len(s.Changeover) > 0 {
		line += " --setup PART"
	}
	for _, name := range slices.Concat(s.Missing(nil), s.Limits.Names()) {
		line += " --metric " + name + "=NUMBER"
	}
	return line
}

// readSetup reads the part of the cost that went into changes; nil if it is not given.
func (f tellFlags) readSetup(s *study.Study) (*float64, error) {
	if f.setup == "" {
		return nil, nil
	}
	if len(s.Changeover) == 0 {
		return nil, usage("leave it out, or add changeover to the study file", "--setup is the part of the cost that went into changes, but the study has no changeover")
	}
	setup, err := parseAmount(f.setup, "--setup", s.Cost)
	return &setup, err
}

// readMetrics reads the numbers of --metric.
func (f tellFlags) readMetrics() (study.Metrics, error) {
	var all study.Metrics
	for name, text := range f.metrics {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !study.IsMetric(name, x) {
			return nil, usage("write --metric NAME=NUMBER, such as --metric memory=7.4", "--metric is %q, which is no name and number", name+"="+text)
		}
		if all == nil {
			all = study.Metrics{}
		}
		all[name] = x
	}
	return all, nil
}

func (a *app) printTold(s *study.Study, r *study.Record, t study.Trial, asked float64, best advisor.Best, ok bool) {
	a.printf("trial %d %s", t.Number, t.State.Predicate())
	if t.State == study.Done {
		a.printf(": %s", say.Outcome(s, t))
		if ok && best.Estimate == nil && best.Number == t.Number && !s.Several() {
			a.printf(", the best so far")
		}
		if far := say.FarOff(s, t); far != "" {
			a.printf(", %s", far)
		}
	}
	a.printf("; charged %s, %s left\n", say.Amount(s.Cost, t.Charged), say.Left(s.Cost, r.Ledger))
	if t.State == study.Done && len(t.Violates) > 0 {
		a.printf("note: %s\n", best.NotCounted(t))
		if add := addLine(s, t); add != "" {
			a.printf("note: to add what is missing: %s\n", add)
		}
	}
	a.printPassed(s, t)
	if t.Charged < asked {
		a.printf("note: it cost %s, but no more was left to charge\n", say.Amount(s.Cost, asked))
	}
	if limit := s.Budget.PerTrial; limit > 0 && t.Charged > limit && !t.Beyond {
		a.printf("note: %s\n", say.Clean(t.Note))
	}
	a.printOverBy(s, r.Ledger, t)
}

// printPassed says which objectives of a trial are beyond their bounds.
func (a *app) printPassed(s *study.Study, t study.Trial) {
	for line := range strings.Lines(s.PassedBounds(t.State, t.Value, t.Metrics)) {
		a.printf("note: %s\n", say.Clean(line))
	}
}

// printOverBy says that the budget is overdrawn, if it is, and what that means for a trial.
func (a *app) printOverBy(s *study.Study, l study.Ledger, t study.Trial) {
	a.printOver(s, l)
	if t.Beyond && t.State == study.Done {
		a.printf("note: the value of trial %d is on record, but does not count until the budget covers it: eke budget add %s %s\n", t.Number, s.Name, roundedUp(l.Spent-l.Total))
	}
}

// completeTrials offers open trials, or names of studies if there is no study yet.
func (a *app) completeTrials(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var list []string
	err := a.withStudy(cmd.Context(), first(args), known, func(_ context.Context, d *broker.Broker, r *study.Record) error {
		for _, t := range r.Open() {
			list = append(list, fmt.Sprintf("%d\t%s", t.Number, say.ExactSetting(d.Study(), t.Setting)))
		}
		return nil
	})
	if err != nil {
		return a.completeStudies(cmd, args, "")
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func correctCommand(a *app) *cobra.Command {
	var f tellFlags
	cmd := a.ofTrials(&cobra.Command{
		Use:   "correct [STUDY] TRIAL",
		Short: "Correct the value or the cost of a trial that has ended",
		Long: `Correct the value or the cost of a trial that has ended. What you do not give stays as it is. The old figures stay on record,
and the budget is charged the difference. A reported cost is what was really paid, so it is booked even if the budget does not cover
it; the study is over budget then, and starts nothing more. A measured cost cannot exceed the budget.

A trial without a value counts as done once you give it a value. --failed says that a trial had no value after all.`,
		Example: `  eke correct 3 --value 0.81
  eke correct kiln 4 --cost 2.5 --note 'the meter was read wrongly'
  eke correct oven 6 --setup 20
  eke correct kiln 5 --failed`,
		SuggestFor: []string{"fix", "edit", "amend"},
	}, hasEnded, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		if len(numbers) != 1 {
			return usage("correct one trial at a time", "there are %d trials", len(numbers))
		}
		return a.correct(ctx, d, numbers[0], f)
	})
	flags := cmd.Flags()
	flags.StringVar(&f.value, "value", "", "the right `number` for the value")
	flags.StringVar(&f.cost, "cost", "", "the right `amount` for the cost")
	flags.StringVar(&f.setup, "setup", "", "the right `amount` for the cost of changes, if the study has a changeover")
	flags.StringToStringVar(&f.metrics, "metric", nil, "the right value of another number, as `name=number`; repeat for more")
	flags.BoolVar(&f.failed, "failed", false, "it had no value")
	flags.StringVar(&f.note, "note", "", "why it is corrected")
	return cmd
}

func (a *app) correct(ctx context.Context, d *broker.Broker, n int, f tellFlags) error {
	s := d.Study()
	c, err := f.correction(s)
	if err != nil {
		return err
	}
	if err := a.orders(d).Correct(ctx, n, c); err != nil {
		return err
	}
	r, best, err := afterwards(ctx, d, n)
	if err != nil {
		return err
	}
	t := r.Trials[n-1]
	return a.show(shown(t), func() {
		now := study.Was{State: t.State, Value: t.Value, Charged: t.Charged, Setup: t.Setup, Metrics: t.Metrics}
		if len(t.Was) == 0 {
			a.printf("trial %d is unchanged: %s\n", n, figures(s, now, now))
		} else {
			was := t.Was[len(t.Was)-1]
			a.printf("trial %d: %s (was %s), %s left\n", n, figures(s, now, was), figures(s, was, now), say.Left(s.Cost, r.Ledger))
		}
		if why := say.NotCounted(t); why != "" && t.State == study.Done && !t.Beyond {
			a.printf("note: %s\n", why)
		}
		a.printPassed(s, t)
		a.printOverBy(s, r.Ledger, t)
		a.printf("%s\n", best)
	})
}

// correction is what the flags say.
func (f tellFlags) correction(s *study.Study) (c broker.Correction, err error) {
	c = broker.Correction{Failed: f.failed, Note: f.note}
	if f.value == "" && f.cost == "" && f.setup == "" && !f.failed && len(f.metrics) == 0 {
		return c, usage("give --value, --cost, --setup, --metric or --failed", "nothing is to be corrected")
	}
	if c.Setup, err = f.readSetup(s); err != nil {
		return c, err
	}
	if c.Metrics, err = f.readMetrics(); err != nil {
		return c, err
	}
	if f.value != "" {
		value, err := strconv.ParseFloat(strings.TrimSpace(f.value), 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return c, usage("give a number; --failed if there is none", "--value is %q", f.value)
		}
		c.Value = &value
	}
	if f.cost != "" {
		cost, err := parseAmount(f.cost, "--cost", s.Cost)
		if err != nil {
			return c, err
		}
		if cost < 0 {
			return c, usage("give an amount of 0 or more", "--cost is %s", f.cost)
		}
		c.Cost = &cost
	}
	return c, nil
}
