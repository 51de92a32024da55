package main

import (
	"context"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
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
With --server the study is on that server. A store that you may only read can be watched, too.

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

// sight is a study as it was seen.
type sight struct {
	advisor *advisor.Advisor
	record  *study.Record
	ended   error                       // why a server says that it is over; nil if it does not
	find    func(context.Context) error // finds out why it is over, which takes a suggestion; nil: the server does that
}

// look looks at a study.
type look func(context.Context) (sight, error)

func (a *app) looker(arg string, c connection) (look, error) {
	if c.server != "" {
		client, err := c.clientFor(arg)
		if err != nil {
			return nil, err
		}
		from := &source.Server{Client: client, Name: arg}
		return func(ctx context.Context) (sight, error) { return lookOn(ctx, from) }, nil
	}
	return func(ctx context.Context) (sight, error) {
		if a.opened != nil { // opened anew: a store that is read from a copy does not change
			a.close()
			a.opened = nil
		}
		d, err := a.study(ctx, arg, known)
		if err != nil {
			return sight{}, err
		}
		r, err := d.Record(ctx)
		return sight{advisor: d.Advisor(), record: r, find: func(ctx context.Context) error { return d.Advisor().Ended(ctx, r, time.Now()) }}, err
	}, nil
}

// lookOn looks at a study on a server. What the server says about its end counts if nothing has happened since.
func lookOn(ctx context.Context, from *source.Server) (seen sight, err error) {
	v, err := from.View(ctx)
	if err != nil {
		return seen, serverProblem(ctx, from.Client, from.Name, err)
	}
	if seen.advisor, err = advisor.New(v.Definition); err != nil {
		return seen, err
	}
	seen.record, err = from.Record(ctx)
	if end := v.Finished; err == nil && end != nil && v.Version == seen.record.Version {
		seen.ended = fault.New(end.Code, "", "%s", end.Reason)
	}
	return seen, err
}

// glance is how often a study is looked at, and idleLooks how often in vain before a suggestion is tried, to find out whether it is over.
const glance, idleLooks = time.Second, 5

// watchStudy shows what happens to a study until it is over.
func (a *app) watchStudy(ctx context.Context, look look, plain bool) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	seen, err := look(ctx)
	if err != nil {
		return err
	}
	s := seen.advisor.Study()
	news := make(chan runner.News, 256)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		a.follow(news, s, plain, stop)
	}()
	tell := func(kind runner.Kind, t *study.Trial, r *study.Record, text string) {
		news <- runner.News{Kind: kind, At: time.Now(), Trial: t, Text: text, Study: s, Record: r}
	}
	tell(runner.Resumed, nil, seen.record, "")
	for i, t := range seen.record.Trials {
		if t.State == study.Running {
			tell(runner.Started, &seen.record.Trials[i], seen.record, "")
		}
	}
	for failing, idle := false, 0; err == nil && ctx.Err() == nil && !seen.isOver(ctx, idle); {
		pause(ctx, glance)
		now, e := look(ctx)
		switch {
		case ctx.Err() != nil:
		case e != nil && fault.CodeOf(e).Retryable():
			if !failing {
				tell(runner.Trouble, nil, seen.record, e.Error())
			}
			failing = true
		case e != nil:
			err = e
		default:
			failing = false
			tellChanges(seen.record, now.record, tell)
			if idle++; now.record.Version != seen.record.Version {
				idle = 0
			}
			seen = now
		}
	}
	if err == nil && ctx.Err() == nil {
		tell(runner.Stopped, nil, seen.record, "the study is over")
	}
	close(news)
	<-shown
	return err
}

// isOver reports whether nothing more will happen, unless somebody changes the study. idle is how often it was looked at in vain.
func (s sight) isOver(ctx context.Context, idle int) bool {
	switch {
	case len(s.record.Open()) > 0:
		return false
	case s.ended != nil || s.advisor.Over(s.record, nil, time.Now()) != nil:
		return true
	}
	return idle == idleLooks && s.find != nil && s.find(ctx) != nil
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
