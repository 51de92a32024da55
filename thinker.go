package eke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Thinker suggests trials for a study kept elsewhere: a record in, the next trial out. It keeps nothing
// between calls, so any process may ask: the same record gives the same trial.
type Thinker struct {
	study *study.Study
	space *space.Space
	names map[string]policy.Policy
}

// ErrNotWorth says that no affordable setting is worth trying.
var ErrNotWorth = errors.New("no affordable setting is worth trying")

// ErrExhausted says that every setting has been tried.
var ErrExhausted = policy.ErrExhausted

// NewThinker returns a thinker for the study.
func NewThinker(s *study.Study) (*Thinker, error) {
	sp, err := s.Space()
	if err != nil {
		return nil, err
	}
	t := &Thinker{study: s, space: sp, names: map[string]policy.Policy{}}
	_, err = t.policy(t.pick(study.NewRecord(1, false)).Name)
	return t, err
}

// Pick is the policy chosen for a study, and why.
type Pick struct{ Name, Why string }

// Pick says which policy chooses the next trial.
func (t *Thinker) Pick(r *study.Record) Pick { return t.pick(r) }

// pick resolves the policy "auto": as far ahead as pays. Planning costs tenths of a second, which
// is nothing where a trial takes minutes and much where it takes milliseconds; in many
// dimensions or with many observations a plan of several steps is guesswork at a high price.
func (t *Thinker) pick(r *study.Record) Pick {
	if name := t.study.Policy.Name; name != "auto" && name != "" {
		return Pick{name, "the study says so"}
	}
	tried, seconds := t.experience(r)
	switch {
	case tried > 400:
		return Pick{"ei-puc-cc", "with more than 400 trials planning ahead costs more than it brings"}
	case t.space.Dim() > 12:
		return Pick{"ei-puc-cc", fmt.Sprintf("in %d dimensions plans of several steps are guesswork", t.space.Dim())}
	case seconds > 0 && seconds < 0.1:
		return Pick{"ei-puc-cc", fmt.Sprintf("trials take %.2g s, less than planning would", seconds)}
	default:
		return Pick{DefaultPolicy, "plans four tries ahead under the budget"}
	}
}

// experience is how many settings have been tried, and how long that takes on average; 0 where the cost is not wall time. Then
// the time is nobody's business: the same outcomes must give the same trials on a slower machine.
func (t *Thinker) experience(r *study.Record) (tried int, seconds float64) {
	lost, timed := t.lost(r), 0.0
	for _, trial := range r.Trials {
		if lost[trial.Number] {
			continue
		}
		tried++
		if trial.State == study.Done && r.Measured {
			seconds, timed = seconds+trial.Charged, timed+1
		}
	}
	return tried, seconds / max(timed, 1)
}

func (t *Thinker) policy(name string) (policy.Policy, error) {
	if p, ok := t.names[name]; ok {
		return p, nil
	}
	settings := t.settings()
	if name == "random" {
		// Its models say what a trial will cost and nothing else. Prices that vary by themselves, taken for a function of the setting,
		// make for wild guesses, and a single one ends a study whose trials do not depend on what was learnt.
		settings.CostNoise = policy.Noisy()
	}
	p, err := policy.New(name, settings)
	if err == nil {
		t.names[name] = p
	}
	return p, err
}

func (t *Thinker) settings() policy.Settings {
	settings := policy.Settings{Fantasies: t.study.Policy.Fantasies, Design: t.study.Policy.Design}
	if t.study.Policy.Preset == "paper" {
		preset := policy.Paper()
		settings.Preset = &preset
	}
	if t.study.Noisy {
		settings.Noise = policy.Noisy()
	}
	if t.study.Measured() {
		settings.CostNoise = policy.Noisy() // no clock shows the same time twice
	}
	return settings
}

// crumbs is the part of a budget that nothing can be bought with: what rounding leaves.
const crumbs = 1e-6

// Next returns the next trial for the record, with the money to reserve for it.
func (t *Thinker) Next(ctx context.Context, r *study.Record) (study.Asked, error) {
	if l := r.Ledger; l.Total-l.Spent <= crumbs*l.Total {
		return study.Asked{}, ErrBudgetSpent
	}
	if asked, ok := t.again(r); ok {
		return asked, nil
	}
	pick := t.pick(r)
	asked, err := t.choose(ctx, r, pick)
	if errors.Is(err, ErrNotWorth) && pick.Name != DefaultPolicy {
		// Not every policy looks at what is left. One that does may know of something cheaper.
		return t.choose(ctx, r, Pick{DefaultPolicy, "what " + pick.Name + " would try is not affordable any more"})
	}
	return asked, err
}

func (t *Thinker) choose(ctx context.Context, r *study.Record, pick Pick) (study.Asked, error) {
	p, err := t.policy(pick.Name)
	if err != nil {
		return study.Asked{}, err
	}
	state, err := t.state(r)
	if err != nil {
		return study.Asked{}, err
	}
	if pick.Name == "random" {
		state = t.latest(state)
	}
	s, err := p.Suggest(ctx, state)
	if err != nil {
		return study.Asked{}, err
	}
	reserve, err := t.reserve(r, s)
	if err != nil {
		return study.Asked{}, err
	}
	asked := study.Asked{Setting: t.space.Decode(s.X), Point: s.X, Reserved: reserve}
	if asked.Why, err = json.Marshal(t.reasons(s, pick)); err != nil {
		return study.Asked{}, err
	}
	if s.Plan != nil {
		asked.Plan, err = json.Marshal(s.Plan)
	}
	return asked, err
}

func (t *Thinker) sign() float64 {
	if t.study.Objective.Goal == "minimize" {
		return -1
	}
	return 1
}
