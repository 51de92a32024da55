package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/mattn/go-isatty"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/view"
	"github.com/eke-bo/eke/study"
)

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
		view.Picture(a.out, sum.Study, sum.Record, terminalWidth(), onTerminal() && os.Getenv("NO_COLOR") == "")
		a.printf("ended   %s\n", sum.Text)
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
		return fault.New(sum.Code, "see what they printed in "+h.files+"; fix the command, and run again", "%s", sum.Text)
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
