package server

import (
	"context"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/study"
)

// It may take a suggestion to find out that a study is over, and nobody may ask for one: the server was started anew after the last worker had
// heard it, or somebody evaluates trials by hand. So the server finds out itself about studies at which nothing happens.

// lookForIdle is how often the server looks for such studies, and idleFor how long nothing must have happened: workers ask sooner than that.
// When it starts it looks at all of them.
const lookForIdle, idleFor = 10 * time.Second, time.Minute

// endsForEver finds out which idle studies are over, once for each state of a study.
func (s *Server) endsForEver(ctx context.Context) {
	tick := time.NewTicker(lookForIdle)
	defer tick.Stop()
	tried, patience := map[string]int64{}, time.Duration(0) // versions, by study
	for {
		if cards, err := s.look(ctx); err == nil { // if it cannot be read, the sweep says so
			next := make(map[string]int64, len(cards))
			for _, c := range cards {
				if version, ok := tried[c.head.Name]; ok && version == c.head.Version {
					next[c.head.Name] = version
				} else if isIdle(&c.summary, time.Now().Add(-patience)) && ctx.Err() == nil {
					next[c.head.Name] = s.findEnd(ctx, c.head.Name, patience == 0)
				}
			}
			tried, patience = next, idleFor
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// isIdle reports whether nothing has happened since then at a study that has begun and, as far as is known, is not over.
func isIdle(one *api.Summary, since time.Time) bool {
	open := one.Counts[study.Pending] + one.Counts[study.Running]
	begun := one.Counts[study.Done] + one.Counts[study.Failed] + one.Counts[study.Cut] + one.Counts[study.StoppedEarly]
	return begun > 0 && open == 0 && one.Waiting == 0 && one.Finished == nil && !one.Paused && !one.Archived && one.Damaged == "" && !one.Changed.After(since)
}

// findEnd notes why a study is over, if it is, and returns the version that it has looked at. old says that it was so before the server began.
func (s *Server) findEnd(ctx context.Context, name string, old bool) (version int64) {
	o, r, err := s.peek(ctx, name)
	if err != nil {
		return 0 // it is gone, or damaged, which its card will say
	}
	asked, err := o.asking.take(ctx)
	if err != nil {
		return 0
	}
	defer asked()
	fitted, err := s.fitting.take(ctx, sender{"server", "server"}, 1)
	if err != nil {
		return 0
	}
	defer fitted()
	ctx, cancel := context.WithTimeout(ctx, api.MaxAsk)
	defer cancel()
	if err := o.broker.Advisor().Ended(ctx, r, time.Now()); err != nil {
		o.refusal.Store(&refusal{o.created, r.Version, err, old})
	}
	return r.Version
}
