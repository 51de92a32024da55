package main

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func correctCommand(a *app) *cobra.Command {
	var f tellFlags
	cmd := a.ofTrials(&cobra.Command{
		Use:   "correct [STUDY] TRIAL",
		Short: "Correct the value or the cost of a trial that has ended",
		Long: `Correct the value or the cost of a trial that has ended. What you do not give stays as it is. The old figures stay on record,
and the budget is charged the difference. A reported cost is what was really paid, so it is booked even if the budget does not cover
it; the study is over budget then, and starts nothing more. A measured cost cannot exceed the budget.

A trial that had no value is done when it gets one. --failed says that a trial had none, in truth.`,
		Example: `  eke correct 3 --value 0.81
  eke correct kiln 4 --cost 2.5 --note 'the meter was read wrongly'
  eke correct kiln 5 --failed`,
		SuggestFor: []string{"fix", "edit", "amend"},
	}, hasEnded, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		if len(numbers) != 1 {
			return usage("correct one trial at a time", "there are %d trials", len(numbers))
		}
		return a.correct(ctx, d, numbers[0], f)
	})
	flags := cmd.Flags()
	flags.StringVar(&f.value, "value", "", "the `number` that the trial returned, in truth")
	flags.StringVar(&f.cost, "cost", "", "the `amount` that it cost, in truth")
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
	if err := d.Correct(ctx, n, c); err != nil {
		return err
	}
	r, best, ok, err := afterwards(ctx, d)
	if err != nil {
		return err
	}
	t := r.Trials[n-1]
	return a.show(t, func() {
		now := figures(s, study.Was{State: t.State, Value: t.Value, Charged: t.Charged})
		if len(t.Was) == 0 {
			a.printf("trial %d is unchanged: %s\n", n, now)
		} else {
			a.printf("trial %d: %s (was %s), %s left\n", n, now, figures(s, t.Was[len(t.Was)-1]), say.Left(s.Cost, r.Ledger))
		}
		a.printOverBy(s, r.Ledger, t)
		a.printBestNow(s, best, ok)
	})
}

// correction is what the flags say.
func (f tellFlags) correction(s *study.Study) (c broker.Correction, err error) {
	c = broker.Correction{Failed: f.failed, Note: f.note}
	if f.value == "" && f.cost == "" && !f.failed {
		return c, usage("give --value, --cost or --failed", "nothing is to be corrected")
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
