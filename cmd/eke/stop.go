package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

func stopCommand(a *app) *cobra.Command {
	return a.ofTrials(&cobra.Command{
		Use:   "stop [STUDY] TRIAL…",
		Short: "Stop running trials",
		Long: `Stop running trials: whoever runs them is told within seconds. They are charged for what they have used, end as cut, and are not
tried again. A trial that has not begun ends at once and costs nothing.

To stop a run rather than a trial, press Ctrl-C there; to keep all runs from starting trials, use eke pause.`,
		Example: `  eke stop 12
  eke stop kiln 12 13`,
		SuggestFor: []string{"cancel", "kill", "abort"},
	}, func(t study.Trial) bool { return t.State.Open() }, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		for _, n := range numbers {
			if err := d.Stop(ctx, n); err != nil {
				return err
			}
		}
		r, err := d.Record(ctx)
		if err != nil {
			return err
		}
		list := picked(r, numbers)
		return a.show(list, func() {
			for _, t := range list {
				if t.State.Open() {
					a.printf("trial %d is told to stop\n", t.Number)
				} else {
					a.printf("trial %d is %s\n", t.Number, t.State)
				}
			}
		})
	})
}
