package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/bench/problem"
)

type tableOptions struct {
	file       string
	n, workers int
	seed       uint64
}

func dataCommand() *cobra.Command {
	c := &cobra.Command{Use: "data", Short: "Make the data sets that problems are fitted to"}
	c.AddCommand(dataCNNCommand())
	return c
}

func dataCNNCommand() *cobra.Command {
	var o tableOptions
	c := &cobra.Command{
		Use:   "cnn",
		Short: "Train convolutional networks and write the table that the problem cnn is fitted to",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return trainTable(c.Context(), c.ErrOrStderr(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.file, "out", "", "CSV file to write")
	f.IntVar(&o.n, "n", 800, "networks; 800 with seed 1 is the table in the module")
	f.Uint64Var(&o.seed, "seed", 1, "draws the hyperparameters")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "networks trained at a time")
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err) // there is no such flag
	}
	return c
}

func trainTable(ctx context.Context, errw io.Writer, o tableOptions) (err error) {
	file, err := os.Create(o.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	begin, last, terminal := time.Now(), time.Time{}, isTerminal(errw)
	return problem.TrainTable(ctx, o.n, o.seed, o.workers, file, func(done, total int) {
		if done < total && time.Since(last) < 10*time.Second && !(terminal && time.Since(last) > time.Second/2) {
			return
		}
		last = time.Now()
		spent := time.Since(begin)
		left := time.Duration(float64(spent) / float64(done) * float64(total-done))
		before, after := "", "\n"
		if terminal && done < total {
			before, after = "\r\x1b[K", ""
		} else if terminal {
			before = "\r\x1b[K"
		}
		fmt.Fprintf(errw, "%s%d/%d networks, %s, about %s left%s", before, done, total, spent.Round(time.Second), left.Round(time.Second), after)
	})
}
