package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/view"
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
			if len(d.Study().Command) == 0 {
				return usage("add a command to the study file; or ask for trials and tell their results: eke ask, eke tell",
					"study %s has no command to run", d.Study().Name)
			}
			if trials == "" {
				trials = trialsOf(a.db)
			}
			if trials, err = filepath.Abs(filepath.Join(trials, d.Study().Name)); err != nil {
				return err
			}
			return a.run(cmd.Context(), runner.Config{Broker: d, Dir: trials, Parallel: parallel}, plain)
		},
	}
	cmd.Flags().StringVar(&trials, "trials", "", "the `folder` of the trials' files; beside the store if not given, eke.trials")
	cmd.Flags().IntVar(&parallel, "parallel", 0, "how many trials run at once; as the study says if not given")
	cmd.Flags().BoolVar(&plain, "plain", false, "one line per event, also in a terminal")
	return cmd
}

// run runs, shows what happens, and turns how it ended into an exit code.
func (a *app) run(ctx context.Context, c runner.Config, plain bool) error {
	s := c.Broker.Study()
	ctx, stop, interrupt := interruptible(ctx)
	c.Stop = stop
	news := make(chan runner.News, 256)
	c.Tell = func(n runner.News) { news <- n }
	var watching sync.WaitGroup
	watching.Go(func() { a.watch(c.Broker, news, plain, interrupt) })
	sum, err := runner.Run(ctx, c)
	close(news)
	watching.Wait()
	if err != nil {
		return err
	}
	if !a.json {
		width, colour := terminalWidth(), onTerminal() && os.Getenv("NO_COLOR") == ""
		a.printf("\n")
		view.Picture(a.out, s, sum.Record, width, colour)
		a.printf("ended   %s\n", sum.Text)
	}
	switch over := sum.Trials == 0; sum.Reason {
	case runner.Exhausted, runner.Closed:
		if over {
			return &failure{exitSpent, "nothing more can be tried: " + sum.Text, "see what came of it: eke best"}
		}
	case runner.BudgetSpent, runner.NotWorth:
		if over {
			return &failure{exitSpent, "nothing more can be tried: " + sum.Text, "see what came of it: eke best; or go on with more: eke budget add AMOUNT"}
		}
	case runner.Deadline:
		if over {
			return &failure{exitSpent, sum.Text, "see what came of it: eke best; or give the study file a later deadline"}
		}
	case runner.Held:
		return &failure{exitPending, sum.Text, "tell what came of them: eke tell TRIAL --value V --cost C, or --abandon"}
	case runner.Failing:
		return wrong("see what they printed in "+c.Dir+"; mend the command, and run again", "%s", sum.Text)
	case runner.Asked:
		return &failure{exitInterrupted, "stopped; whatever was paid for is on record", "go on: eke run " + s.Name}
	}
	return nil
}

// watch shows what happens until the news end.
func (a *app) watch(d *broker.Broker, news <-chan runner.News, plain bool, interrupt func()) {
	tell := view.Plain(a.out, d.Study())
	switch {
	case a.json:
		tell = view.JSON(a.out, d.Study())
	case !plain && onTerminal():
		if err := view.Live(context.Background(), d.Study(), news, view.Keys{Interrupt: interrupt}); err == nil {
			return
		}
	}
	for n := range news {
		tell(n)
	}
}

// interruptible returns a channel that is closed at the first interrupt, and a context that ends at the second.
func interruptible(ctx context.Context) (cut context.Context, stop chan struct{}, interrupt func()) {
	cut, cancel := context.WithCancel(ctx)
	stop = make(chan struct{})
	var mu sync.Mutex
	times := 0
	interrupt = func() {
		mu.Lock()
		defer mu.Unlock()
		if times++; times == 1 {
			close(stop)
		} else {
			cancel()
		}
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() { // until the process ends
		for s := range signals {
			if interrupt(); s == syscall.SIGTERM {
				cancel()
			}
		}
	}()
	return cut, stop, interrupt
}

func onTerminal() bool { return isatty.IsTerminal(os.Stdout.Fd()) && os.Getenv("TERM") != "dumb" }

// terminalWidth is how wide a picture may be.
func terminalWidth() int {
	if width, _, err := term.GetSize(os.Stdout.Fd()); err == nil && width > 0 {
		return min(width, 120)
	}
	return 80
}
