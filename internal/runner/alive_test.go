package runner

import (
	"testing"
	"time"
)

// A trial whose runner died is charged for as long as it was seen, and half of the time after which it would have been seen again: an
// eighth of its age, at least 10 ms and at most a beat. It is never less than was seen, and never reaches into the future.
func TestAlive(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	began := time.Now().Add(-time.Hour)
	for _, c := range []struct{ seen, want time.Duration }{
		{0, ms(5)}, {ms(40), ms(45)}, {ms(160), ms(170)}, {4 * time.Second, ms(4250)}, {time.Minute, time.Minute + beat/2},
	} {
		e := &entry{Began: began, seen: began.Add(c.seen)}
		if got := e.alive(time.Time{}); got != c.want {
			t.Errorf("seen after %v, it is taken to have lived for %v, not %v", c.seen, got, c.want)
		}
	}
	late := began.Add(ms(100)) // the journal is written before the command begins
	if got := (&entry{Began: began, seen: began.Add(ms(260))}).alive(late); got != ms(170) {
		t.Errorf("begun late: %v", got)
	}
	if got := (&entry{Began: began, seen: began}).alive(late); got != 0 {
		t.Errorf("last seen before it began: %v", got)
	}
	now := time.Now()
	if got := (&entry{Began: now.Add(-time.Minute), seen: now}).alive(time.Time{}); got < time.Minute || got > time.Minute+time.Since(now) {
		t.Errorf("seen just now: %v", got)
	}
}
