package suite

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// diary is an optimizer that suggests given settings and writes down what happens, and when. Its money may be reserved: then it has no trial
// while so many are under way.
type diary struct {
	script
	play *play // whose clock counts
	most int   // trials under way; 0: no limit
	open int
	said []string
}

func (d *diary) Ask(ctx context.Context) (eke.Trial, error) {
	if d.most > 0 && d.open == d.most {
		d.said = append(d.said, fmt.Sprintf("%g: waits", d.play.clock))
		return eke.Trial{}, eke.ErrBudgetPending
	}
	t, err := d.script.Ask(ctx)
	if err == nil {
		d.open++
		d.said = append(d.said, fmt.Sprintf("%g: ask %d", d.play.clock, t.Number))
	}
	return t, err
}

func (d *diary) Tell(ctx context.Context, number int, value, cost float64) error {
	d.open--
	d.said = append(d.said, fmt.Sprintf("%g: tell %d", d.play.clock, number))
	// The script counts by the order of its trials.
	for len(d.told) < number {
		d.told = append(d.told, math.NaN())
	}
	d.told[number-1] = value
	return nil
}

// priced is a task whose value is x and whose cost is c.
func priced(budget float64) *problem.Task {
	task := line()
	task.Budget = budget
	task.Params = append(task.Params, space.Param{Name: "c", Kind: space.KindFloat, Min: 0, Max: 10})
	task.Evaluate = func(s space.Setting) (float64, float64) {
		x, _ := s["x"].Number()
		c, _ := s["c"].Number()
		return x, c
	}
	return task
}

func at(x, c float64) eke.Trial {
	return eke.Trial{Setting: space.Setting{"x": space.Float(x), "c": space.Float(c)}}
}

// playDiary plays as played does, with the diary's eye on the clock.
func playDiary(t *testing.T, task *problem.Task, d *diary, workers int) Run {
	t.Helper()
	d.goal, d.budget = task.Goal, task.Budget
	d.play = newPlay(task, false, workers)
	run, err := d.play.toTheEnd(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return run.rounded()
}

// Two workers: one that becomes free asks at once, all that end at a moment are told before, and money is spent by both.
func TestOrderOfEvents(t *testing.T) {
	d := &diary{script: script{trials: []eke.Trial{at(10, 2), at(5, 1), at(1, 1), at(2, 3), at(0.1, 4)}}}
	run := playDiary(t, priced(11), d, 2)
	want := []string{
		"0: ask 1", "0: ask 2",
		"1: tell 2", "1: ask 3", // 2 is spent
		"2: tell 1", "2: tell 3", "2: ask 4", "2: ask 5", // 4 are
		"5: tell 4", // 10 are; the last trial would cost 1 more, and fits
		"6: tell 5",
	}
	if d := cmp.Diff(want, d.said); d != "" {
		t.Error(d)
	}
	steps := [][3]float64{{0.18182, 0.09091, -0.301}, {0.36364, 0.18182, -1}, {1, 0.54545, -2}}
	if d := cmp.Diff(steps, run.Steps); d != "" {
		t.Error(d)
	}
	if run.Clock != 0.54545 || run.Left != 0 || run.Trials != 5 || run.Workers != 2 || run.Final() != -2 || run.At(0.95) != -1 {
		t.Errorf("%+v", run)
	}
}

// What is under way when the money is gone does not count: the fifth trial ends when 11 are spent, and the sixth would have to.
func TestTrialsUnderWayAtTheEnd(t *testing.T) {
	d := &diary{script: script{trials: []eke.Trial{at(10, 2), at(5, 1), at(1, 1), at(2, 3), at(0.1, 4), at(0.01, 2), at(0, 1)}}}
	run := playDiary(t, priced(10.5), d, 2)
	// With the sixth beside it the fifth would end at 6, when 12 are spent. At 5.25 the money is gone.
	if last := d.said[len(d.said)-1]; last != "5.25: tell 5" || slices.Contains(d.said, "6: ask 7") {
		t.Errorf("%q", d.said)
	}
	if run.Final() != -1 || run.Clock != 5.25/10.5 || run.Ended != "spent" || run.Left != 0 || run.Trials != 6 {
		t.Errorf("%+v", run)
	}
}

// A worker for which no money is left waits until a trial ends, and costs nothing meanwhile.
func TestWorkersWait(t *testing.T) {
	d := &diary{most: 1, script: script{trials: []eke.Trial{at(10, 2), at(1, 1)}}}
	run := playDiary(t, priced(4), d, 3)
	if d := cmp.Diff([]string{"0: ask 1", "0: waits", "2: tell 1", "2: ask 2", "2: waits", "3: tell 2"}, d.said); d != "" {
		t.Error(d)
	}
	if run.Left != 0.25 || run.Clock != 0.75 || run.Final() != -1 || run.Ended != "not worth" {
		t.Errorf("%+v", run)
	}
}

// A trial goes on from one that has ended, and pays the difference; one that is still under way cannot be gone on from.
func TestWorkersResume(t *testing.T) {
	task := priced(100)
	task.Fidelity = &study.Fidelity{Name: "epochs", Min: 1, Max: 9, Log: true, Resume: true}
	task.Evaluate = func(s space.Setting) (float64, float64) {
		x, _ := s["x"].Number()
		z, given := s["epochs"].Number()
		if !given {
			z = 9
		}
		return x, z
	}
	look := func(x, z float64) eke.Trial {
		return eke.Trial{Setting: space.Setting{"x": space.Float(x), "epochs": space.Float(z)}}
	}
	for workers, want := range map[int][]string{
		1: {"0: ask 1", "1: tell 1", "1: ask 2", "3: tell 2", "3: ask 3", "9: tell 3"}, // 1, then 3 − 1, then 9 − 3
		2: {"0: ask 1", "0: ask 2", "1: tell 1", "1: ask 3", "3: tell 2", "9: tell 3"}, // the second from the beginning, the third on from the first
		3: {"0: ask 1", "0: ask 2", "0: ask 3", "1: tell 1", "3: tell 2", "9: tell 3"}, // all from the beginning
		4: {"0: ask 1", "0: ask 2", "0: ask 3", "1: tell 1", "3: tell 2", "9: tell 3"}, // and a worker that nobody needs
	} {
		d := &diary{script: script{trials: []eke.Trial{look(2, 1), look(2, 3), {Setting: space.Setting{"x": space.Float(2)}}}}}
		d.known = []eke.Result{{Trial: eke.Trial{Setting: space.Setting{"x": space.Float(3)}}, Value: 1}} // so that no look is reported
		playDiary(t, task, d, workers)
		if d := cmp.Diff(want, d.said); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
	d := &diary{script: script{trials: []eke.Trial{look(2, 1)}}}
	d.goal, d.play = task.Goal, newPlay(task, false, 1)
	if _, err := d.play.toTheEnd(t.Context(), d); err == nil {
		t.Error("a look counts as the best")
	}
}

// One worker's run does not depend on how it is asked for, and four workers need less time for the same money.
func TestWorkersThroughTheFrontDoor(t *testing.T) {
	task, err := problem.NewTask("gp1-independent", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := variant.Parse("ei-puc")
	if err != nil {
		t.Fatal(err)
	}
	var runs []Run
	for _, workers := range []int{0, 1, 4, 4} {
		v.Workers = workers
		run, err := Play(t.Context(), task, v)
		if err != nil {
			t.Fatal(err)
		}
		run.Seconds = 0
		runs = append(runs, run)
	}
	if d := cmp.Diff(runs[0], runs[1]); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(runs[2], runs[3]); d != "" {
		t.Error(d)
	}
	if r := runs[2]; r.Workers != 4 || !(r.Clock > 0.2 && r.Clock < 0.6) || r.Left > 0.5 || runs[0].Workers != 0 || runs[0].Clock != 0 {
		t.Errorf("%+v", r)
	}
}
