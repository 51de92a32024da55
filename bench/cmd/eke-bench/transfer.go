package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/transfer"
)

func transferCommand() *cobra.Command {
	var o studyOptions
	var copies []string
	c := &cobra.Command{
		Use:   "transfer",
		Short: "Measure what an earlier, similar study is worth to a new one (start_from)",
		Long: `Plays studies of the suite's problems that start from nothing, and from earlier studies of copies of the problem, with the same money:

  identical   the problem itself
  same        values are stretched and lifted; the optimum is where it was
  near        the optimum is also elsewhere by 1 to 3 % of every range
  equal-cost  elsewhere by 5 to 10 % of every range
  shifted     the same, and trials cost half as much again, so there are fewer of them
  unrelated   another function of the same parameters

Each study is added as a line to results.jsonl in the folder; if you start it again, it continues where it was.

Then it compares the regret of studies that start from a copy, after half of the money and after all of it, with that of studies that start from
nothing, after all of it.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Policies = []string{"default"}
			return runTransfer(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o, copies)
		},
	}
	o.addFlags(c.Flags(), 8, "build/transfer")
	c.Flags().StringSliceVar(&copies, "copy", []string{"shifted", "unrelated"}, "what earlier studies are of: "+strings.Join(transfer.Copies(), ", "))
	return c
}

func runTransfer(ctx context.Context, w, errw io.Writer, o studyOptions, copies []string) error {
	for _, c := range copies {
		if !slices.Contains(transfer.Copies(), c) {
			return fmt.Errorf("--copy is %q, must be among %s", c, strings.Join(transfer.Copies(), ", "))
		}
	}
	list, err := o.Keys(leftOut(errw))
	if err != nil {
		return err
	}
	var keys []transfer.Key
	for _, k := range list {
		for _, from := range append([]string{transfer.Nothing}, copies...) {
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
