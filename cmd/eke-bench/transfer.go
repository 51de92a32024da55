package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/bench/suite"
	"github.com/eke-bo/eke/internal/bench/transfer"
)

type transferOptions struct {
	suite.Experiment
	jobs int
	dir  string
	draw bool
}

func transferCommand() *cobra.Command {
	var o transferOptions
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
	f := c.Flags()
	f.StringSliceVar(&o.Only, "only", nil, "names or patterns of problems, such as 'gp4-*'")
	f.StringVar(&o.Set, "set", suite.Tuning, "problems to play and show: tuning, validation or all")
	f.IntVar(&o.Replications, "reps", 8, "replications of each")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "studies at a time, each on one core")
	f.StringVar(&o.Data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA); lda needs one")
	f.StringVar(&o.dir, "out", "build/transfer", "folder of the studies; it is created if necessary")
	f.BoolVar(&o.draw, "draw", false, "play nothing; judge the studies in the folder")
	return c
}

func runTransfer(ctx context.Context, w, errw io.Writer, o transferOptions) error {
	list, err := o.Keys(func(err error) { fmt.Fprintf(errw, "eke-bench: left out: %v\n", err) })
	if err != nil {
		return err
	}
	var keys []transfer.Key
	for _, k := range list {
		for _, from := range transfer.Starts() {
			keys = append(keys, transfer.Key{Problem: k.Problem, From: from, Number: k.Number})
		}
	}
	folder := transfer.Folder(o.dir)
	runs, err := folder.Read()
	if err != nil {
		return err
	}
	if !o.draw {
		progress := folder.NewProgress(errw, isTerminal(errw), keys, runs, o.jobs)
		err = folder.Run(ctx, keys, o.jobs, func(ctx context.Context, k transfer.Key) (transfer.Run, error) { return transfer.Play(ctx, k, o.Data) }, progress)
		progress.Close()
		if err != nil {
			return err
		}
		if runs, err = folder.Read(); err != nil {
			return err
		}
	}
	transfer.Report(w, slices.DeleteFunc(runs, func(r transfer.Run) bool { return !slices.Contains(keys, r.Key) }))
	return nil
}
