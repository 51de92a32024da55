package advisor

import (
	"context"
	"sync"

	"github.com/eke-bo/eke/study"
)

// BestCache finds the best setting of a study, and keeps it until the study has other results: where evaluations have noise, finding
// it means fitting models. Many goroutines may use it at once.
type BestCache struct {
	advisor *Advisor
	finding chan struct{} // holds one token: two that find at once would find the same

	mu     sync.Mutex
	learnt int64 // the results that it was found by; see study.Record.Learnt
	found  bool  // it has been looked for
	best   Best
	ok     bool
}

// NewBestCache returns the cache of an advisor's study.
func NewBestCache(a *Advisor) *BestCache {
	return &BestCache{advisor: a, finding: make(chan struct{}, 1)}
}

// Of returns the best setting by a record; see Advisor.Best.
func (c *BestCache) Of(ctx context.Context, r *study.Record) (best Best, ok bool, err error) {
	if best, ok, known := c.kept(r); known {
		return best, ok, nil
	}
	if !c.advisor.hasNoise(r) { // there is nothing to fit
		best.Trial, ok = r.Best(c.advisor.study.Objective.Goal)
		c.keep(r, best, ok)
		return best, ok, nil
	}
	select {
	case c.finding <- struct{}{}:
		defer func() { <-c.finding }()
	case <-ctx.Done():
		return Best{}, false, ctx.Err()
	}
	if best, ok, known := c.kept(r); known { // found while this one waited
		return best, ok, nil
	}
	if best, ok, err = c.advisor.Best(ctx, r); err == nil {
		err = ctx.Err() // models that were cut short depend on the clock
	}
	if err != nil {
		return Best{}, false, err
	}
	c.keep(r, best, ok)
	return best, ok, nil
}

func (c *BestCache) keep(r *study.Record, best Best, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Learnt >= c.learnt {
		c.learnt, c.found, c.best, c.ok = r.Learnt, true, best, ok
	}
}

// Last returns the best setting that was found last, whatever has happened since.
func (c *BestCache) Last() (best Best, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best, c.ok
}

func (c *BestCache) kept(r *study.Record) (best Best, ok, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best, c.ok, c.found && c.learnt == r.Learnt
}
