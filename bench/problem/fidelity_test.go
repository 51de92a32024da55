package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

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

// Of the blank task nothing shows on the lowest two levels, and a half on the third.
func TestBlankFidelities(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	task := mustMake(t, "gp2-blank", 0)
	sp := spaceOf(t, task)
	var top []float64
	at := make([][]float64, 3)
	for range 200 {
		s := randomSetting(sp, rng)
		value, _ := task.Evaluate(s)
		top = append(top, value)
		for k, z := range task.Fidelity.Levels()[:3] {
			s[task.Fidelity.Name] = space.Float(z)
			v, _ := task.Evaluate(s)
			at[k] = append(at[k], v)
		}
	}
	whole := stat.StdDev(top, nil)
	for k, want := range []float64{0, 0, 0.5} {
		if part := stat.StdDev(at[k], nil) / whole; math.Abs(part-want) > 0.05 {
			t.Errorf("level %d varies %.3f times as much as the top, not %v", k, part, want)
		}
	}
	if c := stat.Correlation(at[2], top, nil); c < 0.99 {
		t.Errorf("the third level has a correlation of %v with the top", c)
	}
}
