package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/kubernetes"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/engine/slurm"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/internal/view"
	"github.com/eke-bo/eke/study"
)

func runCommand(a *app) *cobra.Command {
	var dir, stop string
	var parallel int
	var plain, once bool
	var c connection
	cmd := a.ofStudy(joins, &cobra.Command{
		Use:   "run [STUDY]",
		Short: "Spend a study's budget",
		Long: `Spend a study's budget: choose a setting, run the study's command with it, learn from the result, and repeat until no
affordable setting is worth trying, or the rest of the money is expected to gain next to nothing (less than a thousandth of the
spread of the values seen). To spend all the money, write stop: never in the study file, or give --stop never.

If you run it again, it continues where it stopped, however it stopped. Everything that was paid for is on record. A trial whose
runner died is charged until it was last seen alive, plus half of the time to the next check. Its setting is tried again, up to
three times in all, unless results since then favour another. Several runs may share a store.

When the study is over, the exit code is 0 if this run ran at least one trial, and 3 if there was nothing to run; see eke help
exit-codes.

It gives up after ten trials in a row that fail or reach their limit, or after three if no trial has ever worked and these have cost
more than 2% of the budget. Failures that were likely when their trials were chosen do not count. If you run it again, other settings
are tried. A command that cannot be started ends it at once, and costs nothing.

Press Ctrl-C once to finish the running trials and start no more. Press it twice to stop the running trials as well. SIGTERM
stops them at once.

With --server, the study is kept on that server (eke serve): eke run creates it there unless the server has it, and then
evaluates its trials on this machine, like eke worker --file. Others may join with eke worker.

If the study file has engine: {type: slurm} or {type: kubernetes}, trials are jobs of that cluster. They go on when eke run ends, however it ends,
and the next run finds them. To stop one, use eke stop. See docs/CLUSTER.md.

The command finds its setting in its arguments, in $EKE_PARAM_NAME and in the file $EKE_PARAMS. It reports its result in the
file $EKE_RESULT or on the last line that it prints, as in {"objective": 0.12, "cost": 3.4}. Each trial has a folder for
these files and for its output.

With slots: or gpus: auto in the study file, each trial has a GPU, or another kind of slot, to itself. It gets the variables of its
slot, whose number is in $EKE_SLOT. With protocol: lines, the command stays alive from trial to trial. See docs/TOOL.md.`,
		Example: `  eke run
  eke run kiln.yaml --parallel 4
  eke run kiln.yaml --server https://eke.example.org`,
		SuggestFor: []string{"start", "go", "optimize", "optimise"},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := strconv.Atoi(dir); err == nil && cmd.Flags().Changed("trials") { // as other tuners count them
				return usage("for that many trials in all, write budget: {trials: "+dir+"} in the study file; for a folder of that name, give --dir "+dir,
					"the study file says how many trials a run may start, not --trials %s", dir)
			}
			if !cmd.Flags().Changed("parallel") {
				return nil
			}
			return atLeast1("--parallel", parallel)
		},
	}, func(ctx context.Context, d *broker.Broker, r *study.Record) (err error) {
		if d, err = restart(ctx, d, stop); err != nil {
			return err
		}
		if repeated := repeatedIn(d.Study(), d.Advisor().Space()); repeated != "" {
			fmt.Fprintf(a.err, "eke: warning: %s\n", printable(repeated))
		}
		all, err := filepath.Abs(cmp.Or(dir, trialsOf(a.db)))
		if err != nil {
			return err
		}
		header, err := d.Header(ctx)
		if err != nil {
			return err
		}
		trials, err := a.folderOf(ctx, all, header, hasJobs(d.Study(), r))
		if err != nil {
			return err
		}
		where := engineOf(d.Study())
		if once && !where.Detached() {
			return usage("write engine: {type: slurm} or {type: kubernetes} in the study file, or leave --once out", "--once needs trials that go on without eke, and those of %s run on this machine", d.Study().Name)
		}
		config := runner.Config{
			Source: &source.Store{Broker: d}, Engine: where, Once: once, Dir: filepath.Join(trials, runnersFolder), Trials: trials,
			Mark:     runner.MarkIn(all, header.ID, d.Digest),
			Parallel: parallel, Patience: patience, Called: d.Study().Name,
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
		return a.runOn(cmd.Context(), cmp.Or(first(args), habitual), workerFlags{connection: c, dir: cmp.Or(dir, "eke.worker"), plain: plain, parallel: parallel})
	}
	c.add(cmd.Flags())
	const folder = "the `folder` for the files of trials (default: eke.trials, beside the store)"
	cmd.Flags().StringVar(&dir, "dir", "", folder)
	cmd.Flags().StringVar(&dir, "trials", "", folder) // as version 0.1 spelt it
	cmd.Flags().Lookup("trials").Hidden = true
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
		return serverProblem(ctx, client, s.Name, err)
	}
	if f.study, f.file = s.Name, file; !s.HasSlots() {
		f.parallel = cmp.Or(f.parallel, s.Parallel)
	}
	return a.worker(ctx, f)
}

// patience is how long a run waits for somebody to fix its store, such as a full disk.
const patience = 10 * time.Minute

// hints are what to do at the end of a run, in the words of its verb.
type hints struct {
	over  string // nothing is left to try; "": what the error's code suggests
	again string // it was stopped
	files string // the folder where the trials' files are

	notify *study.Study // whose notify says who is told what happens; nil: nobody
}

// loop runs the trial loop, shows what happens, and turns how it ended into an error with its exit code.
func (a *app) loop(ctx context.Context, c runner.Config, plain bool, h hints) error {
	ctx, stop, interrupt := interruptible(ctx)
	news := make(chan runner.News, 256)
	c.Stop, c.Tell = stop, func(n runner.News) { news <- n }
	if h.notify != nil && h.notify.Notify != nil {
		n := &notifier{Notify: h.notify.Notify, study: h.notify, complain: func(err error) { fmt.Fprintf(a.err, "eke: warning: %s\n", printable(err.Error())) }}
		c.Tell = func(told runner.News) {
			if told.Record != nil {
				n.hear(told)
			}
			news <- told
		}
		defer n.told.Wait()
	}
	var watching sync.WaitGroup
	watching.Go(func() { a.watch(news, plain, interrupt) })
	sum, err := runner.Run(ctx, c)
	close(news)
	watching.Wait()
	if err != nil {
		return err
	}
	if !a.json && sum.Record != nil {
		a.printf("\n")
		view.Picture(a.out, sum.Study, sum.Record, frontOf(ctx, sum), terminalWidth(), onTerminal() && os.Getenv("NO_COLOR") == "")
		reason, _, _ := strings.Cut(sum.Text, "\n") // the error has the rest
		a.printf("ended   %s\n", reason)
		if note := say.Overthought(sum.Record); note != "" {
			a.printf("note    %s\n", note)
		}
		if h.over == "" && sum.Code.Over() && sum.Trials > 0 && sum.Hint != "" { // it is no error, so nobody else says it
			a.printf("        %s\n", sum.Hint)
		}
	}
	switch {
	case sum.Code == "": // one step was taken
		return nil
	case sum.Code == fault.Deadline && sum.Trials == 0:
		return fault.New(sum.Code, cmp.Or(h.over, sum.Hint), "%s", sum.Text)
	case sum.Code.Over() && sum.Trials == 0:
		return fault.New(sum.Code, cmp.Or(h.over, sum.Hint), "nothing more can be tried: %s", sum.Text)
	case sum.Code.Over():
		return nil
	case sum.Code == fault.CannotRun:
		return fault.New(sum.Code, cmp.Or(sum.Hint, "see what they printed in "+h.files+"; fix the command, and run again; if only these settings fail, run again, and others are tried, or narrow the parameters"), "%s", sum.Text)
	case sum.Code == fault.Interrupted && sum.Unsent > 0:
		return fault.New(sum.Code, h.again+": it is recorded first", "stopped; the outcome of %s is not recorded yet", say.Count(sum.Unsent, "trial"))
	case sum.Code == fault.Interrupted:
		return fault.New(sum.Code, h.again, "stopped; whatever was paid for is on record")
	}
	return fault.New(sum.Code, fault.HintOf(runner.ErrHeld), "%s", sum.Text)
}

// watch shows what happens until the news end. On a terminal the live view takes over once the command has been printed, so that the
// command is still there when the view is gone.
func (a *app) watch(news <-chan runner.News, plain bool, interrupt func()) {
	var s *study.Study // not known before the source has answered
	tell := a.teller(nil)
	for n := range news {
		if s == nil && n.Study != nil {
			s = n.Study
			tell = a.teller(s)
		}
		tell(n)
		if n.Kind == runner.Command && !a.json && !plain && onTerminal() {
			if err := view.Live(context.Background(), s, news, interrupt); err == nil {
				return
			}
		}
	}
}

// follow shows what happens to a study that others run.
func (a *app) follow(news <-chan runner.News, s *study.Study, plain bool, interrupt func()) {
	if !a.json && !plain && onTerminal() {
		if err := view.Live(context.Background(), s, news, interrupt); err == nil {
			return
		}
	}
	tell := a.teller(s)
	for n := range news {
		tell(n)
	}
}

// teller returns what tells news in lines.
func (a *app) teller(s *study.Study) func(runner.News) {
	if a.json {
		return view.JSON(a.out, s)
	}
	return view.Plain(a.out, s)
}

// interruptible returns a channel that is closed at the first interrupt, and a context that ends at the second.
func interruptible(ctx context.Context) (cut context.Context, stop chan struct{}, interrupt func()) {
	cut, cancel := context.WithCancel(ctx)
	stop = make(chan struct{})
	var times atomic.Int32
	interrupt = func() {
		if times.Add(1) == 1 {
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

// jobCommand is what a job of Slurm calls. Nobody else does.
func jobCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "job FOLDER",
		Short:  "Run the trial of a job",
		Long:   "Run the trial of a job. The jobs that eke run submits to Slurm call this verb.",
		Hidden: true,
		Args:   from1To(1, "write: eke job FOLDER", "the folder of the job is missing"),
		RunE:   func(cmd *cobra.Command, args []string) error { return slurm.Work(cmd.Context(), args[0]) },
	}
}

// engines are those that a study file may name.
var engines = map[string]func(*study.Study) engine.Engine{
	"slurm":      func(s *study.Study) engine.Engine { return slurm.New(s) },
	"kubernetes": func(s *study.Study) engine.Engine { return kubernetes.New(s) },
}

// engineOf is where a study's trials are evaluated.
func engineOf(s *study.Study) engine.Engine {
	if s == nil || s.Engine == nil || engines[s.Engine.Type] == nil {
		return &local.Engine{}
	}
	return engines[s.Engine.Type](s)
}

// frontOf is the front that a run ended with, as eke front has it; empty with one objective, or if the record could not be read.
func frontOf(ctx context.Context, sum runner.Summary) (f advisor.Front) {
	if !sum.Study.Several() {
		return f
	}
	if adv, err := advisor.New(sum.Study); err == nil {
		f, _ = adv.Front(context.WithoutCancel(ctx), sum.Record) // without models, that of what was seen
	}
	return f
}
