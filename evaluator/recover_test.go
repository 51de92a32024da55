package evaluator

import (
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/study"
)

func TestRecover(t *testing.T) {
	for text, want := range map[string]Outcome{
		`{"objective": 1, "cost": 2}`:   {State: study.Done, Value: 1, Cost: 2, HasCost: true},
		`{"objective": NaN, "cost": 2}`: {State: study.Failed, Cost: 2, HasCost: true},
		`{"objective": 1}`:              {State: study.Failed},
		`{"objective": 1, "cost": 2`:    {},
		``:                              {},
		`{"objective"`:                  {},
	} {
		c := Command{Dir: t.TempDir()}
		write(t, filepath.Join(c.Dir, ResultFile), text, 0o666)
		out, ok := Recover(c)
		if (out.Note != "") != (out.State == study.Failed) {
			t.Errorf("%q: note %q", text, out.Note)
		}
		out.Note = ""
		if out != want || ok != (want.State != "") {
			t.Errorf("%q: %+v, %v", text, out, ok)
		}
	}
	c := Command{Dir: t.TempDir(), WallTime: true}
	write(t, filepath.Join(c.Dir, ResultFile), `{"objective": 1, "cost": 2}`, 0o666)
	if out, ok := Recover(c); !ok || out != (Outcome{State: study.Done, Value: 1}) {
		t.Errorf("wall time: %+v, %v", out, ok)
	}
	for _, dir := range []string{"", t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if out, ok := Recover(Command{Dir: dir}); ok {
			t.Errorf("%q: %+v", dir, out)
		}
	}
}
