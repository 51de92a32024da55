package local

import (
	"os"
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

// What was printed counts if it says what it has cost.
func TestRecoverFromStdout(t *testing.T) {
	for _, c := range []struct {
		printed  string
		wallTime bool
		found    bool
		want     Outcome
	}{
		{"epoch 1\n{\"objective\": 0.5, \"cost\": 3}\n", false, true, Outcome{State: study.Done, Value: 0.5, Cost: 3, HasCost: true}},
		{"cost=10\nobjective=2\n", false, true, Outcome{State: study.Done, Value: 2, Cost: 10, HasCost: true}},
		{"cost=10\n", false, true, Outcome{State: study.Abandoned, Cost: 10, HasCost: true}},
		{"{\"objective\": 0.5}\n", false, false, Outcome{}},
		{"{\"objective\": 0.5}\n", true, false, Outcome{}},
		{"", false, false, Outcome{}},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, StdoutFile), []byte(c.printed), 0o666); err != nil {
			t.Fatal(err)
		}
		got, found := Recover(Command{Dir: dir, WallTime: c.wallTime})
		if !c.found {
			got = Outcome{}
		}
		if found != c.found || got != c.want {
			t.Errorf("%q: %+v %v", c.printed, got, found)
		}
	}
}
