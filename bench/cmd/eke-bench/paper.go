package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/paper"
	"github.com/eke-bo/eke/bench/problem"
)

type paperOptions struct {
	problems, policies []string
	reps, workers      int
	data, dir          string
	half, draw, pack   bool
}

func paperCommand() *cobra.Command {
	var o paperOptions
	c := &cobra.Command{
		Use:   "paper",
		Short: "Run the paper's experiments and draw its figures and tables",
		Long: "Runs policies on problems, many replications of each, and adds every finished replication as a line to results.jsonl in\n" +
			"the folder. If you start it again, it continues where it was: what results.jsonl or results.jsonl.gz has is not run again, and an\n" +
			"interrupt loses only what was running. At the end it draws the figures and tables of all results in the folder.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runPaper(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	var names []string
	for _, n := range paper.Contenders() {
		names = append(names, n.String())
	}
	f := c.Flags()
	f.StringSliceVar(&o.problems, "only", problem.Names(), "problems; lda needs its data set, see --data")
	f.StringSliceVar(&o.policies, "policies", names, "policies, in the paper's preset; default:NAME for the default preset and default for default:4-bmsei-p")
	f.IntVar(&o.reps, "reps", 0, "replications of each (default 40, and 20 of 2-bmsei and 4-bmsei)")
	f.BoolVar(&o.half, "half", false, "run dropwave, lda and robot with half of the budget, too")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "replications at a time, each on one core")
	f.StringVar(&o.data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA)")
	f.StringVar(&o.dir, "out", "build/paper", "folder of the results; it is created if necessary")
	f.BoolVar(&o.draw, "draw", false, "run nothing; draw the results in the folder")
	f.BoolVar(&o.pack, "pack", false, "run nothing; move all results into results.jsonl.gz")
	return c
}

func runPaper(ctx context.Context, w, errw io.Writer, o paperOptions) error {
	if !o.draw && !o.pack {
		if err := runExperiment(ctx, errw, o); err != nil {
			return err
		}
	}
	if o.pack {
		if err := paper.Folder(o.dir).Pack(); err != nil {
			return err
		}
	}
	if o.pack && !o.draw {
		return nil
	}
	results, err := paper.Folder(o.dir).Read()
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return fmt.Errorf("%s has no results to draw", o.dir)
	}
	return paper.Draw(o.dir, results, w)
}

func runExperiment(ctx context.Context, errw io.Writer, o paperOptions) error {
	e := paper.Experiment{Problems: o.problems, Replications: o.reps, Half: o.half, Data: o.data}
	for _, name := range o.policies {
		c, err := paper.ParseContender(name)
		if err != nil {
			return err
		}
		e.Contenders = append(e.Contenders, c)
	}
	keys, err := e.Keys(func(err error) { fmt.Fprintf(errw, "eke-bench: left out: %v\n", err) })
	if err != nil {
		return err
	}
	known, err := paper.Folder(o.dir).Read()
	if err != nil {
		return err
	}
	progress := paper.Folder(o.dir).NewProgress(errw, isTerminal(errw), keys, known, o.workers)
	err = paper.Run(ctx, o.dir, o.data, keys, o.workers, progress)
	progress.Close()
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; all finished replications are kept, and the same command continues with the rest: %w", err)
	}
	return err
}

// isTerminal reports whether a line can be redrawn. It is also true for the null device, where that does no
// harm.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
