package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/suite"
	"github.com/eke-bo/eke/bench/variant"
)

type suiteOptions struct {
	suite.Experiment
	jobs             int
	dir, against     string
	external         []string
	draw, pack, list bool
}

func suiteCommand() *cobra.Command {
	var o suiteOptions
	c := &cobra.Command{
		Use:   "suite",
		Short: "Compare policies on many problems, pair by pair",
		Long: `Runs policies on problems, many replications of each, and adds every finished run as a line to results.jsonl in
the folder. If you start it again, it continues where it was: what results.jsonl or results.jsonl.gz has is not run again, and an
interrupt loses only what was running. Several processes may work in one folder; they share the runs.

A policy is a name such as default, ei, ei-puc-cc or 4-bmsei-p, with @paper for the paper's preset, -looks for full
evaluations alone, and #NOTE to keep its results apart from others of the same name (default#before). --external adds a program of your own, as the policy external:COMMAND;
docs/EXTERNAL.md describes its lines of JSON.

With --workers 4, four trials of a study run at a time, on a clock of the study's own: a trial takes as long as it costs, a
suggestion takes no time, and a worker that becomes free asks at once. Money is spent while trials run. When it is gone, trials
under way are stopped and do not count, whoever suggested them.

Some of the problems are for validation. They are neither run nor shown unless --set says so: do not use them to choose
anything.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.draw && !c.Flags().Changed("policies") {
				o.Policies = nil // draw all there are
			}
			for _, command := range o.external {
				o.Policies = append(o.Policies, variant.External+":"+command)
			}
			return runSuite(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.Policies, "policies", []string{"default", "ei", "ei-puc", "ei-puc-cc", "2-bmsei-p"}, "policies to run")
	f.StringArrayVar(&o.external, "external", nil, "a `command` that starts another optimiser; repeat for more")
	f.StringSliceVar(&o.Only, "only", nil, "names or patterns of problems, such as 'gp4-*'")
	f.StringVar(&o.Set, "set", suite.Tuning, "problems to run and show: tuning, validation or all (both); or fidelity, live, limits, lcbench, lcbench-full, walls, changeover or programs (both), or one half of these, as in lcbench-tuning and lcbench-validation; or walls-told")
	f.IntSliceVar(&o.Workers, "workers", []int{1}, "trials at a time; several numbers are played and compared, such as 1,4,16")
	f.StringVar(&o.against, "against", "default", "the policy that the others are compared with, pair by pair")
	f.IntVar(&o.Replications, "reps", 4, "replications of each")
	f.IntVar(&o.First, "first", 0, "number of the first replication: another one draws other functions, costs and noise")
	f.Float64Var(&o.Money, "money", 1, "the fraction of every problem's budget to play with, in a folder of its own")
	f.Float64Var(&o.Overhead, "overhead", 0, "the fraction of the price of a full evaluation that looks cost besides their own price")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "runs at a time, each on one core")
	f.StringVar(&o.Data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA); lda needs one")
	f.StringVar(&o.dir, "out", "build/suite", "folder of the results; it is created if necessary")
	f.BoolVar(&o.draw, "draw", false, "run nothing; draw the results in the folder")
	f.BoolVar(&o.pack, "pack", false, "run nothing; move all results into results.jsonl.gz")
	f.BoolVar(&o.list, "list", false, "run nothing; list the problems")
	return c
}

func runSuite(ctx context.Context, w, errw io.Writer, o suiteOptions) error {
	switch {
	case o.list:
		return suite.List(w, o.Experiment)
	case o.pack:
		return suite.Folder(o.dir).Pack()
	case !o.draw:
		if err := runRuns(ctx, errw, o); err != nil {
			return err
		}
	}
	return suite.Draw(w, o.dir, o.Experiment, o.against)
}

func runRuns(ctx context.Context, errw io.Writer, o suiteOptions) error {
	keys, err := o.Keys(leftOut(errw))
	if err != nil {
		return err
	}
	folder := suite.Folder(o.dir)
	known, err := folder.Read()
	if err != nil {
		return err
	}
	progress := folder.NewProgress(errw, isTerminal(errw), keys, known, o.jobs)
	err = o.Run(ctx, o.dir, keys, o.jobs, progress)
	progress.Close()
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; all finished runs are kept, and the same command continues with the rest: %w", err)
	}
	return err
}
