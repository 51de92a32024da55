//go:build unix

package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// bench has jobs evaluated in one slot by a command that stays alive.
type bench struct {
	*testing.T
	e      *Engine
	dir    string
	script string
	slot   engine.Slot
	jobs   int
}

func newBench(t *testing.T, script string) *bench {
	t.Helper()
	b := &bench{T: t, e: &Engine{}, dir: t.TempDir(), script: script}
	b.slot = engine.Slot{Number: 3, Dir: filepath.Join(b.dir, "slot")}
	if err := os.MkdirAll(b.slot.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.e.Leave(b.slot) })
	return b
}

// submit submits a job whose setting has its number.
func (b *bench) submit(change func(*engine.Job)) engine.Job {
	b.Helper()
	b.jobs++
	j := sh(b.T, b.script)
	j.Trial, j.Dir, j.WorkDir, j.Slot, j.Lines = b.jobs, filepath.Join(b.dir, "0000"+string(rune('0'+b.jobs))), b.dir, &b.slot, true
	j.Setting = space.Setting{"n": space.Int(int64(b.jobs))}
	if change != nil {
		change(&j)
	}
	if err := errors.Join(b.e.Probe(b.Context(), j), b.e.Submit(b.Context(), j)); err != nil {
		b.Fatal(err)
	}
	return j
}

func (b *bench) end(j engine.Job) (out study.Finished) {
	b.Helper()
	eventually(b.T, "the job ends", func() bool {
		list, err := b.e.Poll(b.Context(), []engine.Job{j})
		if err != nil {
			b.Fatal(err)
		}
		out = list[0].Outcome
		return list[0].Phase == engine.Ended
	})
	return out
}

func (b *bench) run() study.Finished {
	b.Helper()
	return b.end(b.submit(nil))
}

func (b *bench) isDone(out study.Finished, value float64) {
	b.Helper()
	if out.State != study.Done || out.Value != value {
		b.Errorf("%+v, want the value %v", out, value)
	}
}

func (b *bench) touch(name string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), nil, 0o600); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) has(name string) bool {
	_, err := os.Stat(filepath.Join(b.dir, name))
	return err == nil
}

// counts answers with how many lines the command has read.
const counts = `n=0; while read -r line; do n=$((n+1)); echo hello; echo "$n" >&2; echo "{\"objective\": $n, \"cost\": 2, \"memory\": 7.5}"; done; touch ended`

// One command evaluates one job after another, and ends when there are no more.
func TestLines(t *testing.T) {
	b := newBench(t, counts)
	for n := range 3 {
		out := b.run()
		b.isDone(out, float64(n+1))
		if out.Cost == nil || *out.Cost != 2 {
			t.Errorf("the cost: %v", out.Cost)
		}
		if out.Metrics["memory"] != 7.5 {
			t.Errorf("the metrics: %v", out.Metrics)
		}
	}
	for name, want := range map[string]string{"00001/stdout": "hello\n{\"objective\": 1, \"cost\": 2, \"memory\": 7.5}\n", "00003/stdout": "hello\n{\"objective\": 3, \"cost\": 2, \"memory\": 7.5}\n", "00003/stderr": "3\n"} {
		if got, err := os.ReadFile(filepath.Join(b.dir, name)); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	b.e.Leave(b.slot)
	if left, _ := filepath.Glob(filepath.Join(b.slot.Dir, "*")); !b.has("ended") || len(left) > 0 {
		t.Errorf("it did not end by itself, or left %v", left)
	}
}

// A line without the value is no result, and its other numbers are data.
func TestLinesWithoutAValue(t *testing.T) {
	quiet = 100 * time.Millisecond
	t.Cleanup(func() { quiet = 10 * time.Second })
	b := newBench(t, `while read -r line; do echo '{"cost": 2, "memory": 7.5}'; done`)
	for range 2 {
		if out := b.run(); out.State != study.Failed || out.Metrics["memory"] != 7.5 || out.Cost == nil || *out.Cost != 2 || !strings.Contains(out.Note, "eke looks for objective") {
			t.Errorf("%+v", out)
		}
	}
	b.script = `while true; do read -r line || exit 7; echo '{"memory": 7.5}'; done`
	out := b.end(b.submit(func(j *engine.Job) { j.WallTime = true }))
	if out.State != study.Failed || !strings.Contains(out.Note, "has key memory") || *out.Cost > 0.1 {
		t.Errorf("%+v", out)
	}
	quiet = time.Hour
	out = b.end(b.submit(func(j *engine.Job) { j.WallTime, j.Limit = true, time.Second }))
	if out.State != study.Cut || !strings.Contains(out.Note, "has key memory") {
		t.Errorf("%+v", out)
	}
}

// A command that goes on printing is at work, whatever its objects are called; and what ends by a signal has not waited.
func TestLinesAtWork(t *testing.T) {
	quiet = 2 * time.Second
	t.Cleanup(func() { quiet = 10 * time.Second })
	b := newBench(t, `echo $$ >> pids; while read -r line; do echo '{"event": "read"}'; for i in $(seq 30); do sleep 0.1; echo "at work"; done; echo '{"objective": 1, "cost": 1}'; done`)
	for range 2 {
		b.isDone(b.run(), 1)
	}
	if raw, _ := os.ReadFile(filepath.Join(b.dir, "pids")); strings.Count(string(raw), "\n") != 1 {
		t.Errorf("it was started anew: %q", raw)
	}
	quiet = 100 * time.Millisecond
	b = newBench(t, "")
	b.script = `while read -r line; do echo '{"event": "read"}'; sleep 0.6; kill -TERM $$; done`
	out := b.end(b.submit(func(j *engine.Job) { j.WallTime = true }))
	if *out.Cost < 0.5 || strings.Contains(out.Note, "has key") {
		t.Errorf("%+v", out)
	}
}

// A command sees its settings, its slot, and the folder of the job under way; nothing of one job is left for the next.
func TestLinesAreTold(t *testing.T) {
	t.Setenv("EKE_TRIAL", "1")
	b := newBench(t, `while read -r line; do echo "$line $EKE_SLOT $EKE_STUDY ${EKE_TRIAL-none} ${EKE_PARAM_N-none}" > $EKE_DIR/told; touch $EKE_CHECKPOINT/saved; echo '{"objective": 1, "cost": 1}'; done`)
	for n := range 2 {
		saved := filepath.Join(b.dir, "checkpoint"+string(rune('1'+n)))
		if err := os.Mkdir(saved, 0o700); err != nil {
			t.Fatal(err)
		}
		j := b.submit(func(j *engine.Job) { j.Checkpoint = saved })
		b.isDone(b.end(j), 1)
		want := `{"n":` + string(rune('1'+n)) + "} 3 airfoil none none\n"
		if got, err := os.ReadFile(filepath.Join(j.Dir, "told")); string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		if _, err := os.Stat(filepath.Join(saved, "saved")); err != nil {
			t.Error(err)
		}
	}
}

// A job fails with its command, and the next has another. One that fails by itself leaves the command alone.
func TestLinesFail(t *testing.T) {
	b := newBench(t, `echo $$ >> pids; n=0; while read -r line; do n=$((n+1))
case $line in
*2*) echo '{"error": "it diverges", "cost": 4}';;
*3*) echo '{"objective": NaN, "cost": 1}';;
*4*) echo "no memory" >&2; exit 3;;
*6*) echo '{"loss": 4}'; sleep 0.1; exit 0;;
*) echo "{\"objective\": $n, \"cost\": 1}";;
esac; done`)
	b.isDone(b.run(), 1)
	if out := b.run(); out.State != study.Failed || out.Note != "it diverges" || out.Cost == nil || *out.Cost != 4 {
		t.Errorf("%+v", out)
	}
	if out := b.run(); out.State != study.Failed || !strings.Contains(out.Note, "NaN") {
		t.Errorf("%+v", out)
	}
	if out := b.run(); out.State != study.Failed || out.Exit == nil || out.Exit.Code != 3 || !strings.Contains(out.Note, "no memory") {
		t.Errorf("%+v", out)
	}
	b.isDone(b.run(), 1)
	if out := b.run(); out.State != study.Failed || !strings.Contains(out.Note, "key loss") {
		t.Errorf("%+v", out)
	}
	b.isDone(b.run(), 1)
	if raw, _ := os.ReadFile(filepath.Join(b.dir, "pids")); strings.Count(string(raw), "\n") != 3 {
		t.Errorf("it was started as %q", raw)
	}
}

// A command that ends before it reads its line says nothing of the setting: another one gets the line, once.
func TestLinesUnread(t *testing.T) {
	b := newBench(t, `read -r line; echo $line >> lines; echo '{"objective": 7, "cost": 1}'; while ! test -e go; do sleep 0.01; done`)
	b.isDone(b.run(), 7)
	j := b.submit(nil)
	b.touch("go")
	b.isDone(b.end(j), 7)
	if raw, _ := os.ReadFile(filepath.Join(b.dir, "lines")); string(raw) != "{\"n\":1}\n{\"n\":2}\n" {
		t.Errorf("it read %q", raw)
	}
}

// A command that is killed while it waits is replaced, and a new command that dies before it reads anything fails its job.
func TestLinesKilled(t *testing.T) {
	b := newBench(t, `test -e broken && exit 5; n=0; while read -r line; do n=$((n+1)); echo "{\"objective\": $n, \"cost\": $$}"; done`)
	out := b.run()
	b.isDone(out, 1)
	_ = syscall.Kill(int(*out.Cost), syscall.SIGKILL)
	b.isDone(b.run(), 1)
	b.e.Leave(b.slot)
	b.touch("broken")
	if out := b.run(); out.State != study.Failed || out.Exit.Code != 5 {
		t.Errorf("%+v", out)
	}
}

// A result that nobody asked for must not become that of the next job.
func TestLinesStray(t *testing.T) {
	b := newBench(t, `n=0; while read -r line; do n=$((n+1)); echo '{"objective": 1, "cost": 1}'; echo '{"objective": 66, "cost": 1}'; touch said-$n-$$; done`)
	b.isDone(b.run(), 1)
	w := b.e.idle[b.slot.Dir]
	if w != nil { // otherwise it was heard already
		eventually(t, "it is heard", func() bool { return !w.isIdle() })
	}
	b.isDone(b.run(), 1)
	if list, _ := filepath.Glob(filepath.Join(b.dir, "said-2-*")); len(list) > 0 {
		t.Error("the same command got the next line")
	}
}

// An object that is neither a value nor an error is no result, wherever it is printed, and the command goes on.
func TestLinesPassedOver(t *testing.T) {
	b := newBench(t, `echo $$ >> pids; echo '{"event": "model loaded"}'; n=0; while read -r line; do n=$((n+1)); echo '{"epoch": 1, "loss": 5.0}'; sleep 0.1
echo "{\"objective\": $n, \"cost\": 1}"; sleep 0.1; echo '{"event": "saved"}'; done`)
	for n := range 3 {
		b.isDone(b.run(), float64(n+1))
	}
	if raw, _ := os.ReadFile(filepath.Join(b.dir, "pids")); strings.Count(string(raw), "\n") != 1 {
		t.Errorf("it was started as %q", raw)
	}
}

// What a command prints after its result, and before it reads the next setting, must not become the result of that setting.
func TestLinesLate(t *testing.T) {
	for _, late := range []string{`{"objective": 66, "cost": 1}`, `{"error": "no"}`, `{"step": 1, "objective": 66}`} {
		b := newBench(t, `while read -r line; do n=${line#*:}; n=${n%?}; echo "{\"objective\": $n, \"cost\": 1}"; sleep 0.3; echo '`+late+`'; done`)
		for n := range 4 {
			b.isDone(b.run(), float64(n+1))
			if raw, _ := os.ReadFile(filepath.Join(b.dir, "0000"+string(rune('1'+n)), "stdout")); strings.Contains(string(raw), late) {
				t.Errorf("%s was kept with job %d: %q", late, n+1, raw)
			}
		}
	}
}

// A result that comes before any setting was read is nobody's.
func TestLinesTooEarly(t *testing.T) {
	for _, then := range []string{"sleep 0.2; while read -r line; do echo '{\"objective\": 2, \"cost\": 1}'; done", "exit 0", "sleep 600"} {
		b := newBench(t, `echo '{"objective": 66, "cost": 1}'; `+then)
		if out := b.run(); out.State != study.Failed || !strings.Contains(out.Note, "before it read its setting") {
			t.Errorf("%s: %+v", then, out)
		}
	}
}

// After a result that does not do, nobody knows what the next line belongs to: another command gets the next setting.
func TestLinesImproper(t *testing.T) {
	b := newBench(t, `while read -r line; do n=${line#*:}; n=${n%?}; echo '{"objective": "soon", "cost": 1}'; sleep 0.3; echo "{\"objective\": $n, \"cost\": 1}"; done`)
	for range 3 {
		if out := b.run(); out.State != study.Failed || !strings.Contains(out.Note, "soon") {
			t.Errorf("%+v", out)
		}
	}
}

// Limits and cancelling end the command with its job.
func TestLinesStopped(t *testing.T) {
	b := newBench(t, `while read -r line; do case $line in *1*|*2*) echo '{"step": 1, "objective": 5}'; touch ready; sleep 600;; *) echo '{"objective": 3, "cost": 1}';; esac; done`)
	j := b.submit(func(j *engine.Job) { j.Limit, j.WallTime = 500*time.Millisecond, true })
	if out := b.end(j); out.State != study.Cut || *out.Cost > 0.5 {
		t.Errorf("%+v", out)
	}
	if err := os.Remove(filepath.Join(b.dir, "ready")); err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been cut before it came so far
		t.Fatal(err)
	}
	j = b.submit(func(j *engine.Job) { j.Fidelity = 9 })
	eventually(t, "it is ready", func() bool { return b.has("ready") })
	if err := b.e.Cancel(t.Context(), j, engine.ErrEarly); err != nil {
		t.Fatal(err)
	}
	if out := b.end(j); out.State != study.Cut || !strings.Contains(out.Note, "stopped early") {
		t.Errorf("%+v", out)
	}
	b.isDone(b.run(), 3)
}

// The start of a command is not charged: its job begins when it has read the line.
func TestLinesStart(t *testing.T) {
	b := newBench(t, `touch here; while ! test -e go; do sleep 0.01; done; while read -r line; do echo '{"objective": 3}'; done`)
	j := b.submit(func(j *engine.Job) { j.WallTime = true })
	eventually(t, "it is there", func() bool { return b.has("here") })
	started := time.Now()
	var begun time.Time
	eventually(t, "it is seen not to have begun", func() bool {
		info, err := os.Stat(filepath.Join(j.Dir, startedFile))
		if err == nil {
			begun = info.ModTime()
		}
		return begun.After(started)
	})
	b.touch("go")
	out := b.end(j)
	b.isDone(out, 3)
	if most := time.Since(begun).Seconds(); *out.Cost > most {
		t.Errorf("it is charged %v of %v", *out.Cost, most)
	}
}
