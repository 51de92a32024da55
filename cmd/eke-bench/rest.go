package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/bench/rest"
	"github.com/eke-bo/eke/internal/bench/suite"
)

type restOptions struct {
	suite.Experiment
	policy string
	jobs   int
	dir    string
	draw   bool
}

func restCommand() *cobra.Command {
	var o restOptions
	c := &cobra.Command{
		Use:   "rest",
		Short: "Measure forecasts of what the rest of the money buys, and the rule that ends a study",
		Long: `Plays studies of the suite's problems to the end of their money, and adds each as a line to results.jsonl in the folder. If
you start it again, it continues where it was.

Then it forecasts the rest of each study at 25, 50 and 75 % of its budget, and says how often the best value at the end was in
the band of 80 %. It also asks the default rule to stop before every trial, and says how much of the spread of the values would
have been given away, and how much money saved. Problems with noisy values do not count.

A study has converged if its best value was within a thousandth of the spread of the optimum when half of the money was spent,
and it is steady if its best value improved by less than that afterwards.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Policies = []string{o.policy}
			return runRest(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.policy, "policy", "default", "the policy that plays the studies")
	f.StringSliceVar(&o.Only, "only", nil, "names or patterns of problems, such as 'gp4-*'")
	f.StringVar(&o.Set, "set", suite.Tuning, "problems to play and show: tuning, validation or all")
	f.IntVar(&o.Replications, "reps", 4, "replications of each")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "studies at a time, each on one core")
	f.StringVar(&o.Data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA); lda needs one")
	f.StringVar(&o.dir, "out", "build/rest", "folder of the studies; it is created if necessary")
	f.BoolVar(&o.draw, "draw", false, "play nothing; judge the studies in the folder")
	return c
}

func runRest(ctx context.Context, w, errw io.Writer, o restOptions) error {
	runs, err := o.Keys(func(err error) { fmt.Fprintf(errw, "eke-bench: left out: %v\n", err) })
	if err != nil {
		return err
	}
	keys := make([]rest.Key, len(runs))
	for i, k := range runs {
		keys[i] = rest.Key{Problem: k.Problem, Policy: k.Policy, Number: k.Number}
	}
	folder := rest.Folder(o.dir)
	courses, err := folder.Read()
	if err != nil {
		return err
	}
	if !o.draw {
		progress := folder.NewProgress(errw, isTerminal(errw), keys, courses, o.jobs)
		err = folder.Run(ctx, keys, o.jobs, func(ctx context.Context, k rest.Key) (rest.Course, error) { return rest.Play(ctx, k, o.Data) }, progress)
		progress.Close()
		if err != nil {
			return err
		}
		if courses, err = folder.Read(); err != nil {
			return err
		}
	}
	courses = slices.DeleteFunc(courses, func(c rest.Course) bool { return !slices.Contains(keys, c.Key) })
	return rest.Report(ctx, w, courses, o.jobs)
}
