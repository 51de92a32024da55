package source

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// Server is a study that a server keeps.
type Server struct {
	Client *api.Client
	Name   string // of the study, when it was first asked for

	spoken atomic.Bool // it has answered once
	log    log

	mu     sync.Mutex
	now    api.Place      // the study as the server called it last; the zero value until it has answered
	broken map[string]int // how often it could not take an outcome, by the outcome's key
}

var _ runner.Source = (*Server)(nil)

// Study returns the study as the server defines it now.
func (s *Server) Study(ctx context.Context) (*study.Study, runner.Identity, error) {
	v, err := s.View(ctx)
	return v.Definition, runner.Identity{ID: v.ID, Created: v.Created}, err
}

// View returns the study as the server shows it now. From the first answer on it is that study, whatever its name.
func (s *Server) View(ctx context.Context) (api.Study, error) {
	v, err := s.Client.Study(ctx, s.place())
	if err != nil {
		return api.Study{}, s.passing(err)
	}
	s.spoken.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = api.Place{Study: v.Definition.Name, StudyID: v.ID}
	return v, nil
}

// place is the study that requests are about.
func (s *Server) place() api.Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Study == "" {
		return api.Place{Study: s.Name}
	}
	return s.now
}

// at is a trial of the study.
func (s *Server) at(t runner.Ref) api.Place {
	p := s.place()
	p.Trial, p.TrialID = t.Number, t.ID
	return p
}

// Ask asks for a trial, which is running then. A stop does not cut the request off, so that its trial is not left behind.
func (s *Server) Ask(ctx context.Context, t runner.Ticket) (runner.Task, error) {
	l, err := s.Client.Ask(ctx, s.place(), api.AskRequest{Worker: t.Runner, Place: t.Place, Count: 1}, t.Key)
	if err != nil {
		return runner.Task{}, s.passing(err)
	}
	if l.State != study.Running {
		return runner.Task{}, fault.New(fault.Conflict, "", "trial %d was asked for long ago, and %s", l.Number, l.State.Predicate())
	}
	return runner.Task{Trial: l.Trial.Study(), By: t.Runner, Limit: limit(l.Limit), Lease: runner.Duration(l.LeaseSeconds), Heard: time.Now().Round(0)}, nil
}

// limit is a limit as the server says it.
func limit(seconds *float64) time.Duration {
	if seconds == nil {
		return 0
	}
	return runner.Duration(*seconds)
}

// Begin has nothing to do: what the server hands out is running.
func (s *Server) Begin(context.Context, runner.Ref, string, string) error { return nil }

// Alive sends a heartbeat for each trial.
func (s *Server) Alive(ctx context.Context, tasks []runner.Task) (orders []runner.Order, err error) {
	var (
		all sync.WaitGroup
		mu  sync.Mutex
	)
	for _, t := range tasks {
		all.Go(func() {
			o, e := s.beat(ctx, t)
			mu.Lock()
			defer mu.Unlock()
			if e != nil {
				err = s.passing(e)
			} else if o.Why != nil {
				orders = append(orders, o)
			}
		})
	}
	all.Wait()
	return orders, err
}

// beat sends one heartbeat. When the server says stop, it finds out why.
func (s *Server) beat(ctx context.Context, t runner.Task) (o runner.Order, err error) {
	o.Trial = t.Number
	b, err := s.Client.Heartbeat(ctx, patience(t), s.at(runner.RefOf(t.Trial)), api.HeartbeatRequest{Worker: t.By, Queued: clip(t.Queued, maxReason)})
	if fault.CodeOf(err) == fault.UnknownLease { // it costs money, and nobody will take its result
		o.Why = fmt.Errorf("%w: %w", runner.ErrTaken, err)
		return o, nil
	}
	if err != nil || !b.Stop {
		return o, err
	}
	now, err := s.Client.Trial(ctx, s.at(runner.RefOf(t.Trial)))
	switch {
	case err != nil:
	case now.State == study.Running && now.Stopping:
		return orderOf(now.Study()), nil
	case now.State == study.Running:
		o.Why = runner.ErrNoTime
	case now.State == study.Abandoned && time.Since(t.Heard) >= t.Lease:
		o.Why = runner.ErrSilent
	default:
		o.Why = runner.ErrTaken
	}
	return o, err
}

// patience is how long a heartbeat may take: the next is due then.
func patience(t runner.Task) time.Duration {
	if t.Lease <= 0 {
		return 10 * time.Second
	}
	return max(t.Lease/3, 20*time.Millisecond)
}

// Extend asks for more time by a heartbeat: the server reserves more when it is needed soon.
func (s *Server) Extend(ctx context.Context, t runner.Task, _ time.Duration) (time.Duration, error) {
	b, err := s.Client.Heartbeat(ctx, patience(t), s.at(runner.RefOf(t.Trial)), api.HeartbeatRequest{Worker: t.By})
	if err == nil && b.Stop {
		// A trial that is to stop early may go on to its end all the same, if that is near.
		if now, e := s.Client.Trial(ctx, s.at(runner.RefOf(t.Trial))); e != nil || now.State != study.Running || now.Early == "" {
			err = runner.ErrTaken
		}
	}
	return limit(b.Limit), s.passing(err)
}

// Finish tells the server an outcome, within what it takes.
func (s *Server) Finish(ctx context.Context, of runner.Ref, key string, o study.Finished) (study.Trial, error) {
	if o.Cost != nil && !(*o.Cost >= 0 && *o.Cost <= api.MaxCost) {
		o.Cost = nil
	}
	if o.State == study.Done && !(math.Abs(o.Value) <= api.MaxValue) {
		o.State, o.Note = study.Failed, strings.TrimPrefix(o.Note+"; its value is larger than any that can be kept", "; ")
	}
	o.Note = clip(o.Note, maxNote)
	var t api.Trial
	var err error
	if o.State == study.Done {
		told := api.TellRequest{Value: o.Value, Cost: o.Cost, Setup: o.Setup, Wall: &o.Wall, Note: o.Note, Metrics: o.Metrics, Estimated: o.Estimated, Lost: o.Lost}
		if t, err = s.Client.Tell(ctx, s.at(of), key, told); fault.CodeOf(err) == fault.BadRequest && told.Metrics != nil {
			told.Metrics = nil // an older server knows no metrics, and refuses what it does not know
			t, err = s.Client.Tell(ctx, s.at(of), key, told)
		}
	} else {
		if o.Machine {
			o.State = study.Abandoned // as the setting is not to blame
		}
		why := api.FailRequest{State: string(o.State), Cost: o.Cost, Setup: o.Setup, Wall: &o.Wall, Note: o.Note, Exit: exitOf(o), Metrics: o.Metrics, Estimated: o.Estimated, Lost: o.Lost, Stopped: o.Stopped}
		t, err = s.Client.Fail(ctx, s.at(of), key, why)
		for fault.CodeOf(err) == fault.BadRequest && (why.Exit != nil || why.Metrics != nil || why.Stopped) {
			switch { // an older server refuses what it does not know: stopped, if it is older metrics here and, if it is older still, exits
			case why.Stopped:
				why.Stopped = false
			case why.Metrics != nil:
				why.Metrics = nil
			default:
				why.Exit = nil
			}
			t, err = s.Client.Fail(ctx, s.at(of), key, why)
		}
	}
	if fault.CodeOf(err) == fault.Internal && s.breaks(key) {
		return study.Trial{}, fault.New(fault.Conflict, "", "the server cannot take it: %w", err)
	}
	return t.Study(), s.passing(err)
}

// exitOf is how a trial's command ended, for a server.
func exitOf(o study.Finished) *study.Exit {
	if o.Exit == nil {
		return nil
	}
	return &study.Exit{Code: o.Exit.Code, Signal: clip(o.Exit.Signal, 90)}
}

// Steps reports what a trial shows on its way, one step after another. The last answer counts.
func (s *Server) Steps(ctx context.Context, t runner.Task, steps []study.Step, ended bool) (o runner.Order, err error) {
	for _, step := range steps {
		if math.Abs(step.Value) > api.MaxValue {
			continue
		}
		body := api.ReportRequest{Step: step.Step, Value: step.Value, Ended: ended}
		if step.Cost > 0 {
			body.Cost = &step.Cost
		}
		answer, err := s.Client.Report(ctx, s.at(runner.RefOf(t.Trial)), body)
		if err != nil {
			return runner.Order{}, s.passing(err)
		}
		o = orderOf(study.Trial{Number: t.Number, Stopping: answer.Stop, Early: answer.Reason, EarlyAt: answer.EarlyAt})
	}
	return o, nil
}

// Keep uploads part of a file of a trial.
func (s *Server) Keep(ctx context.Context, t runner.Task, name string, p runner.Part) (size int64, err error) {
	up, err := s.Client.Upload(ctx, s.at(runner.RefOf(t.Trial)), name, api.UploadRequest{Worker: t.By, Offset: p.Offset, Skip: p.Skip, Data: p.Data})
	return up.Size, err
}

// often is how often the server may fail in a way that it does not explain before an outcome is put aside, so that it does
// not keep a runner from everything else.
const often = 6

func (s *Server) breaks(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = map[string]int{}
	}
	s.broken[key]++
	return s.broken[key] > often
}

// Queue has nothing to do: the next heartbeat says why a trial waits.
func (s *Server) Queue(context.Context, runner.Ref, string) error { return nil }

// Correct tells the server what the accounts say.
func (s *Server) Correct(ctx context.Context, t runner.Ref, by string, cost float64) error {
	_, err := s.Client.Cost(ctx, s.at(t), api.CostRequest{Worker: by, Cost: cost})
	return s.passing(err)
}

// Strays returns none: the server sees after trials whose runners are silent.
func (s *Server) Strays(context.Context) ([]study.Stray, error) { return nil, nil }

// passing says of an error whether it passes. A bug of the server's may; and once the server has been spoken to, an answer from
// something else comes from something in between, such as a network that wants a password first.
func (s *Server) passing(err error) error {
	code := fault.CodeOf(err)
	if code == fault.Internal && errors.As(err, new(*api.Response)) || code == fault.NotServer && s.spoken.Load() {
		return fault.New(fault.Unavailable, "", "%w", err)
	}
	return err
}

// maxNote is how long a note may be, in bytes: the server adds words of its own.
const maxNote = api.MaxNote - 500

// maxReason is how long the reason may be for which a trial waits.
const maxReason = 390

// clip shortens a text at the end of a character.
func clip(text string, longest int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= longest {
		return text
	}
	text = text[:longest]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "…"
}
