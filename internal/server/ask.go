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

	"github.com/eke-bo/eke/study"
)

// byHand is the runner of trials that a person evaluates. It is the one of eke ask, so that eke tell takes them, too.
const byHand = "hand"

// longestAsk is how long asking may take, all waiting for others included.
const longestAsk = 10 * time.Minute

func (s *Server) workerOperations(api huma.API) {
	ask := operation(http.MethodPost, "/studies/{study}/ask", "ask", "Get trials to evaluate, and have money reserved for them", Worker)
	ask.Middlewares = huma.Middlewares{longer}
	register(s, api, ask, s.ask)
	register(s, api, operation(http.MethodPost, "/studies/{study}/trials/{number}/heartbeat", "heartbeat", "Say that a trial's worker is alive", Worker), s.heartbeat)
	register(s, api, operation(http.MethodPost, "/studies/{study}/trials/{number}/tell", "tell", "Say what a trial returned", Worker), s.tell)
	register(s, api, operation(http.MethodPost, "/studies/{study}/trials/{number}/fail", "fail", "Say that a trial returned nothing", Worker), s.fail)
}

// longer gives an answer the time that thinking may take.
func longer(ctx huma.Context, next func(huma.Context)) {
	_, w := humago.Unwrap(ctx)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longestAsk + writeTimeout)) // tests have no connection
	next(ctx)
}

type askInput struct {
	OfStudy
	Keyed
	Body struct {
		Worker string `json:"worker,omitempty" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker's name"`
		Count  int    `json:"count,omitempty" minimum:"1" maximum:"64" default:"1" doc:"How many; there may be fewer"`
		ByHand bool   `json:"by_hand,omitempty" doc:"A person evaluates it: no lease, no heartbeat"`
	}
}

// Leases is the answer to asking.
type Leases struct {
	Trials []Lease `json:"trials"`
}

func (s *Server) ask(ctx context.Context, in *askInput) (*body[Leases], error) {
	runner := leasePrefix + in.Body.Worker
	switch {
	case in.Body.ByHand:
		runner = byHand
	case in.Body.Worker == "":
		return nil, invalid("body.worker", "it is missing; give the worker's name, or by_hand")
	}
	at, _, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	out, count := Leases{Trials: []Lease{}}, max(in.Body.Count, 1)
	for i := 1; i <= count; i++ {
		t, err := s.askOne(ctx, at, runner, keyOf(in.Key, i, count))
		if err != nil && len(out.Trials) > 0 && ctx.Err() == nil {
			break // what could be had
		}
		if err != nil {
			return nil, err
		}
		out.Trials = append(out.Trials, s.lease(at.broker.Study(), t))
	}
	return answer(out)
}

// keyOf is the key of the i-th of several trials. Without a key one is made up: an append whose end was not seen is then
// found again. A space is in no key that is sent, so none of these is another's.
func keyOf(key string, i, count int) string {
	switch {
	case key == "":
		return "auto-" + rand.Text()
	case count > 1:
		return fmt.Sprintf("%s %d", key, i)
	}
	return key
}

func (s *Server) askOne(ctx context.Context, at *seat, runner, key string) (study.Trial, error) {
	r, err := at.broker.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	// Who asks again for what there is already need not wait until others have thought.
	if i := slices.IndexFunc(r.Trials, func(t study.Trial) bool { return t.AskKey == key }); i >= 0 {
		return sameAsker(r.Trials[i], runner)
	}
	defined := at.broker.Study()
	if defined.Overdue(r, time.Now()) {
		return study.Trial{}, problem(http.StatusConflict, Closed, "the study's deadline has passed, %v after its first trial", defined.Budget.Deadline)
	}
	t, err := at.ask(ctx, runner, key)
	if err != nil {
		p := s.explain(err)
		if ctx.Err() == nil {
			s.metrics.asked(defined.Name, t, p.Code)
		}
		return study.Trial{}, p
	}
	s.metrics.asked(defined.Name, t, "")
	return sameAsker(t, runner)
}

// sameAsker keeps a key that two happen to use from giving them one trial.
func sameAsker(t study.Trial, runner string) (study.Trial, error) {
	if t.Runner != runner {
		return study.Trial{}, problem(http.StatusConflict, Conflict, "this Idempotency-Key was used by another worker")
	}
	return t, nil
}

func (s *Server) lease(defined *study.Study, t study.Trial) Lease {
	l := Lease{Trial: trialView(t), Limit: limitOf(defined, t.Reserved)}
	if isLease(t) {
		l.LeaseSeconds = s.config.Lease.Seconds()
	}
	return l
}
