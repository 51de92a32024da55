package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/flock"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// A slot is a place for one trial at a time. Each has a number, and a folder beside the workspaces with a lock, which all runners share that
// work in the same folder on the same machine. A runner keeps the lock until it ends, and the system releases it however the runner ends.
// Processes left behind by a dead runner's trial have the slot's folder in their environment. Whoever takes the lock ends these first, and
// then knows that the slot is empty.
const slotsFolder = "slots"

// slotsOf finds out which slots there are, and how many trials run at once.
func (r *run) slotsOf(ctx context.Context, s *study.Study) (err error) {
	e, isSlotted := r.Engine.(engine.Slotted)
	if isSlotted && r.shop != nil {
		r.slotted = e
		if r.slots, err = e.Slots(ctx, r.pinned); err != nil {
			return err
		}
	}
	n := len(r.slots)
	switch {
	case r.Parallel > 0:
	case n > 0 && r.pinned.Parallel > 0:
		r.Parallel = r.pinned.Parallel
	case n > 0:
		r.Parallel = n
	case r.Single:
		r.Parallel = 1
	default:
		r.Parallel = max(s.Parallel, 1)
	}
	if n > 0 && r.Parallel > n {
		return fault.New(fault.BadStudy, fmt.Sprintf("give parallel: %d or --parallel %d at most, or add slots", n, n),
			"parallel is %d, but there are %s here, each for one trial at a time", r.Parallel, say.Count(n, "slot"))
	}
	return nil
}

// takeSlot takes a free slot, the one with the lowest number, and waits until there is one. It returns false if the run is to end before
// that. An engine that has no slots needs none.
func (r *run) takeSlot(ctx context.Context, at int) (s *engine.Slot, ok bool) {
	if r.slotted == nil {
		return nil, true
	}
	until, cancel := r.untilStopped(ctx)
	defer cancel()
	for waiting := false; until.Err() == nil && !r.isEnding(); wait(until, nil, pause) {
		s, err := r.freeSlot(until, at)
		if err != nil && until.Err() == nil {
			r.fail(err)
		}
		if s != nil || err != nil {
			return s, err == nil
		}
		r.sayWaiting(&waiting, fmt.Sprintf("another run in this folder has the study's %s", say.Count(len(r.slots), "slot")))
	}
	return nil, false
}

// freeSlot takes a slot that nobody has; nil if there is none. Without locks, a run counts its own.
func (r *run) freeSlot(ctx context.Context, at int) (*engine.Slot, error) {
	r.entering.Lock() // one at a time, so that the lowest are taken
	defer r.entering.Unlock()
	for n := 0; len(r.slots) == 0 || n < len(r.slots); n++ {
		s := engine.Slot{Number: n, Dir: filepath.Join(r.shop.dir, slotsFolder, hostName(), strconv.Itoa(n))}
		if err := os.MkdirAll(s.Dir, 0o700); err != nil {
			return nil, r.shop.unusable(err)
		}
		lock, err := os.OpenFile(filepath.Join(s.Dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, r.shop.unusable(err)
		}
		free, err := flock.Try(lock)
		if errors.Is(err, errors.ErrUnsupported) {
			lock.Close()
			s.Number, s.Dir = at, filepath.Join(filepath.Dir(s.Dir), strconv.Itoa(at))
			return &s, os.MkdirAll(s.Dir, 0o700)
		}
		if !free || err != nil {
			lock.Close()
			continue
		}
		if err := r.slotted.Enter(ctx, s); err != nil {
			lock.Close()
			return nil, err
		}
		s.Lock = lock
		return &s, nil
	}
	return nil, nil
}

// placeOf names the place of a slot, which is the same in every run; empty if changes cost nothing. Calls have no slots, but places.
func (r *run) placeOf(s *engine.Slot, i int) string {
	switch {
	case len(r.shown.Load().Changeover) == 0:
		return ""
	case s != nil:
		i = s.Number
	case r.Runner != "":
		return strconv.Itoa(i)
	}
	return hostName() + "/" + strconv.Itoa(i)
}

// pricesAt returns what says how much it costs to change to a trial at a place; nil if changes cost nothing, or there is no choice.
func (r *run) pricesAt(ctx context.Context, place string) func(study.Trial) float64 {
	s := r.shown.Load()
	r.mu.Lock()
	left := len(r.left)
	r.mu.Unlock()
	if len(s.Changeover) == 0 || left < 2 {
		return nil
	}
	record, err := r.Source.Record(ctx)
	if err != nil {
		return nil // any order will do
	}
	set := s.SetAt(record, place)
	return func(t study.Trial) float64 { return s.Fee(set, t.Setting).Known }
}

// leaveSlot gives a slot back.
func (r *run) leaveSlot(s *engine.Slot) {
	if s == nil {
		return
	}
	r.slotted.Leave(*s)
	if s.Lock != nil {
		s.Lock.Close()
	}
}

// slotEnviron are the variables of a slot.
func (r *run) slotEnviron(s *engine.Slot, t *task, places map[string]string) ([]string, error) {
	if s == nil || s.Number >= len(r.slots) {
		return nil, nil
	}
	return r.pinned.SlotEnviron(r.slots[s.Number], t.Setting, places)
}
