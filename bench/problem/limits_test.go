package problem

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/space"
)

// The formulas have the values that their sources give at their best settings, which lie on the edge of the limits.
func TestLimitsHaveTheirBest(t *testing.T) {
	for name, c := range map[string]struct {
		at   space.Setting
		want float64
	}{
		"gramacy-limit": {space.Setting{"x1": space.Float(0.1954), "x2": space.Float(0.4044)}, 0.5998},
		"welded-beam":   {space.Setting{"h": space.Float(0.24437), "l": space.Float(6.2175), "t": space.Float(8.29147), "b": space.Float(0.24437)}, math.Log(2.38113)},
		"speed-reducer": {space.Setting{"face": space.Float(3.5), "module": space.Float(0.7), "teeth": space.Int(17), "shaft1": space.Float(7.3), "shaft2": space.Float(7.71532),
			"d1": space.Float(3.350215), "d2": space.Float(5.286654)}, 2994.471},
		"branin-limit-fidelity": {space.Setting{"x1": space.Float(math.Pi), "x2": space.Float(2.275)}, 0.397887},
		"pressure-vessel":       {space.Setting{"shell": space.Int(12), "head": space.Int(6), "radius": space.Float(38.8601), "length": space.Float(221.3655)}, math.Log(5850.383)},
	} {
		task, err := NewTask(name, 1, "")
		if err != nil {
			t.Fatal(err)
		}
		value, _ := task.Evaluate(c.at)
		if math.Abs(value-c.want) > 1e-4*math.Max(1, math.Abs(c.want)) {
			t.Errorf("%s is %v at its best, not %v", name, value, c.want)
		}
		if math.Abs(task.Best-c.want) > 1e-3*math.Max(1, math.Abs(c.want)) {
			t.Errorf("the best of %s is %v, not %v", name, task.Best, c.want)
		}
		for limit, b := range task.Limits { // up to the digits above
			x := task.Report(c.at)[limit]
			if slack := 2e-3 * math.Max(1, math.Abs(x)); b.Max != nil && x > *b.Max+slack || b.Min != nil && x < *b.Min-slack {
				t.Errorf("%s: %s is %v at the best", name, limit, x)
			}
		}
	}
}

// A third of them is for validation, and each has settings within its limits and beyond.
func TestLimitsCut(t *testing.T) {
	validation := 0
	for _, info := range Limits() {
		if info.Validation {
			validation++
		}
		data := dataFolder(lcModel)
		if info.Name == "lcbench-limit" && data == "" {
			continue // the surrogate is not part of the module
		}
		task, err := NewTask(info.Name, 3, data)
		if err != nil {
			t.Fatal(err)
		}
		sp, err := space.New(task.Params)
		if err != nil {
			t.Fatal(err)
		}
		within, beyond := 0, 0
		surveyed(sp, 1, func(s space.Setting) {
			if task.Counts(s) {
				within++
			} else {
				beyond++
			}
		})
		t.Logf("%s: %d within, %d beyond", info.Name, within, beyond)
		if beyond == 0 || !(task.Scale > 0) {
			t.Errorf("%s: %d within, %d beyond, scale %v", info.Name, within, beyond, task.Scale)
		}
	}
	if len(Limits()) != 12 || validation != 4 {
		t.Errorf("of %d, %d are for validation", len(Limits()), validation)
	}
}
