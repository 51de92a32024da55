package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/bench/campaign"
	"github.com/eke-bo/eke/bench/suite"
)

// studyOptions are the flags of a command that plays studies of the suite's problems and judges them.
type studyOptions struct {
	suite.Experiment
	jobs int
	dir  string
	draw bool
}

func (o *studyOptions) addFlags(f *pflag.FlagSet, reps int, dir string) {
	f.StringSliceVar(&o.Only, "only", nil, "names or patterns of problems, such as 'gp4-*'")
	f.StringVar(&o.Set, "set", suite.Tuning, "problems to play and show: tuning, validation or all")
	f.IntVar(&o.Replications, "reps", reps, "replications of each")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "studies at a time, each on one core")
	f.StringVar(&o.Data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA); lda needs one")
	f.StringVar(&o.dir, "out", dir, "folder of the studies; it is created if necessary")
	f.BoolVar(&o.draw, "draw", false, "play nothing; judge the studies in the folder")
}

// leftOut says which problems cannot be played here.
func leftOut(errw io.Writer) func(error) {
	return func(err error) { fmt.Fprintf(errw, "eke-bench: left out: %v\n", err) }
}

// played plays the studies that the folder does not have yet, unless they are only to be drawn, and returns all that were asked for.
func played[K campaign.Key, R any](ctx context.Context, errw io.Writer, o studyOptions, folder *campaign.Folder[K, R], keys []K, play func(context.Context, K, string) (R, error)) ([]R, error) {
	runs, err := folder.Read()
	if err != nil {
		return nil, err
	}
	if !o.draw {
		progress := folder.NewProgress(errw, isTerminal(errw), keys, runs, o.jobs)
		err = folder.Run(ctx, keys, o.jobs, func(ctx context.Context, k K) (R, error) { return play(ctx, k, o.Data) }, progress)
		progress.Close()
		if err != nil {
			return nil, err
		}
		if runs, err = folder.Read(); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(runs, func(r R) bool { return !slices.Contains(keys, folder.KeyOf(r)) }), nil
}
