package local

import (
	"os"
	"time"

	"github.com/eke-bo/eke/internal/engine"
)

// A command is charged for the time that it ran, and not for the time that its controller was stopped (SIGSTOP, Ctrl-Z) and saw
// nothing. If the command is still there when the controller goes on, it has run meanwhile. If it is not, its end is estimated: by
// the last thing that it wrote, or else by when it was last seen.
//
// While a machine sleeps, the monotonic clock stands still, and so nothing is charged. A command that is stopped itself is charged:
// it holds what was paid for, and its limit must reach it.
const tick = 250 * time.Millisecond

// blind is how long a controller must have seen nothing to have been stopped. A busy machine may keep it waiting for a while.
var blind = 8 * tick // tests change it

// clock measures how long a command runs.
type clock struct {
	begin   time.Time
	seen    time.Time // when the command was last seen
	guessed bool      // the end is estimated
	end     time.Time // when the command was gone; zero: it is not
}

// newClock is the clock of a command that was begun then, and has just been started: a busy machine may take a while for that.
func newClock(begin time.Time) clock { return clock{begin: begin, seen: time.Now()} }

// used is how long the command has run.
func (c *clock) used() time.Duration {
	if !c.end.IsZero() {
		return max(c.end.Sub(c.begin), 0)
	}
	return time.Since(c.begin)
}

// wasBlind says whether the controller has seen nothing for long.
func (c *clock) wasBlind() bool { return time.Since(c.seen) > blind }

// guessEnd estimates when a command was gone whose end nobody saw: when it last wrote something, or was last seen.
func (c *clock) guessEnd(f files) {
	last, now := c.seen, time.Now()
	for _, name := range []string{engine.ResultFile, engine.StdoutFile, engine.StderrFile} {
		info, err := os.Stat(f.path(name))
		if err != nil {
			continue
		}
		// The files have the time of day. It is the same clock again once it is counted from now.
		if at := now.Add(info.ModTime().Sub(now.Round(0))); at.After(last) {
			last = at
		}
	}
	c.end, c.guessed = last, true
}
