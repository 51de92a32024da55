package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

func retryCommand(a *app) *cobra.Command {
	return a.ofTrials(&cobra.Command{
		Use:   "retry [STUDY] TRIAL…",
		Short: "Have the settings of trials tried again",
		Long: `Have the settings of trials tried again, before anything else, as soon as the budget allows. Each becomes a new trial.

A trial that ended without a value counts no more: the new one takes its place. One that is done still counts; if its value is
wrong, use eke forget or eke correct.`,
		Example: `  eke retry 7
  eke retry kiln 7 9`,
		SuggestFor: []string{"rerun", "repeat", "again"},
	}, hasEnded, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		items, err := d.Retry(ctx, numbers...)
		if err != nil {
			return err
		}
		return a.show(items, func() {
			a.printf("%s: to be tried again, next\n", these(numbers))
		})
	})
}
