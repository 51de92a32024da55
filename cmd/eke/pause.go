package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// standing is how a study stands besides its money. Its JSON form is a promise.
type standing struct {
	Study    string `json:"study"`
	Paused   bool   `json:"paused"`
	Archived bool   `json:"archived"`
	Closed   bool   `json:"closed"`
	Open     int    `json:"open"` // trials under way
}

func (a *app) printStanding(ctx context.Context, d *broker.Broker, text func(r *study.Record)) error {
	r, err := d.Record(ctx)
	if err != nil {
		return err
	}
	return a.show(standing{d.Study().Name, r.Paused, r.Archived, r.Closed, len(r.Open())}, func() { text(r) })
}

func pauseCommand(a *app) *cobra.Command {
	return a.ofStudy(known, &cobra.Command{
		Use:   "pause [STUDY]",
		Short: "Start no further trials until eke resume",
		Long:  `Start no further trials, in any run and on any worker, until eke resume. Trials under way go on. Runs and workers wait.`,
		Example: `  eke pause kiln
  eke resume kiln`,
		SuggestFor: []string{"hold", "suspend"},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
		if err := d.Pause(ctx, true); err != nil {
			return err
		}
		return a.printStanding(ctx, d, func(r *study.Record) {
			a.printf("study %s is paused; %s under way; go on with: eke resume %s\n", d.Study().Name, say.Count(len(r.Open()), "trial"), d.Study().Name)
		})
	})
}

func resumeCommand(a *app) *cobra.Command {
	return a.ofStudy(known, &cobra.Command{
		Use:        "resume [STUDY]",
		Short:      "Let a paused study start trials again",
		Long:       `Let a paused study start trials again. Runs and workers that wait go on within seconds. If none is waiting, begin with eke run.`,
		Example:    `  eke resume kiln`,
		SuggestFor: []string{"unpause", "continue"},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
		if err := d.Pause(ctx, false); err != nil {
			return err
		}
		return a.printStanding(ctx, d, func(*study.Record) { a.printf("study %s goes on\n", d.Study().Name) })
	})
}

func archiveCommand(a *app) *cobra.Command {
	var undo bool
	cmd := a.ofStudy(known, &cobra.Command{
		Use:   "archive [STUDY]",
		Short: "Put a study away, without losing anything",
		Long: `Put a study away: eke study list does not list it any more (--all does), and it starts no trials. Everything else works as before.
--undo takes it out again.`,
		Example: `  eke study archive kiln
  eke study archive kiln --undo`,
		SuggestFor: []string{"hide"},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
		if err := d.Archive(ctx, !undo); err != nil {
			return err
		}
		return a.printStanding(ctx, d, func(*study.Record) {
			a.printf("study %s is %s\n", d.Study().Name, map[bool]string{true: "no longer archived", false: "archived"}[undo])
		})
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "take it out again")
	return cmd
}
