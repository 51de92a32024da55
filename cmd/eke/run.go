package main

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/study"
)

func runCommand(a *app) *cobra.Command {
	var trials, stop string
	var parallel int
	var plain, once bool
	var c connection
	cmd := a.ofStudy(joins, &cobra.Command{
		Use:   "run [STUDY]",
		Short: "Spend a study's budget",
		Long: `Spend a study's budget: choose a setting, run the study's command with it, learn from the result, and repeat until no
affordable setting is worth trying, or the rest of the money is expected to gain next to nothing (less than a thousandth of the
spread of the values seen). To spend all the money, write stop: never in the study file, or give --stop never.

If you run it again, it continues where it stopped, however it stopped. Everything that was paid for is on record. A trial
whose runner died is charged for the time it was seen alive. Its setting is tried again, up to three times in all. Several runs
may share a store.

When the study is over, the exit code is 0 if this run ran at least one trial, and 3 if there was nothing to run; see eke help
exit-codes.

Press Ctrl-C once to finish the running trials and start no more. Press it twice to stop the running trials as well. SIGTERM
stops them at once.

With --server, the study is kept on that server (eke serve): eke run creates it there unless the server has it, and then
evaluates its trials on this machine, like eke worker --file. Others may join with eke worker.

If the study file has engine: {type: slurm}, trials are jobs of that cluster. They go on when eke run ends, however it ends,
and the next run finds them. To stop one, use eke stop. See docs/CLUSTER.md.

The command finds its setting in its arguments, in $EKE_PARAM_NAME and in the file $EKE_PARAMS. It reports its result in the
file $EKE_RESULT or on the last line that it prints, as in {"objective": 0.12, "cost": 3.4}. Each trial has a folder for
these files and for its output.`,
		Example: `  eke run
  eke run kiln.yaml --parallel 4
  eke run kiln.yaml --server https://eke.example.org`,
		SuggestFor: []string{"start", "go", "optimize", "optimise"},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := strconv.Atoi(trials); err == nil { // as other tuners count them
				return usage("for so many trials in all, write budget: {trials: "+trials+"} in the study file; for a folder of that name, give ./"+trials,
					"--trials is the folder for the files of trials, and %s looks like a number of them", trials)
			}
			if !cmd.Flags().Changed("parallel") {
				return nil
			}
			return atLeast1("--parallel", parallel)
		},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) (err error) {
		if d, err = restart(ctx, d, stop); err != nil {
			return err
		}
		all, err := filepath.Abs(cmp.Or(trials, trialsOf(a.db)))
		if err != nil {
			return err
		}
		header, err := d.Header(ctx)
		if err != nil {
			return err
		}
		if trials, err = a.folderOf(ctx, all, header); err != nil {
			return err
		}
		where := engineOf(d.Study())
		if once && !where.Detached() {
			return usage("write engine: {type: slurm} in the study file, or leave --once out", "--once needs trials that go on without eke, and those of %s run on this machine", d.Study().Name)
		}
		config := runner.Config{
			Source: &source.Store{Broker: d}, Engine: where, Once: once, Dir: filepath.Join(trials, runnersFolder), Trials: trials,
			Mark:     runner.MarkIn(all, header.ID, d.Digest),
			Parallel: parallel, Patience: patience,
		}
		return a.loop(ctx, config, plain, hints{again: "continue: eke run " + d.Study().Name, files: trials, notify: d.Study()})
	})
	here := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case c.server == "":
			return here(cmd, args)
		case once:
			return usage("leave one of them out", "--once does not go with --server")
		case stop != "":
			return usage("write stop: in the study file instead", "--stop does not go with --server")
		}
		return a.runOn(cmd.Context(), cmp.Or(first(args), habitual), workerFlags{connection: c, dir: cmp.Or(trials, "eke.worker"), plain: plain, parallel: parallel})
	}
	c.add(cmd.Flags())
	cmd.Flags().StringVar(&trials, "trials", "", "the `folder` for the files of trials (default: eke.trials, beside the store)")
	cmd.Flags().IntVar(&parallel, "parallel", 0, "how many trials run at once (default: what the study says)")
	cmd.Flags().BoolVar(&once, "once", false, "on a cluster: settle what has ended, submit what there is room for, and end; for cron")
	cmd.Flags().StringVar(&stop, "stop", "", stopFlag)
	cmd.Flags().BoolVar(&plain, "plain", false, "print one line per event, even in a terminal")
	return cmd
}

// runOn runs a study that a server keeps. The study file says what is run, here as on the server.
func (a *app) runOn(ctx context.Context, file string, f workerFlags) error {
	s, err := readStudyFile(file)
	if err != nil {
		return err
	}
	client, err := f.client()
	if err != nil {
		return err
	}
	if err := createUnlessThere(ctx, client, s, file, filepath.Join(f.dir, s.Name)); err != nil {
		return serverProblem(s.Name, err)
	}
	f.study, f.file, f.parallel = s.Name, file, cmp.Or(f.parallel, s.Parallel)
	return a.worker(ctx, f)
}

// patience is how long a run waits for somebody to fix its store, such as a full disk.
const patience = 10 * time.Minute
