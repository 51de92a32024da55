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

	"github.com/eke-bo/eke/bench/problem"
)

type tableOptions struct {
	file       string
	n, workers int
	seed       uint64
}

func dataCommand() *cobra.Command {
	c := &cobra.Command{Use: "data", Short: "Make the data sets that problems are fitted to"}
	c.AddCommand(
		tableCommand("cnn", "Train convolutional networks and write the table that the problem cnn is fitted to", 800, problem.TrainTable),
		tableCommand("curves", "Train convolutional networks, judge them after 1 to 27 epochs, and write the table that the problem cnn-fidelity is fitted to", 600, problem.TrainCurves),
		liveCommand())
	return c
}

func liveCommand() *cobra.Command {
	var climbs, steps int
	c := &cobra.Command{
		Use:   "live [NAME...]",
		Short: "Search for the optima of the live problems, and print the table that the module has of them",
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) == 0 {
				names = problem.LiveNames()
			}
			for _, name := range names {
				row, err := problem.LiveRow(c.Context(), name, climbs, steps)
				if err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), row)
			}
			return nil
		},
	}
	c.Flags().IntVar(&climbs, "climbs", 4, "how many of 1024 settings to climb from; 4 is that of the table in the module")
	c.Flags().IntVar(&steps, "steps", 300, "steps of each climb; 300 is that of the table in the module")
	return c
}

// maker makes a table.
type maker func(ctx context.Context, n int, seed uint64, workers int, out io.Writer, progress func(done, total int)) error

func tableCommand(name, short string, n int, table maker) *cobra.Command {
	var o tableOptions
	c := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return trainTable(c.Context(), c.ErrOrStderr(), table, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.file, "out", "", "CSV file to write")
	f.IntVar(&o.n, "n", n, fmt.Sprintf("networks; %d with seed 1 is the table in the module", n))
	f.Uint64Var(&o.seed, "seed", 1, "draws the hyperparameters")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "networks trained at a time")
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err) // there is no such flag
	}
	return c
}

func trainTable(ctx context.Context, errw io.Writer, table maker, o tableOptions) (err error) {
	file, err := os.Create(o.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	begin, last, terminal := time.Now(), time.Time{}, isTerminal(errw)
	return table(ctx, o.n, o.seed, o.workers, file, func(done, total int) {
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
