package eke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

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

// pick resolves the policy "auto": as far ahead as pays. Planning costs tenths of a second, which
// is nothing where a trial takes minutes and much where it takes milliseconds; in many
// dimensions or with many observations a plan of several steps is guesswork at a high price.
func (t *Thinker) pick(r *study.Record) Pick {
	if name := t.study.Policy.Name; name != "auto" && name != "" {
		return Pick{name, "the study says so"}
	}
	switch seconds := meanSeconds(r); {
	case len(r.Trials) > 400:
		return Pick{"ei-puc-cc", "with more than 400 trials planning ahead costs more than it brings"}
	case t.space.Dim() > 12:
		return Pick{"ei-puc-cc", fmt.Sprintf("in %d dimensions plans of several steps are guesswork", t.space.Dim())}
	case seconds > 0 && seconds < 0.2:
		return Pick{"ei-puc-cc", fmt.Sprintf("trials take %.2g s, less than planning would", seconds)}
	default:
		return Pick{DefaultPolicy, "plans four tries ahead under the budget"}
	}
}

// meanSeconds is how long ended trials took by the clock; 0 when none did.
func meanSeconds(r *study.Record) float64 {
	sum, n := 0.0, 0.0
	for _, t := range r.Trials {
		if t.State.Ended() && !t.Started.IsZero() {
			sum, n = sum+t.Finished.Sub(t.Started).Seconds(), n+1
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

func (t *Thinker) policy(name string) (policy.Policy, error) {
	if p, ok := t.names[name]; ok {
		return p, nil
	}
	settings := policy.Settings{Fantasies: t.study.Policy.Fantasies, Design: t.study.Policy.Design}
	if t.study.Policy.Preset == "paper" {
		preset := policy.Paper()
		settings.Preset = &preset
	}
	if t.study.Noisy {
		settings.Noise = policy.Noisy()
	}
	p, err := policy.New(name, settings)
	if err == nil {
		t.names[name] = p
	}
	return p, err
}

// Next returns the next trial for the record, with the money to reserve for it.
func (t *Thinker) Next(ctx context.Context, r *study.Record) (study.Asked, error) {
	pick := t.pick(r)
	p, err := t.policy(pick.Name)
	if err != nil {
		return study.Asked{}, err
	}
	state, err := t.state(r)
	if err != nil {
		return study.Asked{}, err
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

// state is the record as the policy sees it. A trial that ended without a value is taken for as bad as the
// worst that has one: it must not be asked for again, nor its neighbours, and what it cost is known.
func (t *Thinker) state(r *study.Record) (policy.State, error) {
	s := policy.State{
		Dim: t.space.Dim(), Initial: r.Ledger.Total, Remaining: r.Ledger.Total - r.Ledger.Spent,
		Seed: t.study.Seed, Trial: len(r.Trials),
		Snap:       func(x []float64) []float64 { return t.space.Snap(nil, x) },
		Neighbours: t.space.Neighbours,
	}
	worst := math.Inf(1)
	for _, trial := range r.Trials {
		if trial.State == study.Done {
			worst = math.Min(worst, t.sign()*trial.Value)
		}
	}
	for _, trial := range r.Trials {
		switch {
		case trial.State.Open():
			s.Pending = append(s.Pending, trial.Point)
		case trial.Charged > 0 && (trial.State == study.Done || !math.IsInf(worst, 1)):
			value := worst
			if trial.State == study.Done {
				value = t.sign() * trial.Value
			}
			s.X, s.Y, s.LnCost = append(s.X, trial.Point), append(s.Y, value), append(s.LnCost, math.Log(trial.Charged))
		}
		if len(trial.Plan) > 0 {
			plan := &policy.Plan{}
			if err := json.Unmarshal(trial.Plan, plan); err != nil {
				return s, fmt.Errorf("eke: the plan of trial %d cannot be read: %w", trial.Number, err)
			}
			s.Previous = plan
		}
	}
	return s, nil
}

func (t *Thinker) sign() float64 {
	if t.study.Objective.Goal == "minimize" {
		return -1
	}
	return 1
}
