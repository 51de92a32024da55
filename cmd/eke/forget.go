package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func forgetCommand(a *app) *cobra.Command {
	var undo, results bool
	cmd := a.ofTrials(&cobra.Command{
		Use:   "forget [STUDY] TRIAL…",
		Short: "Have trials ignored, such as those of a broken machine",
		Long: `Have trials ignored: the models do not learn from them, and none of them is the best. What they cost stays spent, and they
stay in the history. --undo makes them count again.

With --known the numbers are those of imported results: 1 is the first one.`,
		Example: `  eke forget 12
  eke forget kiln 3 5-9
  eke forget kiln 3 --undo`,
		SuggestFor: []string{"ignore", "discard", "remove"},
	}, hasEnded, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		return a.forget(ctx, d, numbers, !undo, results)
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "let them count again")
	cmd.Flags().BoolVar(&results, "known", false, "the numbers are those of imported results")
	return cmd
}

func (a *app) forget(ctx context.Context, d *broker.Broker, numbers []int, forget, results bool) error {
	forgets, what := d.Forget, these(numbers)
	if results {
		forgets, what = d.ForgetKnown, "imported results: "+say.Count(len(numbers), "result")
	}
	if err := forgets(ctx, forget, numbers...); err != nil {
		return err
	}
	r, best, ok, err := afterwards(ctx, d)
	if err != nil {
		return err
	}
	told := struct {
		Study     string        `json:"study"`
		Forgotten bool          `json:"forgotten"`
		Trials    []study.Trial `json:"trials,omitempty"`
		Known     []int         `json:"known,omitempty"`
	}{Study: d.Study().Name, Forgotten: forget}
	if results {
		told.Known = numbers
	} else {
		told.Trials = picked(r, numbers)
	}
	return a.show(told, func() {
		if forget {
			a.printf("%s: forgotten; the money stays spent\n", what)
		} else {
			a.printf("%s: counted again\n", what)
		}
		a.printBestNow(d.Study(), best, ok)
	})
}

// afterwards returns the record after a change, and the best result in it, if there is one.
func afterwards(ctx context.Context, d *broker.Broker) (r *study.Record, best advisor.Best, ok bool, err error) {
	if r, err = d.Record(ctx); err == nil {
		best, ok, err = d.Best(ctx, r)
	}
	return r, best, ok, err
}

// printBestNow says which result is the best now.
func (a *app) printBestNow(s *study.Study, best advisor.Best, ok bool) {
	if !ok {
		a.printf("no result counts\n")
		return
	}
	a.printf("the best is %s: %s %s\n", best.Title(), s.Objective.Name, best.Text())
}
