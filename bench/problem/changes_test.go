package problem

import (
	"testing"

	"github.com/eke-bo/eke/space"
)

// A third is for validation, and every price is what was meant.
func TestChanges(t *testing.T) {
	validation := 0
	for _, info := range Changes() {
		if info.Validation {
			validation++
		}
	}
	if n := len(Changes()); n < 10 || 3*validation < n || 2*validation > n {
		t.Errorf("%d of %d problems are for validation", validation, n)
	}
	task, err := NewTask("branin-asymmetric", 1, "")
	if err != nil {
		t.Fatal(err)
	}
	at := func(x float64) space.Setting {
		return space.Setting{task.Params[0].Name: space.Float(x), task.Params[1].Name: space.Float(3)}
	}
	up, down := task.ChangePrice(at(1), at(2)), task.ChangePrice(at(2), at(1))
	if !(up > 7*down) || task.ChangePrice(at(1), at(1)) != 0 || task.ChangePrice(nil, at(1)) != up {
		t.Errorf("up %v, down %v", up, down)
	}
	if told := task.ToldChangeover(); len(told) != 1 || told[0].IsLearnt() {
		t.Errorf("told %v", told)
	}
	if task, err = NewTask("gp2-unreported", 1, ""); err != nil || !task.ToldChangeover()[0].IsLearnt() || task.ChangesReported {
		t.Errorf("%v, told %v", err, task.ToldChangeover())
	}
}
