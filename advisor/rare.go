package advisor

import (
	"context"
	"errors"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Models learn most about the value of a choice that looks best. What they say about the others comes from a few results, far from the best that each of
// these can do, and they are as sure of it as of all else. So before a study ends with money left, each value of a choice gets as many trials as an initial
// design has, where the models expect most of it.

// option is a value of a choice.
type option struct {
	name  string
	value space.Value
}

func (o option) isIn(s space.Setting) bool { return s[o.name] == o.value }

// enoughTries is how often each value of a choice is tried before the study ends with money left.
func (a *Advisor) enoughTries() int { return 2 * (a.space.Varying() + 1) }

// rarest returns the value of a choice that was tried least, and how often. It returns false if all were tried often enough.
func (a *Advisor) rarest(r *study.Record) (rare option, tries int, ok bool) {
	tries = a.enoughTries()
	for _, p := range a.study.Parameters {
		if p.Kind != space.KindChoice {
			continue
		}
		for _, v := range p.Values {
			o, n := option{p.Name, v}, 0
			for _, t := range r.Trials {
				if t.State.Ended() && t.State != study.Abandoned && o.isIn(t.Setting) {
					n++
				}
			}
			for _, k := range r.Known {
				if o.isIn(k.Setting) {
					n++
				}
			}
			if n < tries {
				rare, tries, ok = o, n, true
			}
		}
	}
	return rare, tries, ok
}

// tryRarest chooses a trial with the value of a choice that was tried least. If there is none to choose, the study ends as it was to.
func (a *Advisor) tryRarest(ctx context.Context, r *study.Record, end error) (study.Asked, error) {
	rare, tries, ok := a.rarest(r)
	if !ok || a.tuning.Paper || !errors.Is(end, ErrNotWorth) || errors.Is(end, policy.ErrBestPossible) {
		return study.Asked{}, end
	}
	only := *a
	only.only, only.thought = &rare, nil
	asked, _, err := only.choose(ctx, r, Pick{simplePolicy, say.Reason{Kind: say.Rare, Other: rare.name + "=" + rare.value.String(), Try: tries + 1, Most: a.enoughTries()}})
	if err != nil {
		return study.Asked{}, end
	}
	return asked, nil
}

// restrict leaves a state only the points with a value of a choice, if a trial with that is to be chosen.
func (a *Advisor) restrict(s *policy.State) {
	if a.only == nil {
		return
	}
	feasible := s.Feasible
	s.Feasible = func(x []float64) bool {
		return (feasible == nil || feasible(x)) && a.only.isIn(a.space.Decode(a.join(x, 1)))
	}
}
