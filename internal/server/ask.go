package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// byHand is the runner of trials that a person evaluates. eke ask uses it too, so eke tell accepts these trials.
const byHand = "hand"

func (s *Server) workerOperations(h huma.API) {
	ask := operation(http.MethodPost, "/studies/{study}/ask", "ask", "Get trials to evaluate, with money reserved for them", Worker)
	ask.MaxBodyBytes = maxAskBody
	ask.Middlewares = huma.Middlewares{longer}
	ask.Extensions = map[string]any{"x-timeout-seconds": int(api.MaxAsk.Seconds())}
	reply(s, h, ask, ofStudy(s, s.ask))
	reply(s, h, urgent("/heartbeat", "heartbeat", "Say that a trial's worker is alive"), ofStudy(s, s.heartbeat))
	report := onTrial("/report", "report", "Report a value that a running trial has on its way, and hear whether it is to stop")
	report.Middlewares = huma.Middlewares{longer}
	reply(s, h, report, ofStudy(s, s.step))
	reply(s, h, urgent("/tell", "tell", "Report the result of a trial"), ofStudy(s, s.tell))
	reply(s, h, urgent("/cost", "cost", "Report what a cluster's accounts say of a trial that has ended"), ofStudy(s, s.cost))
	reply(s, h, urgent("/fail", "fail", "Report that a trial ended without a result"), ofStudy(s, s.fail))
}

// urgent describes an operation that has a lane of its own; see isUrgent.
func urgent(path, id, summary string) huma.Operation {
	op := onTrial(path, id, summary)
	op.MaxBodyBytes = maxReportBody
	return op
}

// longer gives an answer the time that choosing a setting may take, or fitting models to many results.
func longer(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(api.MaxAsk + writeTimeout)) // tests have no connection
	if r.ContentLength == 0 || ctx.Operation().RequestBody != nil {         // all of it has been read, and when the time to read is over, a request is cancelled
		_ = control.SetReadDeadline(time.Time{})
	}
	next(ctx)
}

type askInput struct {
	OfStudy
	Keyed
	Body api.AskRequest
}

func (s *Server) ask(ctx context.Context, in *askInput, o *openStudy, _ *study.Record) (out api.Leases, err error) {
	runner := leasePrefix + in.Body.Worker
	switch {
	case in.Body.ByHand:
		runner = byHand
	case in.Body.Worker == "":
		return out, api.Invalid("body.worker", "the worker's name is missing; send it, or by_hand")
	}
	ctx, cancel := context.WithTimeout(ctx, api.MaxAsk)
	defer cancel()
	count := max(in.Body.Count, 1)
	for i := 1; i <= count; i++ {
		t, err := s.askOne(ctx, o, runner, in, i)
		if err != nil && len(out.Trials) > 0 && ctx.Err() == nil {
			break // there are no more
		}
		if err != nil {
			return out, err
		}
		out.Trials = append(out.Trials, s.lease(o.broker.Study(), t))
	}
	return out, nil
}

// askOne hands out the i-th trial of a request.
func (s *Server) askOne(ctx context.Context, o *openStudy, runner string, in *askInput, i int) (study.Trial, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	// A repeated ask need not wait until others have chosen.
	key := in.keyOf(i)
	if t, ok, err := s.granted(ctx, in, r, runner, key); ok || err != nil {
		return t, err
	}
	defined := o.broker.Study()
	if defined.Overdue(r, time.Now()) {
		return study.Trial{}, fault.New(fault.Deadline, "", "the study's deadline has passed, %v after its first trial", defined.Budget.Deadline)
	}
	t, err := o.ask(ctx, s.thinkers, broker.Asker{Runner: runner, Place: in.Body.Place, Key: key, Token: tokenIn(ctx).ID}, func(r *study.Record) error {
		_, _, err := s.granted(ctx, in, r, runner, key)
		return err
	})
	if err == nil {
		s.metrics.asked(o, t, "")
		return s.sameAsker(ctx, r, t, runner)
	}
	if now, e := o.broker.Record(ctx); e == nil && now.Version == r.Version {
		o.refuses(now, err)
	}
	p := s.explain(err)
	if ctx.Err() == nil {
		s.metrics.asked(o, t, p.Code)
	}
	return study.Trial{}, p
}

// keyOf is the key of the i-th of several trials. A request without a key gets one, by which the store recognises a write
// that it is asked to repeat.
func (in *askInput) keyOf(i int) string {
	switch {
	case in.Key == "":
		return "auto-" + rand.Text()
	case in.Body.Count > 1:
		return fmt.Sprintf("%s %d", in.key(in.said()), i)
	}
	return in.key(in.said())
}

// said is what a repeated request has to say again. It may come from another place.
func (in *askInput) said() api.AskRequest {
	said := in.Body
	said.Place = ""
	return said
}

// granted returns the trial that the request got before, if it did. It refuses the key of another request.
func (s *Server) granted(ctx context.Context, in *askInput, r *study.Record, runner, key string) (t study.Trial, ok bool, err error) {
	for _, t := range r.Trials {
		if err := in.reuse(t.AskKey, in.said()); err != nil {
			return t, false, err
		}
		if t.AskKey == key || in.Body.Count <= 1 && in.isSame(t.AskKey, in.said()) {
			t, err := s.sameAsker(ctx, r, t, runner)
			return t, true, err
		}
	}
	return t, false, nil
}

// sameAsker refuses a trial to a worker that happens to use another one's key.
func (s *Server) sameAsker(ctx context.Context, r *study.Record, t study.Trial, runner string) (study.Trial, error) {
	if t.Runner != runner || s.mayReport(ctx, r, t) != nil {
		return study.Trial{}, fault.New(fault.Conflict, "use a new key", "another worker used this Idempotency-Key")
	}
	return t, nil
}

func (s *Server) lease(defined *study.Study, t study.Trial) api.Lease {
	l := api.Lease{Trial: api.NewTrial(t), Limit: limitOf(defined, t)}
	if isLease(t) {
		l.LeaseSeconds = s.config.Lease.Seconds()
	}
	return l
}

type heartbeatInput struct {
	OfTrial
	Body api.HeartbeatRequest
}

func (s *Server) heartbeat(ctx context.Context, in *heartbeatInput, o *openStudy, r *study.Record) (b api.Beat, err error) {
	t, err := s.ownTrial(ctx, o, r, in.OfTrial)
	if err != nil {
		return b, err
	}
	b = api.Beat{Stop: true, LeaseSeconds: s.config.Lease.Seconds()}
	if t.Runner != leasePrefix+in.Body.Worker || t.State != study.Running {
		return b, nil
	}
	if err := o.broker.Touch(ctx, t.Number); err != nil {
		return b, err
	}
	if t, err = o.noteQueue(ctx, t, in.Body.Queued); err != nil {
		return b, err
	}
	elapsed := time.Since(t.Started).Seconds()
	if t.Queued != "" {
		elapsed = 0
	}
	if t, err = s.extend(ctx, o, t, elapsed); err != nil {
		return b, err
	}
	defined := o.broker.Study()
	b.Reserved, b.Limit = t.Reserved, limitOf(defined, t)
	b.Stop = t.State != study.Running || t.Stopping || (b.Limit != nil && elapsed >= *b.Limit)
	return b, nil
}

// noteQueue puts on record why a trial waits, or that it waits no more.
func (o *openStudy) noteQueue(ctx context.Context, t study.Trial, reason string) (study.Trial, error) {
	if t.Queued == reason {
		return t, nil
	}
	if err := o.write(ctx, func(ctx context.Context) error { return o.broker.Queue(ctx, t.Number, reason) }); err != nil {
		return t, err
	}
	r, err := o.broker.Record(ctx)
	if err != nil {
		return t, err
	}
	return r.Trial(t.Number)
}

// limitOf is how many seconds a trial may run; nil: there is no limit.
func limitOf(defined *study.Study, t study.Trial) *float64 {
	limit := defined.Limit(t)
	if math.IsInf(limit, 1) {
		return nil
	}
	return &limit
}

// extend gives a trial more money if the next heartbeat might be too late for that.
func (s *Server) extend(ctx context.Context, o *openStudy, t study.Trial, elapsed float64) (study.Trial, error) {
	margin := s.config.Lease.Seconds() / 3
	r, err := o.broker.Record(ctx)
	if err != nil || o.broker.Study().Extension(r, t, elapsed, margin) <= t.Reserved {
		return t, err // as for most heartbeats, which need not wait for their turn to write
	}
	err = o.write(ctx, func(ctx context.Context) error {
		t, err = o.broker.Extend(ctx, t.Number, elapsed, margin)
		return err
	})
	return t, err
}

type reportInput struct {
	OfTrial
	Body api.ReportRequest
}

// step records a value that a trial has on its way. A trial that has ended is to stop; so is one that is not known to run any more,
// unless it was abandoned, for then a late result is welcome.
func (s *Server) step(ctx context.Context, in *reportInput, o *openStudy, r *study.Record) (out api.Reported, err error) {
	t, err := s.ownTrial(ctx, o, r, in.OfTrial)
	if err != nil {
		return out, err
	}
	if err := mayEnd(t); err != nil {
		return out, err
	}
	if t.State == study.Pending {
		return out, fault.New(fault.Conflict, "", "trial %d has not begun", t.Number)
	}
	step := study.Step{Step: in.Body.Step, Value: in.Body.Value}
	switch cost := in.Body.Cost; {
	case cost != nil:
		if step.Cost = *cost; r.Measured {
			step.Cost = min(*cost, mostTime(t))
		}
	case o.broker.Study().Cost.Source == study.Walltime && !in.Body.Ended:
		step.Cost = max(time.Since(t.Started).Seconds(), 0)
	}
	if t.State == study.Running { // whoever reports lives
		err = o.broker.Touch(ctx, t.Number)
	}
	if err == nil {
		err = o.write(ctx, func(ctx context.Context) error { return o.broker.AddSteps(ctx, t.Number, step) })
	}
	if err != nil || in.Body.Ended {
		return stopOf(t), err
	}
	t, decided, err := o.broker.Decided(ctx, t.Number)
	if err != nil || decided {
		return stopOf(t), err
	}
	first, err := o.judging.take(ctx)
	if err != nil {
		return out, err
	}
	defer first()
	asked, err := o.models.take(ctx) // as ask does: who waits for a choice of the same study takes no share from other studies
	if err != nil {
		return out, err
	}
	defer asked()
	release, err := s.thinkers.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return out, err
	}
	defer release()
	t, err = o.broker.GoOn(ctx, t.Number)
	o.watch.poke()
	return stopOf(t), err
}

// stopOf says whether a trial is to stop, and why.
func stopOf(t study.Trial) api.Reported {
	switch {
	case t.Early != "":
		return api.Reported{Stop: true, Reason: t.Early, EarlyAt: t.EarlyAt}
	case t.Stopping:
		return api.Reported{Stop: true, Reason: "somebody wants it to be stopped"}
	}
	return api.Reported{}
}
