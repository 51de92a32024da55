package advisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// DefaultPolicy plans four tries ahead along the expected course of events.
const DefaultPolicy = "4-bmsei-p"

// Advisor suggests the trials of one study. It keeps nothing between calls, so any process may ask: the same
// record gives the same trial.
type Advisor struct {
	study  *study.Study
	space  *space.Space
	names  map[string]policy.Policy
	tuning Tuning
}

// Tuning is what experiments with the methods themselves may change. It is not kept with the study: whoever asks for
// the next trial must give it again.
type Tuning struct {
	// Settings are those of the policies, as the study's definition implies them.
	policy.Settings

	// Overrun suggests what the policy chose even if it is not expected to fit what is left of the budget; what is left
	// is then reserved. So the paper counts: a policy may spend its last money on a trial that does not count.
	Overrun bool
}

// Option changes the tuning of an advisor.
type Option func(*Tuning)

// New returns the advisor of a study.
func New(s *study.Study, options ...Option) (*Advisor, error) {
	sp, err := s.Space()
	if err != nil {
		return nil, err
	}
	a := &Advisor{study: s, space: sp, names: map[string]policy.Policy{}, tuning: Tuning{Settings: settings(s)}}
	for _, change := range options {
		change(&a.tuning)
	}
	_, err = a.policy(a.Pick(study.NewRecord(1, false)).Name)
	return a, err
}

// Pick is the policy that was chosen for a study.
type Pick struct {
	Name string // Name is the policy's name.
	Why  string // Why says why it was chosen.
}

// Pick says which policy chooses the next trial. It resolves the policy "auto": as far ahead as pays. Planning
// takes tenths of a second, which is nothing where a trial takes minutes and much where it takes milliseconds; in
// many dimensions or with many observations a plan of several steps is guesswork at a high price.
func (a *Advisor) Pick(r *study.Record) Pick {
	if name := a.study.Policy.Name; name != "auto" && name != "" {
		return Pick{name, "the study says so"}
	}
	tried, seconds := a.experience(r)
	switch {
	case tried > 400:
		return Pick{"ei-puc-cc", "with more than 400 trials planning ahead costs more than it brings"}
	case a.space.Dim() > 12:
		return Pick{"ei-puc-cc", fmt.Sprintf("in %d dimensions plans of several steps are guesswork", a.space.Dim())}
	case seconds > 0 && seconds < 0.1:
		return Pick{"ei-puc-cc", "trials take " + say.Duration(seconds) + ", less than planning would"}
	default:
		return Pick{DefaultPolicy, "plans four tries ahead under the budget"}
	}
}

// experience is how many settings have been tried, here or elsewhere, and how long that takes on average; 0 where the cost is not wall time. Then
// the time is nobody's business: the same outcomes must give the same trials on a slower machine.
func (a *Advisor) experience(r *study.Record) (tried int, seconds float64) {
	lost, timed := a.lost(r), 0.0
	tried = len(r.Known)
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

func (a *Advisor) policy(name string) (policy.Policy, error) {
	if p, ok := a.names[name]; ok {
		return p, nil
	}
	settings := a.tuning.Settings
	if name == "random" {
		// Its models say what a trial will cost and nothing else. Prices that vary by themselves, taken for a function of the setting,
		// make for wild guesses, and a single one ends a study whose trials do not depend on what was learnt.
		settings.CostNoise = policy.Noisy()
	}
	p, err := policy.New(name, settings)
	if err == nil {
		a.names[name] = p
	}
	return p, err
}

// settings are those that a study's definition implies.
func settings(s *study.Study) policy.Settings {
	settings := policy.Settings{Fantasies: s.Policy.Fantasies, Design: s.Policy.Design}
	if s.Policy.Preset == study.PresetPaper {
		preset := policy.Paper()
		settings.Preset = &preset
	}
	if s.Noisy {
		settings.Noise = policy.Noisy()
	}
	if s.Measured() {
		settings.CostNoise = policy.Noisy() // no clock shows the same time twice
	}
	return settings
}

// crumbs is the part of a budget that nothing can be bought with: what rounding leaves.
const crumbs = 1e-6

// Next returns the next trial for the record, with the money to reserve for it.
func (a *Advisor) Next(ctx context.Context, r *study.Record) (study.Asked, error) {
	if l := r.Ledger; l.Total-l.Spent <= crumbs*l.Total {
		return study.Asked{}, ErrBudgetSpent
	}
	if asked, ok := a.again(r); ok {
		return asked, nil
	}
	pick := a.Pick(r)
	asked, err := a.choose(ctx, r, pick)
	if errors.Is(err, ErrNotWorth) && pick.Name != DefaultPolicy {
		// Not every policy looks at what is left. One that does may know of something cheaper.
		return a.choose(ctx, r, Pick{DefaultPolicy, "what " + pick.Name + " would try is not affordable any more"})
	}
	return asked, err
}

func (a *Advisor) choose(ctx context.Context, r *study.Record, pick Pick) (study.Asked, error) {
	p, err := a.policy(pick.Name)
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
	if err != nil {
		return study.Asked{}, translate(err)
	}
	reserve, err := a.reserve(r, s)
	if err != nil {
		return study.Asked{}, err
	}
	asked := study.Asked{Setting: a.space.Decode(s.X), Point: s.X, Reserved: reserve}
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
func (a *Advisor) Fit(ctx context.Context, s policy.State) (*policy.Models, error) {
	return policy.Fit(ctx, s, a.tuning.Settings)
}

// sign is the one place where values that are minimised become values that are maximised, and back.
func (a *Advisor) sign() float64 {
	if a.study.Objective.Goal == study.Minimize {
		return -1
	}
	return 1
}
