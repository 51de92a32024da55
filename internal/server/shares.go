package server

import (
	"context"
	"maps"
	"sync"
)

// sender is whom a request counts for: its token, wherever that is used, and the token's group. A token without a group is a group of
// its own. A request without a token counts for its address.
type sender struct{ one, group string }

// shares hands out something scarce, such as memory, so that no sender and no group can take all of it. Whoever was served longest ago
// is next: one who asks for much waits for their own requests, and others wait for at most a few of them.
type shares struct {
	all, group, one int64 // how much may be held: by all together, by a group, by one sender
	waiters         int   // how many requests of one sender may wait

	mu      sync.Mutex
	held    int64
	groups  map[string]int64 // what each group holds
	ones    map[string]int64 // what each sender holds
	waiting []*waiter        // in the order in which they came
	served  map[string]int64 // when each sender and each group was served last, in turns
	turn    int64
}

type waiter struct {
	from  sender
	size  int64
	ready chan struct{}
}

var errCrowded = crowded("too many requests of this token or address wait for their turn")

func newShares(all, group, one int64, waiters int) *shares {
	return &shares{all: all, group: group, one: one, waiters: waiters, groups: map[string]int64{}, ones: map[string]int64{}, served: map[string]int64{}}
}

// newTurns is for what one request does at a time.
func newTurns(waiters int) *shares { return newShares(1, 1, 1, waiters) }

// take waits until there is a share for a request. It is at most as large as one sender's.
func (s *shares) take(ctx context.Context, from sender, size int64) (release func(), err error) {
	w := &waiter{from, size, make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, w)
	s.serve()
	crowded := s.waitsFor(from) > s.waiters && s.remove(w)
	s.mu.Unlock()
	if crowded {
		return nil, errCrowded
	}
	release = sync.OnceFunc(func() { s.giveBack(w) })
	select {
	case <-w.ready:
		return release, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	gone := s.remove(w)
	s.serve() // a smaller one may have waited behind it
	s.mu.Unlock()
	if !gone { // it was served at the last moment
		release()
	}
	return nil, ctx.Err()
}

// serve lets those go who may. The one whose turn it is waits for room that others hold, and nobody overtakes it; one who waits for its own
// share is overtaken.
func (s *shares) serve() {
	for {
		var next *waiter
		for _, w := range s.waiting {
			mine := s.ones[w.from.one]+w.size <= s.one && s.groups[w.from.group]+w.size <= s.group
			if mine && (next == nil || s.isBefore(w.from, next.from)) {
				next = w
			}
		}
		if next == nil || s.held+next.size > s.all {
			return
		}
		s.turn++
		s.served[next.from.group], s.served[next.from.one] = s.turn, s.turn
		s.held += next.size
		s.groups[next.from.group] += next.size
		s.ones[next.from.one] += next.size
		s.remove(next)
		close(next.ready)
	}
}

// isBefore reports whether a sender was served longer ago than another: its group or, within a group, itself.
func (s *shares) isBefore(a, b sender) bool {
	if s.served[a.group] != s.served[b.group] {
		return s.served[a.group] < s.served[b.group]
	}
	return s.served[a.one] < s.served[b.one]
}

// remove takes a request from those that wait, and reports whether it was there.
func (s *shares) remove(w *waiter) bool {
	for i, other := range s.waiting {
		if other == w {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			return true
		}
	}
	return false
}

func (s *shares) waitsFor(from sender) (n int) {
	for _, w := range s.waiting {
		if w.from.one == from.one {
			n++
		}
	}
	return n
}

func (s *shares) giveBack(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= w.size
	lower(s.groups, w.from.group, w.size)
	lower(s.ones, w.from.one, w.size)
	s.serve()
	if len(s.waiting) == 0 { // then only who holds something has had more than others
		maps.DeleteFunc(s.served, func(who string, _ int64) bool { return s.ones[who] == 0 && s.groups[who] == 0 })
	}
}

// lower forgets who holds nothing.
func lower(held map[string]int64, who string, by int64) {
	if held[who] -= by; held[who] == 0 {
		delete(held, who)
	}
}
