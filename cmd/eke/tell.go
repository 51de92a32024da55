package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// tellFlags is the result of a trial, as it was typed.
type tellFlags struct {
	value, cost, note             string
	failed, abandon, evenIfRunner bool
	over                          bool
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
  eke tell kiln 6 --value 0.7 --cost 90 --over`,
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
	flags.StringVar(&f.note, "note", "", "a remark to keep with the trial")
	flags.BoolVar(&f.failed, "failed", false, "the trial ended without a value")
	flags.BoolVar(&f.abandon, "abandon", false, "give the trial up; its setting will be tried again, up to three times in all")
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
	finished, err := f.finished(s)
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
	t := record.Trials[n-1]
	return a.show(t, func() {
		a.printTold(s, record, t, finished.Charged, ok && best.Estimate == nil && best.Number == t.Number)
		if best.Estimate != nil && !before.Has(best.Trial) {
			a.printBestNow(s, best, ok)
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
			result = s.Objective.Name + " " + say.Number(t.Value)
		}
		return wrong("nothing was changed or charged; see: eke trials "+s.Name, "trial %d is %s already: %s for %s", t.Number, t.State, result,
			say.Amount(s.Cost, t.Charged))
	case t.State.Open() && t.Runner != byHand && strings.HasPrefix(t.Runner, "run-") && !f.evenIfRunner:
		return wrong("wait for it; if the run has died, the next eke run takes care of it; --force reports it all the same",
			"trial %d belongs to a run (%s), which will report its result", t.Number, t.Runner)
	}
	return nil
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
	hint := "--over records it all the same: the study is over budget then, and the value does not count until you add to the budget"
	if s.Measured() {
		hint = "--over records it all the same, and charges what is left"
	}
	return usage(hint, "trial %d cost %s, but only %s are reserved for it or left", trial, say.Amount(s.Cost, cost), say.Amount(s.Cost, most))
}

// finished is the event body for the flags.
func (f tellFlags) finished(s *study.Study) (study.Finished, error) {
	out := study.Finished{State: study.Done, Note: f.note}
	switch {
	case f.failed && f.abandon:
		return out, usage("give one of them", "--failed and --abandon exclude each other")
	case (f.failed || f.abandon) && f.value != "":
		return out, usage("leave out --value, or the other flag", "a trial with a --value has neither failed nor been given up")
	case f.failed:
		out.State = study.Failed
	case f.abandon:
		out.State = study.Abandoned
	case f.value == "":
		return out, usage("give --value, or --failed, or --abandon", "the trial's result is missing")
	case f.cost == "" && s.Measured():
		return out, usage("give --cost in seconds, or as a duration such as 1m30s", "the time that the trial took is missing")
	case f.cost == "":
		return out, usage("give --cost in "+s.Cost.Unit, "the trial's cost is missing")
	}
	var err error
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
	return out, nil
}

func (a *app) printTold(s *study.Study, r *study.Record, t study.Trial, asked float64, best bool) {
	a.printf("trial %d is %s", t.Number, t.State)
	if t.State == study.Done {
		a.printf(": %s %s", s.Objective.Name, say.Number(t.Value))
		if best {
			a.printf(", the best so far")
		}
	}
	a.printf("; charged %s, %s left\n", say.Amount(s.Cost, t.Charged), say.Left(s.Cost, r.Ledger))
	if t.Charged < asked {
		a.printf("note: it cost %s, but no more was left to charge\n", say.Amount(s.Cost, asked))
	}
	if limit := s.Budget.PerTrial; limit > 0 && t.Charged > limit && !t.Beyond {
		a.printf("note: %s\n", say.Clean(t.Note))
	}
	a.printOverBy(s, r.Ledger, t)
}

// printOverBy says that the budget is overdrawn, if it is, and what that means for a trial.
func (a *app) printOverBy(s *study.Study, l study.Ledger, t study.Trial) {
	a.printOver(s, l)
	if t.Beyond && t.State == study.Done {
		a.printf("note: the value of trial %d is on record, but does not count until the budget covers it: eke budget add AMOUNT\n", t.Number)
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
