package main

import (
	"context"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/study"
)

func watchCommand(a *app) *cobra.Command {
	var c connection
	var plain bool
	cmd := &cobra.Command{
		Use:   "watch [STUDY]",
		Short: "Follow a study while others run it",
		Long: `Follow a study while others run it, on this machine or elsewhere: which trials start and end, what they cost, and the best so far.
With --server the study is one on that server. A store that you may only read can be watched, too.

Watching changes nothing. It ends when the study is over, or with Ctrl-C.`,
		Example: `  eke watch kiln
  EKE_TOKEN=… eke watch kiln --server https://eke.example.org`,
		SuggestFor:        []string{"follow", "tail", "monitor", "attach"},
		Args:              atMost(1),
		ValidArgsFunction: a.completeStudies,
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.looker(first(args), c)
			if err != nil {
				return err
			}
			return a.watchStudy(cmd.Context(), look, plain)
		},
	}
	c.add(cmd.Flags())
	cmd.Flags().BoolVar(&plain, "plain", false, "print one line per event, even in a terminal")
	return cmd
}

// looker returns how a study is looked at.
type look func(context.Context) (*study.Study, *study.Record, error)

func (a *app) looker(arg string, c connection) (look, error) {
	if c.server != "" {
		client, err := c.clientFor(arg)
		if err != nil {
			return nil, err
		}
		s := &source.Server{Client: client, Name: arg}
		return func(ctx context.Context) (*study.Study, *study.Record, error) {
			defined, _, err := s.Study(ctx)
			if err != nil {
				return nil, nil, serverProblem(arg, err)
			}
			r, err := s.Record(ctx)
			return defined, r, err
		}, nil
	}
	return func(ctx context.Context) (*study.Study, *study.Record, error) {
		if a.opened != nil { // opened anew: a store that is read from a copy does not change
			a.close()
			a.opened = nil
		}
		d, err := a.study(ctx, arg, known)
		if err != nil {
			return nil, nil, err
		}
		r, err := d.Record(ctx)
		return d.Study(), r, err
	}, nil
}

// glance is how often a study is looked at.
const glance = time.Second

// watchStudy shows what happens to a study until it is over.
func (a *app) watchStudy(ctx context.Context, look look, plain bool) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s, before, err := look(ctx)
	if err != nil {
		return err
	}
	news := make(chan runner.News, 256)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		a.follow(news, s, plain, stop)
	}()
	tell := func(kind runner.Kind, t *study.Trial, r *study.Record, text string) {
		news <- runner.News{Kind: kind, At: time.Now(), Trial: t, Text: text, Study: s, Record: r}
	}
	tell(runner.Resumed, nil, before, "")
	for i := range before.Trials {
		if before.Trials[i].State == study.Running {
			tell(runner.Started, &before.Trials[i], before, "")
		}
	}
	for failing := false; err == nil && ctx.Err() == nil && !isOver(before); {
		pause(ctx, glance)
		_, now, e := look(ctx)
		switch {
		case ctx.Err() != nil:
		case e != nil && fault.CodeOf(e).Retryable():
			if !failing {
				tell(runner.Trouble, nil, before, e.Error())
			}
			failing = true
		case e != nil:
			err = e
		default:
			failing = false
			tellChanges(before, now, tell)
			before = now
		}
	}
	if err == nil && ctx.Err() == nil {
		tell(runner.Stopped, nil, before, "the study is over")
	}
	close(news)
	<-shown
	return err
}

// isOver reports whether nothing more will happen, unless somebody adds to the budget.
func isOver(r *study.Record) bool {
	const crumbs = 1e-6
	return len(r.Open()) == 0 && (r.Closed || r.Ledger.Left() <= crumbs*r.Ledger.Total)
}

// tellChanges tells what happened to trials between two looks.
func tellChanges(before, now *study.Record, tell func(runner.Kind, *study.Trial, *study.Record, string)) {
	for i := range now.Trials {
		t, was := &now.Trials[i], study.Trial{}
		if i < len(before.Trials) {
			was = before.Trials[i]
		}
		if t.State != study.Pending && (was.State == "" || was.State == study.Pending) {
			begun := *t
			begun.State = study.Running
			tell(runner.Started, &begun, now, "")
		}
		switch {
		case t.State.Ended() && !was.State.Ended(), t.State.Ended() && t.State != was.State:
			tell(runner.Ended, t, now, "")
		case t.State == study.Running && was.State == study.Running && t.Reserved > was.Reserved:
			tell(runner.Extended, t, now, "")
		}
	}
}

// pause waits for so long, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
