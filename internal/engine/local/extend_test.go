//go:build unix

package local

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// untilGo is a command that goes on until it is told to end.
func untilGo(t *testing.T) engine.Job {
	c := sh(t, `: > "$EKE_DIR/ready"; while [ ! -e "$EKE_DIR/go" ]; do sleep 0.02; done; echo objective=1`)
	c.Limit, c.WallTime = time.Hour, true
	return c
}

func goOn(t *testing.T, c engine.Job) {
	if err := os.WriteFile(filepath.Join(c.Dir, "go"), nil, 0o600); err != nil {
		t.Error(err)
	}
}

func TestExtend(t *testing.T) {
	t.Run("granted", func(t *testing.T) {
		t.Parallel()
		c := untilGo(t)
		first := c.Limit - longestGrace - longestLead
		var asked []time.Duration
		c.Extend = func(_ context.Context, used time.Duration, _ <-chan struct{}) (time.Duration, bool) {
			if asked = append(asked, used); len(asked) == 1 { // it is to ask again in a moment
				return used + longestGrace + longestLead + 10*time.Millisecond, true
			}
			goOn(t, c)
			return used + time.Hour, true
		}
		out := aged(t, c, first)
		if out.State != study.Done || len(asked) != 2 || asked[0] < first || asked[1] < asked[0] || out.Wall < asked[1] {
			t.Errorf("%+v, asked at %v", out, asked)
		}
	})
	// A controller that was stopped asks when it goes on, and waits for the answer, although the limit has come.
	t.Run("asked late", func(t *testing.T) {
		t.Parallel()
		for range 10 { // what is due at once comes in any order
			c := untilGo(t)
			c.Extend = func(_ context.Context, used time.Duration, _ <-chan struct{}) (time.Duration, bool) {
				goOn(t, c)
				return used + time.Hour, true
			}
			if out := aged(t, c, 2*c.Limit); out.State != study.Done {
				t.Errorf("%+v", out)
			}
		}
	})
	// A store that answers only when the command would be stopped is in time: there was more all along.
	t.Run("decided at the limit", func(t *testing.T) {
		t.Parallel()
		c := untilGo(t)
		c.Extend = func(ctx context.Context, used time.Duration, due <-chan struct{}) (time.Duration, bool) {
			select {
			case <-due:
			case <-ctx.Done():
				return 0, false
			}
			goOn(t, c)
			return used + time.Hour, true
		}
		if out := aged(t, c, c.Limit-longestGrace-10*time.Millisecond); out.State != study.Done {
			t.Errorf("%+v", out)
		}
	})
	// If there is no more then, it is stopped at once, and pays no more than its limit.
	t.Run("denied at the limit", func(t *testing.T) {
		t.Parallel()
		c := sh(t, "sleep 600")
		c.Limit, c.WallTime = 800*time.Millisecond, true
		c.Extend = func(ctx context.Context, _ time.Duration, due <-chan struct{}) (time.Duration, bool) {
			select {
			case <-due:
			case <-ctx.Done():
				t.Error("it was never due")
			}
			return 0, false
		}
		if out := run(t, c); out.State != study.Cut || out.Cost > 0.8 {
			t.Errorf("%+v", out)
		}
	})
	t.Run("denied", func(t *testing.T) {
		t.Parallel()
		c := sh(t, "sleep 600")
		c.Limit = 800 * time.Millisecond
		asked := 0
		c.Extend = func(context.Context, time.Duration, <-chan struct{}) (time.Duration, bool) {
			asked++
			return time.Hour, false
		}
		out := run(t, c)
		if out.State != study.Cut || asked != 1 || out.Wall < 700*time.Millisecond { // all the time that was paid for
			t.Errorf("%+v, asked %d times", out, asked)
		}
	})
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		c := sh(t, "trap '' TERM; while :; do sleep 600; done")
		c.Limit, c.WallTime = 800*time.Millisecond, true
		answered := false
		c.Extend = func(ctx context.Context, _ time.Duration, _ <-chan struct{}) (time.Duration, bool) {
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond)
			answered = true // without a lock: the race detector sees whether Run waits
			return time.Hour, true
		}
		out := run(t, c)
		if out.State != study.Cut || !answered || out.Cost > 0.8 {
			t.Errorf("%+v, answered %v", out, answered)
		}
	})
}

// A command ends while its controller is stopped, and its limit comes, and it is cancelled. All of that is found at once, and the command
// has ended by itself all the same. Nobody saw when: it is charged until it was last seen.
func TestUnseen(t *testing.T) {
	for range 10 { // what is found at once comes in any order
		c := sh(t, "exit 3")
		c.Limit, c.WallTime = time.Hour, true
		p, err := prepare(c)
		if err != nil {
			t.Fatal(err)
		}
		x, err := p.start()
		if err != nil {
			t.Fatal(err)
		}
		<-x.watch.exited
		const before = 10 * time.Minute
		x.watch.begin = x.watch.begin.Add(-3 * c.Limit)
		x.watch.seen = x.watch.begin.Add(before)
		for _, name := range []string{engine.StdoutFile, engine.StderrFile} { // they are as old as the command
			if err := os.Chtimes(filepath.Join(c.Dir, name), x.watch.begin, x.watch.begin); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		out := flat(engine.EndedAs(x.wait(ctx)))
		if out.State != study.Failed || out.Exit.Code != 3 || !out.Estimated || out.Cost != before.Seconds() {
			t.Fatalf("%+v", out)
		}
		says(t, out.Note, "exit code 3", unseen)
	}
}
