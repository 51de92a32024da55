package advisor

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Advisor suggests the trials of one study. It keeps nothing between calls but models, of this study and of the one that it started
// from, which it would find again. So any process may ask: the same record gives the same trial.
type Advisor struct {
	study   *study.Study
	space   *space.Space
	tuning  Tuning
	earlier earlier
	repeats repeats
	forget  *time.Timer // empties the memory
	ladder  *ladder     // nil without a fidelity
}

// New returns the advisor of a study.
func New(s *study.Study, options ...Option) (*Advisor, error) {
	sp, err := s.Space()
	if err != nil {
		return nil, err
	}
	ladder, err := newLadder(s, sp)
	if err != nil {
		return nil, err
	}
	if sp.Dim() == 0 || ladder != nil && sp.Dim() == 1 {
		return nil, fault.New(fault.BadStudy, "give at least one parameter a range or several values", "nothing can vary: every parameter has a single value")
	}
	a := &Advisor{study: s, space: sp, tuning: Tuning{Settings: settings(s)}, ladder: ladder}
	for _, change := range options {
		change(&a.tuning)
	}
	if a.tuning.Memory == nil {
		a.tuning.Memory = policy.NewMemory()
	}
	a.forget = time.AfterFunc(forgetAfter, a.tuning.Memory.Forget)
	a.forget.Stop() // nothing is kept yet
	_, err = a.policy(a.Pick(study.NewRecord(1, false)).Name, a.tuning.Settings)
	return a, err
}

// forgetAfter is how long models are kept that nobody asks for. A server has many studies, and models of many results are large.
const forgetAfter = time.Minute

// crumbs is the part of a budget that nothing can be bought with: what rounding leaves.
const crumbs = 1e-6

// Next returns the next trial for the record, with the money to reserve for it.
func (a *Advisor) Next(ctx context.Context, r *study.Record) (study.Asked, error) {
	asked, err := a.next(ctx, r)
	asked.Look = err == nil && a.study.IsLook(asked.Setting)
	if err == nil {
		a.resume(r, &asked)
	}
	return asked, err
}

func (a *Advisor) next(ctx context.Context, r *study.Record) (study.Asked, error) {
	if l := r.Ledger; l.Total-l.Spent <= crumbs*l.Total {
		return study.Asked{}, ErrBudgetSpent
	}
	if err := a.trialsLeft(r); err != nil {
		return study.Asked{}, err
	}
	if asked, ok, err := a.wanted(ctx, r); ok || err != nil {
		return asked, err
	}
	if asked, ok := a.again(r); ok {
		return asked, nil
	}
	pick := a.Pick(r)
	asked, err := a.choose(ctx, r, pick)
	if errors.Is(err, ErrNotWorth) && !errors.Is(err, policy.ErrNoHope) && pick.Name != DefaultPolicy && pick.Name != simplePolicy {
		// Not every policy looks at what is left. One that does may know of something cheaper.
		asked, err = a.choose(ctx, r, Pick{simplePolicy, "what " + pick.Name + " would try is not affordable any more"})
	}
	if err == nil {
		err = a.Enough(ctx, r, asked)
	}
	if err != nil {
		return study.Asked{}, err
	}
	return asked, nil
}

func (a *Advisor) choose(ctx context.Context, r *study.Record, pick Pick) (study.Asked, error) {
	defer a.forget.Reset(forgetAfter)
	settings := a.tuning.Settings
	if pick.Name != "random" { // which does not ask whether there is noise
		settings = a.settingsFor(r)
	}
	p, err := a.policy(pick.Name, settings)
	if err != nil {
		return study.Asked{}, err
	}
	state, err := a.State(r)
	if err != nil {
		return study.Asked{}, err
	}
	if pick.Name == "random" {
		state = a.latest(state)
	}
	s, err := p.Suggest(ctx, state)
	if errors.Is(err, policy.ErrNoHope) {
		return study.Asked{}, fault.New(fault.NotWorth, goOn, "%w: %w, with %s left", ErrNotWorth, err, say.Left(a.study.Cost, r.Ledger))
	}
	if err != nil {
		return study.Asked{}, translate(err)
	}
	s = a.byDifference(r, s)
	reserve, err := a.reserve(r, s)
	if err != nil {
		return study.Asked{}, err
	}
	point := a.join(s.X, s.Level)
	setting := a.space.Decode(point)
	asked := study.Asked{Setting: setting, Point: point, Reserved: reserve, Credible: a.credible(r, setting, s.Predicted)}
	if asked.Why, err = json.Marshal(a.reasons(s, pick)); err != nil {
		return study.Asked{}, err
	}
	if s.Plan != nil {
		asked.Plan, err = json.Marshal(s.Plan)
	}
	return asked, err
}

// Study returns the study's definition.
func (a *Advisor) Study() *study.Study { return a.study }

// Space returns the space of the study's settings.
func (a *Advisor) Space() *space.Space { return a.space }

// Fit fits the models that the next trial would be chosen by to what the record has.
func (a *Advisor) Fit(ctx context.Context, r *study.Record, s policy.State) (*policy.Models, error) {
	defer a.forget.Reset(forgetAfter)
	return policy.Fit(ctx, s, a.settingsFor(r))
}

// sign is the one place where values that are minimised become values that are maximised, and back.
func (a *Advisor) sign() float64 {
	if a.study.Objective.Goal == study.Minimize {
		return -1
	}
	return 1
}
