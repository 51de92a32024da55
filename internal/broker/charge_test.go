package broker_test

import (
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func TestCharge(t *testing.T) {
	b, err := broker.Create(t.Context(), store.Memory(), definition())
	if err != nil {
		t.Fatal(err)
	}
	open := study.Trial{Number: 1, State: study.Running, Reserved: 5}
	done := study.Trial{Number: 2, State: study.Done, Charged: 6, Wall: 60}
	for _, c := range []struct {
		name     string
		measured bool
		trials   []study.Trial
		wall     float64
		want     float64
		says     string
	}{
		{"wall time", true, []study.Trial{open}, 3, 3, ""},
		{"wall time, at most what was reserved", true, []study.Trial{open}, 8, 5, ""},
		{"a false start", false, []study.Trial{open}, 3, 0, "less than a minute"},
		{"long, and nothing known", false, []study.Trial{open}, 3600, 5, "reserved for it"},
		{"by the rate", false, []study.Trial{open, done}, 20, 2, "estimated"},
		{"by the rate, beyond what was reserved", false, []study.Trial{open, done}, 100, 10, "estimated from the time it took and the average cost per second so far, more than the 5 reserved for it"},
		{"far longer than any trial", false, []study.Trial{open, done}, 3600, 60, "10 times as long as the longest finished trial; by the time it took, it would be about 360"},
		{"trials of a moment", false, []study.Trial{open, {Number: 2, State: study.Done, Charged: 1, Wall: 0.1}}, 3, 5, "reserved for it; by the time it took, it would be about 30"},
	} {
		r := &study.Record{Measured: c.measured, Trials: c.trials}
		got := b.Charge(r, 1, study.Finished{Wall: c.wall})
		if got.Charged != c.want || !strings.Contains(got.Remark, c.says) || (c.says == "") != (got.Remark == "") {
			t.Errorf("%s: %v, %q", c.name, got.Charged, got.Remark)
		}
		cost := 9.0
		if got := b.Charge(r, 1, study.Finished{Wall: c.wall, Note: "note", Cost: &cost}); got.Charged != cost || got.Note != "note" || got.Remark != "" {
			t.Errorf("%s, with a cost: %+v", c.name, got)
		}
	}
	job := definition()
	job.Cost.Source = "slurm"
	if b, err = broker.Create(t.Context(), store.Memory(), job); err != nil {
		t.Fatal(err)
	}
	r := &study.Record{Trials: []study.Trial{open, done}}
	if got := b.Charge(r, 1, study.Finished{Wall: 100}); got.Charged != 5 || !strings.Contains(got.Remark, "reserved for it; by the time it took, it would be about 10") {
		t.Errorf("a job, which may have waited in a queue: %v, %q", got.Charged, got.Remark)
	}
}

// A failure by whose end a limit was exceeded is the setting's. One that was killed because its run was stopped is not, however it ended.
func TestFailuresThatExceedALimit(t *testing.T) {
	s := definition()
	memory := study.Max(8)
	memory.ExceededBy = &study.ExceededBy{Exit: []int{137, 143}}
	s.Limits = study.Limits{"memory": memory}
	b, err := broker.Create(t.Context(), store.Memory(), s)
	if err != nil {
		t.Fatal(err)
	}
	killed, told := &study.Exit{Code: -1, Signal: "SIGKILL"}, &study.Exit{Code: -1, Signal: "SIGTERM"}
	for _, c := range []struct {
		name string
		end  study.Finished
		want study.State
	}{
		{"it failed", study.Finished{State: study.Failed, Exit: killed}, study.Failed},
		{"a worker's machine", study.Finished{State: study.Abandoned, Exit: told}, study.Failed},
		{"its run was stopped", study.Finished{State: study.Abandoned, Stopped: true, Exit: told}, study.Abandoned},
		{"its run was stopped, and it did not heed that", study.Finished{State: study.Abandoned, Stopped: true, Exit: killed}, study.Abandoned},
		{"cut", study.Finished{State: study.Cut, Exit: killed}, study.Cut},
	} {
		got := b.ByRule(&study.Record{}, study.Trial{Number: 1, State: study.Running}, c.end)
		if got.State != c.want || strings.Contains(got.Note, "beyond the limit on memory") != (c.want == study.Failed) {
			t.Errorf("%s: it %s, %q", c.name, got.State.Predicate(), got.Note)
		}
	}
}

// A text that tells of a limit is looked for in what the command said, and not in what eke adds to that.
func TestWordsThatExceedALimit(t *testing.T) {
	s := definition()
	memory := study.Max(8)
	s.Limits = study.Limits{"memory": memory}
	done := study.Trial{Number: 2, State: study.Done, Charged: 6, Wall: 60}
	r := &study.Record{Trials: []study.Trial{{Number: 1, State: study.Running, Reserved: 5}, done}}
	killed, three := &study.Exit{Code: -1, Signal: "SIGKILL"}, &study.Exit{Code: 3}
	for _, c := range []struct {
		name, stderr, note string
		exit               *study.Exit
		want               bool
	}{
		{"nothing said, an estimate", "time", "", nil, false},
		{"an estimate", "time", "boom", nil, false},
		{"an exception", "Out Of Memory", "RuntimeError: CUDA out of memory\nat train.py:3 in f", nil, true},
		{"the place of an exception", "train", "ValueError: boom\nat /home/train.py:3 in train", nil, false},
		{"a silent command", "code", "exit code 3", three, false},
		{"a silent command that was killed", "memory", "ended by SIGKILL from outside: the system kills processes when memory runs out", killed, false},
		{"an exception that begins with the exit code", "out of memory", "exit code 3: out of memory", three, true},
		{"its last words", "out of memory", "exit code 3\nstderr ends:\n    Traceback\n    CUDA out of memory", three, true},
		{"its last words on stdout", "out of memory", "exit code 3\nstdout ends:\n    CUDA out of memory\n    bye", three, true},
		{"beside its last words", "time", "exit code 3; some time\nstderr ends:\n    boom", three, false},
		{"the heading of its last words", "stderr", "exit code 3\nstderr ends:\n    boom", three, false},
	} {
		memory.ExceededBy = &study.ExceededBy{Stderr: c.stderr}
		s.Limits["memory"] = memory
		b, err := broker.Create(t.Context(), store.Memory(), s)
		if err != nil {
			t.Fatal(err)
		}
		got := b.ByRule(r, r.Trials[0], b.Charge(r, 1, study.Finished{State: study.Failed, Wall: 20, Note: c.note, Exit: c.exit}))
		if strings.HasPrefix(got.Note, "beyond the limit on memory: ") != c.want || !strings.Contains(got.Note, c.note) || !strings.HasSuffix(got.Note, "it reported no cost and is charged 2, estimated from the time it took") {
			t.Errorf("%s: %q", c.name, got.Note)
		}
	}
}
