//go:build unix

package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

const result = `echo '{"objective": 0.5, "cost": 2}'`

func TestRun(t *testing.T) {
	for name, tc := range map[string]struct {
		script string
		want   outcome // Wall apart
		says   []string
	}{
		"stdout":            {result, outcome{State: study.Done, Value: 0.5, Cost: 2, HasCost: true}, nil},
		"file":              {result + ` > "$EKE_RESULT"; echo objective=9`, outcome{State: study.Done, Value: 0.5, Cost: 2, HasCost: true}, nil},
		"lines":             {"echo loss=0.5; echo cost=2", outcome{State: study.Done, Value: 0.5, Cost: 2, HasCost: true}, nil},
		"exit code":         {result + "; echo boom >&2; exit 3", outcome{State: study.Failed, Cost: 2, HasCost: true, Exit: study.Exit{Code: 3}}, []string{"exit code 3; it reported 0.5", "\nstderr ends:\n    boom"}},
		"only stdout":       {"echo Traceback; exit 1", outcome{State: study.Failed, Exit: study.Exit{Code: 1}}, []string{"exit code 1\nstdout ends:\n    Traceback"}},
		"not in the shell":  {"no-such-command-at-all", outcome{State: study.Failed, Exit: study.Exit{Code: 127}}, []string{"did not find a command", "no-such-command-at-all"}},
		"crash":             {result + ` > "$EKE_RESULT"; kill -ABRT $$`, outcome{State: study.Failed, Cost: 2, HasCost: true, Exit: study.Exit{Code: -1, Signal: "SIGABRT"}}, []string{"ended by SIGABRT", "reported 0.5"}},
		"killed":            {"echo objective=1; kill -KILL $$", outcome{State: study.Failed, Exit: study.Exit{Code: -1, Signal: "SIGKILL"}}, []string{"SIGKILL from outside", "memory"}},
		"killed after":      {result + ` > "$EKE_RESULT"; kill -KILL $$`, outcome{State: study.Done, Value: 0.5, Cost: 2, HasCost: true, Exit: study.Exit{Code: -1, Signal: "SIGKILL"}}, []string{"left a result"}},
		"nothing":           {"echo fine >&2", outcome{State: study.Failed}, []string{"no result", `{"objective": …, "cost": …}`, "$EKE_RESULT", "stdout is empty", "fine"}},
		"NaN":               {`echo '{"objective": NaN, "cost": 1}' > "$EKE_RESULT"`, outcome{State: study.Failed, Cost: 1, HasCost: true}, []string{"result.json has objective NaN"}},
		"garbage":           {`printf '\033[31m\0\377 garbage' > "$EKE_RESULT"; ` + result, outcome{State: study.Failed}, []string{"result.json is not a JSON object", "garbage"}},
		"half":              {`printf '{"objective": 1, "co' > "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"not a JSON object", `{"objective": 1, "co`}},
		"empty":             {`: > "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"result.json is empty"}},
		"100 MB":            {`head -c 104857600 /dev/zero > "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"result.json is 100 MiB long", "at most 1 MiB"}},
		"wrong keys":        {`echo '{"accuracy": 1, "time": 2}' > "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"result.json has keys accuracy, time; eke looks for objective, loss or value, and cost", "objective.name: accuracy"}},
		"failed, with cost": {`echo '{"cost": 2}' > "$EKE_RESULT"; echo cracked >&2; exit 3`, outcome{State: study.Failed, Cost: 2, HasCost: true, Exit: study.Exit{Code: 3}}, []string{"exit code 3\nstderr ends:\n    cracked"}},
		"failed, no cost":   {`echo '{"accuracy": 2}' > "$EKE_RESULT"; exit 3`, outcome{State: study.Failed, Exit: study.Exit{Code: 3}}, []string{"exit code 3; result.json has key accuracy; eke looks for"}},
		"cost alone":        {`echo '{"cost": 2}' > "$EKE_RESULT"`, outcome{State: study.Failed, Cost: 2, HasCost: true}, []string{"result.json has key cost; eke looks for"}},
		"no cost":           {"echo objective=1", outcome{State: study.Failed}, []string{"stdout has no cost"}},
		"pipe":              {`mkfifo "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"not a regular file"}},
		"directory":         {`mkdir "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"not a regular file"}},
		"link out":          {`echo '{"objective":1,"cost":1}' > "$EKE_DIR/../secret"; ln -s ../secret "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"outside the trial's directory"}},
		"link to /dev":      {`ln -s /dev/zero "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"outside the trial's directory"}},
		"link to a pipe":    {`mkfifo "$EKE_DIR/p"; ln -s p "$EKE_RESULT"`, outcome{State: study.Failed}, []string{"not a regular file"}},
		"link inside":       {result + ` > "$EKE_DIR/out"; ln -s out "$EKE_RESULT"`, outcome{State: study.Done, Value: 0.5, Cost: 2, HasCost: true}, nil},
		"removed":           {`rm -r "$EKE_DIR"; ` + result, outcome{State: study.Failed}, []string{"directory was removed"}},
		"stdout removed":    {result + `; rm "$EKE_DIR/stdout"`, outcome{State: study.Done, Value: 0.5, Cost: 2, HasCost: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, tc.script)
			c.Objective = "loss"
			begin := time.Now()
			out := run(t, c)
			says(t, out.Note, tc.says...)
			if out.Wall <= 0 || out.Wall > time.Since(begin) {
				t.Errorf("wall time %v", out.Wall)
			}
			if len(tc.says) == 0 && out.Note != "" {
				t.Errorf("note %q", out.Note)
			}
			out.Wall, out.Note = 0, ""
			if out != tc.want {
				t.Errorf("%+v, want %+v", out, tc.want)
			}
		})
	}
}

func TestWallTime(t *testing.T) {
	c := sh(t, "sleep 0.1; echo '{\"objective\": 0.5, \"cost\": \"dear\"}'")
	c.WallTime = true
	begin := time.Now()
	out := run(t, c)
	if out.State != study.Done || out.Cost != out.Wall.Seconds() || out.Cost < 0.1 || out.Cost > time.Since(begin).Seconds() {
		t.Errorf("%+v", out)
	}
	c = sh(t, "exit 1")
	c.WallTime = true
	if out := run(t, c); out.State != study.Failed || !out.HasCost || out.Cost <= 0 {
		t.Errorf("%+v", out)
	}
}

// Of very much that is printed the beginning and the end are kept, and little of it is read.
func TestPrintsMuch(t *testing.T) {
	c := mode(t, "print100MB")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := run(t, c)
	runtime.ReadMemStats(&after)
	if out.State != study.Done || out.Value != 0.5 || out.Cost != 2 {
		t.Errorf("%+v", out)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	kept, err := os.ReadFile(filepath.Join(c.Dir, engine.StdoutFile))
	if err != nil || len(kept) < keptHead+keptTail || len(kept) > keptHead+keptTail+200 || !strings.Contains(string(kept[keptHead:keptHead+100]), "MiB were left out here by eke") {
		t.Errorf("stdout: %d bytes, %v", len(kept), err)
	}
	out = run(t, mode(t, "hugeLine"))
	if out.State != study.Failed {
		t.Errorf("%+v", out)
	}
	says(t, out.Note, "the last line of stdout is longer than the 1 MiB that are read")
	if out = run(t, mode(t, "long line, then a result")); out.State != study.Done {
		t.Errorf("%+v", out)
	}
}

func TestLimit(t *testing.T) {
	const limit, grace = time.Hour, 30 * time.Minute
	const ready = `; : > "$EKE_DIR/ready"; `
	// A shell that is about to start a program may hear of SIGTERM alone. So its programs are short: nobody waits for the grace to end.
	const forever = "while :; do sleep 0.02; done"
	for name, tc := range map[string]struct {
		script string
		age    time.Duration // it is asked to stop after limit-grace, and killed after limit
		state  study.State
		signal string
		says   []string
	}{
		"heeds SIGTERM":   {":" + ready + forever, limit - grace, study.Cut, "SIGTERM", []string{"stopped at its limit of 1h"}},
		"ignores SIGTERM": {"trap '' TERM; echo stubborn >&2" + ready + "while :; do sleep 600; done", limit, study.Cut, "SIGKILL", []string{"limit", "did not heed SIGTERM", "stubborn"}},
		"is suspended":    {":" + ready + "kill -STOP $$", limit - grace, study.Cut, "SIGTERM", []string{"limit"}},
		"says goodbye":    {"trap '" + `echo objective=3; exit 0` + "' TERM" + ready + forever, limit - grace, study.Done, "", []string{"left a result"}},
		"had a result":    {`echo '{"value":3}' > "$EKE_RESULT"` + ready + forever, limit - grace, study.Done, "SIGTERM", []string{"left a result"}},
		"had printed":     {"echo objective=3" + ready + forever, limit - grace, study.Cut, "SIGTERM", []string{"limit"}},
		"half a result":   {`printf '{"value":3' > "$EKE_RESULT"` + ready + forever, limit - grace, study.Cut, "SIGTERM", []string{"limit", "not a JSON object"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, tc.script)
			c.Limit, c.Grace, c.WallTime = limit, grace, true
			out := aged(t, c, tc.age)
			if out.State != tc.state || out.Exit.Signal != tc.signal {
				t.Errorf("%+v", out)
			}
			if out.State == study.Done && out.Value != 3 {
				t.Errorf("%+v", out)
			}
			if !out.HasCost || out.Cost != min(out.Wall, limit).Seconds() || out.Wall < tc.age || (out.Wall < limit) != (tc.age < limit) {
				t.Errorf("cost %v, wall time %v", out.Cost, out.Wall)
			}
			says(t, out.Note, tc.says...)
		})
	}
}

// Those whom the command leaves behind are stopped, and do not keep it from ending.
func TestForks(t *testing.T) {
	for name, child := range map[string]string{
		"about to end": "sleep 0.02", "sleeping": "sleep 600", "stubborn": "(trap '' TERM; while :; do sleep 600; done)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, child+" & echo $$ >&2; "+result) // the child holds stdout
			c.Grace = 100 * time.Millisecond
			out := run(t, c)
			if out.State != study.Done || out.Wall > 5*time.Minute {
				t.Errorf("%+v", out)
			}
			left := strings.Contains(out.Note, "left processes running")
			if isSlow := name == "about to end" && out.Wall > settle; left != (name != "about to end") && !isSlow {
				t.Errorf("note %q", out.Note)
			}
			data, _ := os.ReadFile(filepath.Join(c.Dir, engine.StderrFile))
			var pgid int
			if _, err := fmt.Sscan(string(data), &pgid); err != nil {
				t.Fatal(err)
			}
			noneAlive(t, pgid)
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		c := sh(t, `trap '' TERM; (while :; do sleep 600; done) & echo $$; : > "$EKE_DIR/ready"; sleep 600; sleep 600`)
		c.Limit = time.Hour
		out := aged(t, c, c.Limit)
		if out.State != study.Cut || out.Exit.Signal != "SIGKILL" {
			t.Errorf("%+v", out)
		}
		data, _ := os.ReadFile(filepath.Join(c.Dir, engine.StdoutFile))
		var pgid int
		if _, err := fmt.Sscan(string(data), &pgid); err != nil {
			t.Fatal(err)
		}
		noneAlive(t, pgid)
	})
}

func TestContext(t *testing.T) {
	for _, script := range []string{"sleep 600", "trap '' TERM; while :; do sleep 600; done"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeoutCause(context.Background(), 200*time.Millisecond, context.Canceled)
			defer cancel()
			c := sh(t, script)
			c.Grace = 100 * time.Millisecond
			out, err := runJob(ctx, c)
			if err != nil || out.State != study.Cut || !strings.HasPrefix(out.Note, "stopped") || out.Wall > 5*time.Minute {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	t.Run("cause", func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, fmt.Errorf("the deadline of the study has come"))
		defer cancel()
		out, err := runJob(ctx, sh(t, "sleep 600"))
		if err != nil || !strings.HasPrefix(out.Note, "stopped: the deadline of the study has come") {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	outs := make([]outcome, 16)
	for i := range outs {
		c := sh(t, `sleep 0.1; echo "objective=$EKE_TRIAL"; echo cost=1`)
		c.Trial = i
		wg.Go(func() { outs[i], _ = runJob(context.Background(), c) })
	}
	wg.Wait()
	for i, out := range outs {
		if out.State != study.Done || out.Value != float64(i) {
			t.Errorf("trial %d: %+v", i, out)
		}
	}
}

// A clock that is set does not change what is measured: the start keeps its monotonic reading.
func TestMonotonic(t *testing.T) {
	w := watch{clock: newClock(time.Now())}
	if !strings.Contains(w.begin.String(), "m=") || w.used() < 0 {
		t.Errorf("begin %v", w.begin)
	}
}

// noneAlive checks that the group is gone but for the dead that nobody has waited for.
func noneAlive(t *testing.T, pgid int) {
	t.Helper()
	if syscall.Kill(-pgid, 0) == syscall.ESRCH {
		return
	}
	if living(pgid) > 0 {
		t.Errorf("group %d is alive", pgid)
		_ = syscall.Kill(-pgid, syscall.SIGKILL)
	}
}
