package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/bench/transfer"
)

func transferCommand() *cobra.Command {
	var o studyOptions
	c := &cobra.Command{
		Use:   "transfer",
		Short: "Measure what an earlier, similar study is worth to a new one (start_from)",
		Long: `Plays studies of the suite's problems that start from nothing, from a study of a shifted copy of the problem, and from a study of an
unrelated problem with the same parameters. In the copy the optimum is elsewhere by 5 to 10 % of every range, values are stretched and
lifted, and trials cost half as much again. Each study is added as a line to results.jsonl in the folder; if you start it again, it
continues where it was.

Then it compares the regret of studies that start from a shifted copy, after half of the money, with that of studies that start from
nothing, after all of it; and says what starting from an unrelated study loses.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Policies = []string{"default"}
			return runTransfer(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	o.addFlags(c.Flags(), 8, "build/transfer")
	return c
}

func runTransfer(ctx context.Context, w, errw io.Writer, o studyOptions) error {
	list, err := o.Keys(leftOut(errw))
	if err != nil {
		return err
	}
	var keys []transfer.Key
	for _, k := range list {
		for _, from := range transfer.Starts() {
			keys = append(keys, transfer.Key{Problem: k.Problem, From: from, Number: k.Number})
		}
	}
	runs, err := played(ctx, errw, o, transfer.Folder(o.dir), keys, transfer.Play)
	if err != nil {
		return err
	}
	transfer.Report(w, runs)
	return nil
}
