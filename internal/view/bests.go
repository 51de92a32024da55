package view

import (
	"context"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// bests finds the best setting of the study that is shown.
type bests struct {
	goal  study.Goal
	cache *advisor.BestCache // nil: of a study that cannot be modelled
}

func newBests(s *study.Study) *bests {
	if s == nil { // nothing is known of it yet
		return &bests{}
	}
	b := &bests{goal: s.Objective.Goal}
	if a, err := advisor.New(s); err == nil {
		b.cache = advisor.NewBestCache(a)
	}
	return b
}

// of returns the best setting by a record. If there are no models, it is the best observation: a view must not end a run.
func (b *bests) of(r *study.Record) (best advisor.Best, ok bool) {
	if b.cache != nil {
		if best, ok, err := b.cache.Of(context.Background(), r); err == nil {
			return best, ok
		}
	}
	best.Trial, ok = r.Best(b.goal)
	return best, ok
}
