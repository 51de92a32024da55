package main

import (
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
)

func runCommand(a *app) *cobra.Command {
	var trials string
	var parallel int
	var plain bool
	cmd := &cobra.Command{
		Use:   "run [STUDY]",
		Short: "Spend a study's budget",
		Long: `Spend a study's budget: choose a setting, run the study's command with it, learn from what came of it, and so on until no
affordable setting is worth trying.

Run again, it goes on where it ended, however it ended: whatever was paid for is on record, and trials whose runner died are ended,
charged for as long as they were seen alive, and tried once more. Several may run at once on one store.

It ends with exit code 0 when it has spent what could be spent, and with 3 when there was nothing left to try; see eke help exit-codes.

Ctrl-C once starts no new trial and waits for those that run; twice stops them, too. SIGTERM is like twice.

The command of a trial finds its setting in its arguments, in $EKE_PARAM_NAME and in the file $EKE_PARAMS, and reports by the
file $EKE_RESULT or by the last line that it prints, either of them like {"objective": 0.12, "cost": 3.4}. Each trial has a
folder for these files and for what it prints.`,
		Example: `  eke run
  eke run kiln.yaml --parallel 4`,
		SuggestFor:        []string{"start", "go", "resume", "optimize", "optimise"},
		Args:              atMost(1),
		ValidArgsFunction: a.completeStudies,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("parallel") && parallel < 1 {
				return usage("give at least 1", "--parallel is %d", parallel)
			}
			d, err := a.openForRun(cmd.Context(), argument(args, 0))
			if err != nil {
				return err
			}
			if trials == "" {
				trials = trialsOf(a.db)
			}
			if trials, err = filepath.Abs(filepath.Join(trials, d.Study().Name)); err != nil {
				return err
			}
			c := runner.Config{
				Source: &source.Store{Broker: d}, Engine: &local.Engine{}, Dir: filepath.Join(trials, "runners"), Trials: trials,
				Parallel: parallel, Patience: patience,
			}
			return a.loop(cmd.Context(), c, plain, hints{again: "continue: eke run " + d.Study().Name, files: trials})
		},
	}
	cmd.Flags().StringVar(&trials, "trials", "", "the `folder` of the trials' files; beside the store if not given, eke.trials")
	cmd.Flags().IntVar(&parallel, "parallel", 0, "how many trials run at once; as the study says if not given")
	cmd.Flags().BoolVar(&plain, "plain", false, "one line per event, also in a terminal")
	return cmd
}

// patience is how long a run waits for somebody to fix its store, such as a full disk.
const patience = 10 * time.Minute
