package study

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/eke-bo/eke/space"
)

func slurmStudy(t *testing.T, cost, options string) *Study {
	t.Helper()
	text := "name: a\nobjective: {goal: minimize}\ncost: " + cost + "\nbudget: {total: 1000}\nparameters:\n  n: {type: int, min: 1, max: 8}\nengine: {type: slurm, options: " + options + "}\n"
	s, err := Parse([]byte(text), "a.yaml")
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return s
}

// What a job asks Slurm for says what it costs in an hour.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		cost, options string
		perHour       float64
	}{
		{"{source: slurm}", "{}", 1},
		{"{source: slurm, unit: core-hours}", "{ntasks: 4, cpus-per-task: 3}", 12},
		{"{source: slurm, unit: core-hours}", "{nodes: 2, ntasks-per-node: 8}", 16},
		{"{source: slurm, unit: core-hours}", `{cpus-per-task: "{n}"}`, 5},
		{"{source: slurm, unit: node-hours}", "{nodes: 2-4, exclusive: true}", 4},
		{"{source: slurm, unit: gpu-hours}", `{gres: "gpu:a100:2", nodes: 3}`, 6},
		{"{source: slurm, unit: gpu-hours}", `{gres: gpu}`, 1},
		{"{source: slurm, unit: gpu-hours}", `{gpus: "h100:4"}`, 4},
		{"{source: slurm, unit: gpu-hours}", `{gpus-per-task: 2, ntasks: 3}`, 6},
		{"{source: slurm, unit: billing-hours, rate: 22}", "{}", 22},
		{"{source: slurm, unit: core-hours, price: 0.5}", "{cpus-per-task: 4}", 2},
		{"{source: slurm, of: core-hours, unit: EUR, price: 0.5}", "{cpus-per-task: 4}", 2},
	} {
		s := slurmStudy(t, c.cost, c.options)
		if got := s.Rate(space.Setting{"n": space.Int(5)}) * 3600; math.Abs(got-c.perHour) > 1e-12 {
			t.Errorf("%s, %s: %v in an hour, want %v", c.cost, c.options, got, c.perHour)
		}
	}
}

// A reservation covers the whole time limit of its job, and the command's limit leaves a minute of it.
func TestHold(t *testing.T) {
	s := slurmStudy(t, "{source: slurm}", "{cpus-per-task: 60}") // one core-hour a minute
	setting := space.Setting{"n": space.Int(1)}
	for _, c := range []struct {
		fixed           Span
		perTrial        float64
		want            float64
		holds, commands float64 // core-hours, seconds
	}{
		{want: 0.1, holds: 2, commands: 60},
		{want: 3, holds: 4, commands: 180},
		{want: 3.2, holds: 5, commands: 240},
		{want: 30, perTrial: 5.5, holds: 5, commands: 240},
		{want: 30, perTrial: 1, holds: 2, commands: 60}, // a shorter job there is not
		{want: 30, fixed: Span(10 * 60e9), holds: 10, commands: 540},
	} {
		s.Engine.Time, s.Budget.PerTrial = c.fixed, c.perTrial
		held := s.Hold(setting, c.want)
		if math.Abs(held-c.holds) > 1e-9 {
			t.Errorf("%+v: holds %v", c, held)
		}
		if got := s.Limit(Trial{Setting: setting, Reserved: held}); got != c.commands {
			t.Errorf("%+v: the command may run %v s", c, got)
		}
	}
}

func TestEngineOptions(t *testing.T) {
	raw, err := os.ReadFile("testdata/good/slurm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(raw, "slurm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.EngineOptions(space.Setting{"lr": space.Float(0.1), "threads": space.Int(4)}, nil)
	if got := strings.Join(list, " "); err != nil || got != "--cpus-per-task=4 --gres=gpu:a100:2 --mem=16G --partition=gpu --requeue" {
		t.Errorf("%s, %v", got, err)
	}
	again, err := Parse([]byte(Template(*s)), "again")
	if err != nil || again.Engine.Save != s.Engine.Save || !again.Cost.Equal(s.Cost) || again.Engine.Options["mem"] != "16G" {
		t.Errorf("%+v, %v", again, err)
	}
}

// A trial waits in a queue without being charged, and its time counts from its turn.
func TestQueued(t *testing.T) {
	r := NewRecord(10, false)
	apply := func(e Event) error { e.Seq = r.Version + 1; return r.Apply(e) }
	if err := apply(Event{Kind: EventAsked, Trial: 1, Asked: &Asked{Reserved: 1}}); err != nil {
		t.Fatal(err)
	}
	if apply(Event{Kind: EventQueued, Trial: 1, Reason: "Priority"}) == nil {
		t.Error("a trial that nobody has begun waits for its turn")
	}
	for _, e := range []Event{{Kind: EventStarted, Trial: 1}, {Kind: EventQueued, Trial: 1, Reason: "Priority"}} {
		if err := apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if r.Trials[0].Queued != "Priority" || r.Ledger.Spent != 0 {
		t.Errorf("%+v", r.Trials[0])
	}
	if err := apply(Event{Kind: EventQueued, Trial: 1}); err != nil || r.Trials[0].Queued != "" {
		t.Errorf("%+v, %v", r.Trials[0], err)
	}
}
