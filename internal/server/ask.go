package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/internal/api"
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
	trial := "/studies/{study}/trials/{number}"
	reply(s, h, operation(http.MethodPost, trial+"/heartbeat", "heartbeat", "Say that a trial's worker is alive", Worker), ofStudy(s, s.heartbeat))
	reply(s, h, operation(http.MethodPost, trial+"/tell", "tell", "Report the result of a trial", Worker), ofStudy(s, s.tell))
	reply(s, h, operation(http.MethodPost, trial+"/fail", "fail", "Report that a trial ended without a result", Worker), ofStudy(s, s.fail))
}

// longer gives an answer the time that choosing a setting may take.
func longer(ctx huma.Context, next func(huma.Context)) {
	_, w := humago.Unwrap(ctx)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(api.MaxAsk + writeTimeout)) // tests have no connection
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
		t, err := s.askOne(ctx, o, runner, keyOf(in.Key, i, count))
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

// keyOf is the key of the i-th of several trials. A request without a key gets one, by which the store recognises a write
// that it is asked to repeat. No key that a client sends contains a space, so these keys never clash with those.
func keyOf(key string, i, count int) string {
	switch {
	case key == "":
		return "auto-" + rand.Text()
	case count > 1:
		return fmt.Sprintf("%s %d", key, i)
	}
	return key
}

func (s *Server) askOne(ctx context.Context, o *openStudy, runner, key string) (study.Trial, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	// A repeated ask need not wait until others have chosen.
	if i := slices.IndexFunc(r.Trials, func(t study.Trial) bool { return t.AskKey == key }); i >= 0 {
		return sameAsker(r.Trials[i], runner)
	}
	defined := o.broker.Study()
	if defined.Overdue(r, time.Now()) {
		return study.Trial{}, fault.New(fault.Deadline, "", "the study's deadline has passed, %v after its first trial", defined.Budget.Deadline)
	}
	t, err := o.ask(ctx, runner, key)
	if err == nil {
		s.metrics.asked(defined.Name, t, "")
		return sameAsker(t, runner)
	}
	p := s.explain(err)
	if ctx.Err() == nil {
		s.metrics.asked(defined.Name, t, p.Code)
	}
	return study.Trial{}, p
}

// sameAsker refuses a trial to a worker that happens to use another one's key.
func sameAsker(t study.Trial, runner string) (study.Trial, error) {
	if t.Runner != runner {
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
