package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

const reports = `echo '{"loss": 0.5, "cost": 2}' > "$EKE_RESULT"`

// A result is reported, with its cost.
func testResult(b *bench) {
	j := b.job(reports)
	out := b.run(j)
	if out.State != study.Done || out.Value != 0.5 || out.Wall <= 0 || out.Exit == nil || *out.Exit != (study.Exit{}) {
		b.Errorf("%+v", out)
	}
	b.costs(j, 2)
	if again := b.poll(j); again.Phase != engine.Ended || again.Outcome.Value != 0.5 {
		b.Errorf("polled again: %+v", again)
	}
}

// A result that is printed counts as well.
func testPrinted(b *bench) {
	j := b.job("echo epoch 1; echo loss=0.25; echo cost=3")
	if out := b.run(j); out.State != study.Done || out.Value != 0.25 {
		b.Errorf("%+v", out)
	}
	b.costs(j, 3)
}

// A command that says that it failed has failed, whatever it reported. What it has cost is known all the same.
func testFailure(b *bench) {
	j := b.job(reports + "; echo no such data set >&2; exit 3")
	out := b.run(j)
	if out.State != study.Failed || out.Exit == nil || out.Exit.Code != 3 {
		b.Errorf("%+v", out)
	}
	b.says(out.Note, "exit code 3", "no such data set")
	b.costs(j, 2)
}

// A command that reports nothing has failed, and nobody knows what it has cost.
func testNothing(b *bench) {
	j := b.job("echo fine")
	if out := b.run(j); out.State != study.Failed || out.Note == "" {
		b.Errorf("%+v", out)
	}
	b.costs(j, 0)
	j = b.job(`echo '{"heat": 7, "cost": 2}'`) // without its value it has failed too, and the other number is there
	if out := b.run(j); out.State != study.Failed || out.Note == "" || out.Metrics["heat"] != 7 {
		b.Errorf("%+v", out)
	}
	b.costs(j, 2)
}

// Where the cost is wall time it is measured, and a reported cost is ignored, which no wall time can be.
func testWallTime(b *bench) {
	j := b.job("sleep 0.2; " + strings.Replace(reports, "2", "1e9", 1))
	j.WallTime = true
	out := b.run(j)
	cost, err := b.e.Cost(b.Context(), j)
	if out.State != study.Done || err != nil || !cost.Known || cost.Amount < 0.2 || cost.Amount > b.Patience.Seconds() {
		b.Errorf("%+v, cost %+v, %v", out, cost, err)
	}
}

// A job is stopped at its limit, and costs no more than that. If others stop it late, it costs what it took.
func testLimit(b *bench) {
	j := b.job("trap '' TERM; while :; do sleep 0.05; done")
	j.Limit, j.WallTime = b.Limit, true
	began := time.Now()
	out := b.run(j)
	cost, err := b.e.Cost(b.Context(), j)
	most := j.Limit.Seconds()
	if b.Late {
		most = math.Max(most, time.Since(began).Seconds())
	}
	if out.State != study.Cut || err != nil || !cost.Known || cost.Amount > most || cost.Amount < j.Limit.Seconds()/2 {
		b.Errorf("%+v, cost %+v, %v", out, cost, err)
	}
	b.says(out.Note, "limit")
}

// A job gets more time if it asks in time. An engine that cannot extend a job never asks.
func testExtension(b *bench) {
	var asked atomic.Int32
	j := b.job(fmt.Sprintf("sleep %.3f; %s", (b.Limit * 3 / 2).Seconds(), reports))
	j.Limit = b.Limit
	j.Extend = func(_ context.Context, used time.Duration, _ <-chan struct{}) (time.Duration, bool) {
		if asked.Add(1); used < j.Limit/2 { // on a busy machine it may be asked late
			b.Errorf("asked after %v", used)
		}
		return 10 * j.Limit, true
	}
	out := b.run(j)
	if want := map[bool]study.State{true: study.Done, false: study.Cut}[asked.Load() > 0]; out.State != want {
		b.Errorf("asked %d times: %+v", asked.Load(), out)
	}
}

// A job is stopped when somebody says so, whenever that is, and the reason is in its note.
func testCancel(b *bench) {
	j := b.job("echo begun >> begun; sleep 600")
	b.submit(j)
	b.eventually("it begins", func() bool { return b.lines("begun") == 1 })
	b.eventually("it is seen to run", func() bool { return b.poll(j).Phase == engine.Running }) // a cluster says so a little later
	for range 2 {
		if err := b.e.Cancel(b.Context(), j, errors.New("the study is over")); err != nil {
			b.Error(err)
		}
	}
	out := b.end(j)
	if out.State != study.Cut {
		b.Errorf("%+v", out)
	}
	b.says(out.Note, "the study is over")
	if err := b.e.Cancel(b.Context(), j, nil); err != nil {
		b.Errorf("one that has ended: %v", err)
	}
}

// The context of Submit is that of the request: the job goes on when it ends. What is asked for after its end is not begun.
func testContext(b *bench) {
	ctx, cancel := context.WithCancel(b.Context())
	j := b.job("sleep 0.2; " + reports)
	if err := b.e.Submit(ctx, j); err != nil {
		b.Fatal(err)
	}
	cancel()
	if out := b.end(j); out.State != study.Done {
		b.Errorf("%+v", out)
	}
	if err := b.e.Submit(ctx, b.job("echo begun >> begun")); !errors.Is(err, context.Canceled) {
		b.Errorf("%v", err)
	}
	if time.Sleep(50 * time.Millisecond); b.lines("begun") > 0 {
		b.Error("it was run")
	}
}

// However often a job is submitted, it runs once.
func testTwice(b *bench) {
	j := b.job("echo ran >> ran; " + reports)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := b.e.Submit(b.Context(), j); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	if out := b.end(j); out.State != study.Done {
		b.Errorf("%+v", out)
	}
	if err := b.e.Submit(b.Context(), j); err != nil {
		b.Error(err)
	}
	time.Sleep(50 * time.Millisecond)
	if n := b.lines("ran"); n != 1 {
		b.Errorf("it ran %d times", n)
	}
}

// Many jobs are polled at once, and their statuses come in their order.
func testAll(b *bench) {
	var jobs []engine.Job
	for range 12 {
		j := b.job(`echo "{\"loss\": $EKE_TRIAL, \"cost\": 1}" > "$EKE_RESULT"`)
		b.submit(j)
		jobs = append(jobs, j)
	}
	var list []engine.Status
	b.eventually("all end", func() bool {
		var err error
		if list, err = b.e.Poll(b.Context(), jobs); err != nil || len(list) != len(jobs) {
			b.Fatalf("%d, %v", len(list), err)
		}
		for _, s := range list {
			if s.Phase != engine.Ended {
				return false
			}
		}
		return true
	})
	for i, s := range list {
		if s.Outcome.State != study.Done || s.Outcome.Value != float64(i+1) {
			b.Errorf("%d: %+v", i, s)
		}
	}
}

// The setting is in a file and in variables, and what the command prints is in files, which the engine hands out.
func testOutput(b *bench) {
	j := b.job(`cat "$EKE_PARAMS"; echo "x is $EKE_PARAM_X in $EKE_STUDY, $PWD"; echo oh >&2; ` + reports)
	b.run(j)
	for name, part := range map[string]string{engine.StdoutFile: "x is 0.25 in bench, " + b.dir, engine.StderrFile: "oh", engine.ParamsFile: `"x": 0.25`, engine.ResultFile: "loss"} {
		if name == engine.StderrFile && b.Image {
			name = engine.StdoutFile
		}
		data, err := fs.ReadFile(b.e.Files(j), name)
		if err != nil {
			b.Error(err)
		}
		b.says(string(data), part)
	}
}

// A mistake is found before anything runs, with a hint.
func testProbe(b *bench) {
	j := b.job("")
	if err := b.e.Probe(b.Context(), j); err != nil {
		b.Errorf("nothing is wrong with it: %v", err)
	}
	for name, change := range map[string]func(*engine.Job){
		"no command": func(j *engine.Job) { j.Argv = nil }, "no such command": func(j *engine.Job) { j.Argv = []string{"no-such-program-of-eke"} },
		"no such folder": func(j *engine.Job) { j.WorkDir = filepath.Join(b.dir, "none") },
	} {
		if b.Image && name != "no command" {
			continue
		}
		j := b.job("")
		change(&j)
		for verb, err := range map[string]error{"Probe": b.e.Probe(b.Context(), j), "Submit": b.e.Submit(b.Context(), j)} {
			if fault.CodeOf(err) != fault.CannotRun || fault.HintOf(err) == "" {
				b.Errorf("%s: %s: %v, hint %q", name, verb, err, fault.HintOf(err))
			}
		}
	}
}

// The result that an earlier job has left in the folder is not taken for this one's, and is not lost.
func testOldResult(b *bench) {
	j := b.job("echo fine")
	if err := errors.Join(os.MkdirAll(j.Dir, 0o777), os.WriteFile(filepath.Join(j.Dir, engine.ResultFile), []byte(`{"loss": 1, "cost": 1}`), 0o666)); err != nil {
		b.Fatal(err)
	}
	if out := b.run(j); out.State != study.Failed {
		b.Errorf("%+v", out)
	}
	if data, err := os.ReadFile(filepath.Join(j.Dir, engine.ResultFile+"~")); err != nil || len(data) == 0 {
		b.Errorf("%s, %v", data, err)
	}
}

// A trial's place for files is its own. What another trial of that number has left there is set aside, and not lost.
func testClaim(b *bench) {
	j := b.job(reports)
	for _, c := range []struct{ id, left string }{{"", ""}, {"first", ""}, {"first", ""}, {"second", "first"}} {
		j.ID = c.id
		aside, err := b.e.Claim(j)
		owner := ""
		if aside != "" {
			owner, _ = engine.Owner(os.DirFS(aside))
		}
		if now, e := engine.Owner(b.e.Files(j)); err != nil || e != nil || now != c.id || owner != c.left {
			b.Errorf("claimed by %q: of %q, %v; set aside in %q of %q, %v", c.id, now, e, aside, owner, err)
		}
	}
	if out := b.run(j); out.State != study.Done {
		b.Errorf("%+v", out)
	}
}

// A job that nobody knows is no success, and costs nothing that anybody knows of. An engine that knows that it was never submitted may
// say that it costs nothing.
func testUnknown(b *bench) {
	j := b.job(reports)
	if out := b.end(j); out.State != study.Abandoned {
		b.Errorf("%+v", out)
	}
	if cost, err := b.e.Cost(b.Context(), j); err != nil || cost != (engine.Cost{Known: cost.Known}) {
		b.Errorf("it has cost %+v, %v; want nothing", cost, err)
	}
}

// A controller is killed after its job has reported: the next controller finds the result, once nothing of the job is left.
func testKilledWithResult(b *bench) {
	j := b.job(`(while :; do echo alive >> alive; sleep 0.02; done) & echo begun >> begun; ` + reports + `; echo reported >> reported; sleep 0.3; kill $!`)
	b.orphan(j, func() bool { return b.lines("reported") == 1 })
	if out := b.end(j); out.State != study.Done || out.Value != 0.5 {
		b.Errorf("%+v", out)
	}
	b.costs(j, 2)
	b.isGone()
}

// A controller is killed while its job runs: the next one sees the job to its end, or finds that it is gone. It is not run again, even
// if it is submitted again.
func testKilledWithout(b *bench) {
	j := b.job(`(while :; do echo alive >> alive; sleep 0.02; done) & echo begun >> begun; sleep 1; ` + reports + `; kill $!`)
	b.orphan(j, func() bool { return b.lines("begun") == 1 && b.lines("alive") > 0 })
	out := b.end(j)
	if out.State != study.Abandoned && out.State != study.Done {
		b.Errorf("%+v", out)
	}
	b.costs(j, map[study.State]float64{study.Done: 2}[out.State])
	b.isGone()
	if err := b.e.Submit(b.Context(), j); err != nil {
		b.Error(err)
	}
	if time.Sleep(50 * time.Millisecond); b.lines("begun") != 1 {
		b.Errorf("it was begun %d times", b.lines("begun"))
	}
}

// isGone checks that nothing of an ended job is alive.
func (b *bench) isGone() {
	b.Helper()
	before := b.lines("alive")
	if time.Sleep(100 * time.Millisecond); b.lines("alive") != before {
		b.Error("something of it goes on")
	}
}
