package problem

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/space"
)

// A wall and its twin are the same problem: what fails is what the constraints of the twin forbid, the best value works, and nothing that works is better. Cheap failures
// cost a twentieth, and half of the problems are for validation.
func TestWalls(t *testing.T) {
	validation := 0
	for _, w := range wallList {
		if w.validation {
			validation++
		}
		task, cheap, told := mustTask(t, w.name), mustTask(t, w.name+cheapWall), mustTask(t, w.name+toldWall)
		if task.Seed() != told.Seed() || task.Best != told.Best || task.Budget != told.Budget || task.Validation != w.validation || told.Validation != w.validation {
			t.Errorf("%s and its twin differ", w.name)
		}
		all, err := space.New(task.Params)
		if err != nil {
			t.Fatal(err)
		}
		allowed, err := space.New(told.Params, told.Where...)
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		surveyed(all, 1, func(s space.Setting) {
			point, err := all.Encode(s)
			if err != nil {
				t.Fatal(err)
			}
			value, cost := task.Try(s, 1)
			_, price := cheap.Try(s, 1)
			if !task.Fails(s) {
				if value < task.Best-1e-9 && allowed.Feasible(point) {
					t.Fatalf("%s: %v is better than the best, %v", w.name, value, task.Best)
				}
				return
			}
			if failed++; math.Abs(price/cost-cheapFailure) > 1e-9 {
				t.Fatalf("%s: a failure costs %v, and a cheap one %v", w.name, cost, price)
			}
			if w.name != "noisy-wall" && allowed.Feasible(point) {
				t.Fatalf("%s: %v fails and is allowed", w.name, s)
			}
		})
		if some := failed > survey/20; some != (w.name != "no-wall") {
			t.Errorf("%s: %d of %d settings fail", w.name, failed, survey)
		}
	}
	if 2*validation != len(wallList) {
		t.Errorf("%d of %d are for validation", validation, len(wallList))
	}
}

func mustTask(t *testing.T, name string) *Task {
	t.Helper()
	task, err := NewTask(name, 3, "")
	if err != nil {
		t.Fatal(err)
	}
	return task
}
