package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/space"
)

// A task with a fidelity is, at the highest, the task that it says: nothing is better than its best. Below it is cheaper, and other.
func TestFidelities(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	validation := 0
	for _, info := range Fidelities() {
		task := mustMake(t, info.Name, 0)
		if slices.ContainsFunc(Tasks(), func(i Info) bool { return i.Name == info.Name }) || task.Family != Cheap {
			t.Errorf("%s is among the others: %+v", info.Name, task.Info)
		}
		if info.Validation {
			validation++
		}
		draws := 300
		if info.Name == "spirals-live" {
			draws = 10 // each is trained
		}
		sp, differs := spaceOf(t, task), 0
		for range draws {
			s := randomSetting(sp, rng)
			value, cost := task.Evaluate(s)
			if task.sign()*(value-task.Best) > 1e-9*math.Max(1, math.Abs(task.Best)) {
				t.Fatalf("%s: %v has %v, better than the best, %v", info.Name, s, value, task.Best)
			}
			last := 0.0
			for _, z := range task.Fidelity.Levels() {
				s[task.Fidelity.Name] = space.Float(z)
				v, c := task.Evaluate(s)
				top := z == task.Fidelity.Top()
				switch {
				case top && (v != value || c != cost):
					t.Fatalf("%s: %v has %v for %v, without its fidelity %v for %v", info.Name, s, v, c, value, cost)
				case !top && c >= cost, c <= last:
					t.Fatalf("%s: %v costs %v, after %v", info.Name, s, c, last)
				case !top && math.Abs(v-value) > 1e-3*task.Scale:
					differs++
				}
				last = c
			}
		}
		if differs < draws {
			t.Errorf("%s: low fidelities differ in %d of %d cases", info.Name, differs, 3*draws)
		}
	}
	if n := len(Fidelities()); 3*validation < n-3 || 3*validation > n+3 {
		t.Errorf("%d of %d are for validation", validation, n)
	}
}
