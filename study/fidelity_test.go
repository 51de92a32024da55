package study

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke/space"
)

func TestFidelityLevels(t *testing.T) {
	for name, c := range map[string]struct {
		f    Fidelity
		want []float64
		kind space.Kind
	}{
		"epochs":       {Fidelity{Name: "f", Min: 1, Max: 81, Log: true}, []float64{1, 3, 9, 27, 81}, space.KindInt},
		"not a power":  {Fidelity{Name: "f", Min: 1, Max: 100}, []float64{1, 3, 11, 33, 100}, space.KindInt},
		"a part":       {Fidelity{Name: "f", Min: 0.1, Max: 0.9, Log: true}, []float64{0.1, 0.3, 0.9}, space.KindFloat},
		"narrow":       {Fidelity{Name: "f", Min: 60, Max: 100}, []float64{60, 100}, space.KindInt},
		"a wide range": {Fidelity{Name: "f", Min: 1, Max: 1e6, Log: true}, []float64{4115, 12345, 37037, 111111, 333333, 1e6}, space.KindInt},
		"steps":        {Fidelity{Name: "f", Steps: []float64{16, 32, 128}}, []float64{16, 32, 128}, space.KindOrdered},
	} {
		got := c.f.Levels()
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if d := got[i] - c.want[i]; d > 1e-9 || d < -1e-9 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		p := c.f.Param()
		sp, err := space.New([]space.Param{p})
		if p.Kind != c.kind || err != nil {
			t.Errorf("%s: %s, %v", name, p.Kind, err)
			continue
		}
		for _, level := range got {
			if _, err := sp.Encode(space.Setting{"f": space.Float(level)}); err != nil {
				t.Errorf("%s: %v: %v", name, level, err)
			}
		}
		if top, _ := sp.Complete(space.Setting{})["f"].Number(); top != c.f.Top() {
			t.Errorf("%s: without a fidelity, a setting has %v", name, top)
		}
	}
}

// The fidelity reaches a command as a parameter does, and a setting without one has the highest.
func TestFidelityIsAnInput(t *testing.T) {
	s := &Study{Name: "mnist", Command: []string{"train", "--lr={lr}", "--epochs={epochs}"}, Env: map[string]string{"N": "{epochs}"},
		Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat, Max: 1}}, Fidelity: &Fidelity{Name: "epochs", Steps: []float64{1, 9, 81}}}
	sp, err := s.Space()
	if err != nil {
		t.Fatal(err)
	}
	setting := sp.Complete(space.Setting{"lr": space.Float(0.5)})
	look := space.Setting{"lr": space.Float(0.5), "epochs": s.ReadValue("epochs", "9")}
	if s.IsLook(setting) || !s.IsLook(look) || s.IsLook(space.Setting{"lr": space.Float(0.5)}) {
		t.Errorf("%v is a look: %v; %v is one: %v", setting, s.IsLook(setting), look, s.IsLook(look))
	}
	argv, err := s.Argv(look, nil)
	environ, err2 := s.Environ(setting, nil)
	if err != nil || err2 != nil || !slices.Equal(argv, []string{"train", "--lr=0.5", "--epochs=9"}) || !slices.Equal(environ, []string{"N=81"}) {
		t.Errorf("%q, %q, %v, %v", argv, environ, err, err2)
	}
	for _, f := range []*Fidelity{s.Fidelity, {Name: "epochs", Min: 1, Max: 81, Log: true}, nil} {
		if s.Fidelity = f; f == nil {
			s.Command, s.Env = nil, nil
		}
		again, err := Parse([]byte(Template(*s)), "template")
		if err != nil || !cmp.Equal(again.Fidelity, f) {
			t.Errorf("%v became %v, %v", f, again, err)
		}
		raw, err := json.Marshal(s)
		var read Study
		if err != nil || json.Unmarshal(raw, &read) != nil || !reflect.DeepEqual(read.Fidelity, f) {
			t.Errorf("as JSON: %s, %v", raw, err)
		}
	}
}

// A look is charged, but it is never the best. With another highest fidelity, others are looks.
func TestLooksDoNotCount(t *testing.T) {
	s := Study{Name: "mnist", Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat, Max: 1}}, Fidelity: &Fidelity{Name: "epochs", Steps: []float64{1, 9, 81}}}
	r := NewRecord(10, false)
	apply := func(e Event) {
		t.Helper()
		e.Seq, e.At = r.Version+1, time.Unix(r.Version, 0)
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	run := func(lr, epochs, value float64) {
		setting := space.Setting{"lr": space.Float(lr), "epochs": space.Int(int64(epochs))}
		n := len(r.Trials) + 1
		apply(Event{Kind: EventAsked, Trial: n, Asked: &Asked{Setting: setting, Point: []float64{lr, 0.5}, Reserved: 1, Look: s.IsLook(setting)}})
		apply(Event{Kind: EventFinished, Trial: n, Finished: &Finished{State: Done, Value: value, Charged: 1}})
	}
	run(0.1, 81, 5)
	run(0.2, 9, 1)
	apply(Event{Kind: EventKnown, Known: &Known{Setting: space.Setting{"lr": space.Float(0.3), "epochs": space.Int(1)}, Value: 0, Look: true}})
	if best, ok := r.Best(Minimize); !ok || best.Number != 1 || len(r.Results()) != 1 || r.Ledger.Spent != 2 {
		t.Errorf("the best is trial %d, of %d results for %v", best.Number, len(r.Results()), r.Ledger.Spent)
	}
	s.Fidelity = &Fidelity{Name: "epochs", Steps: []float64{1, 9}}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	apply(Event{Kind: EventReshaped, Definition: raw})
	if best, ok := r.Best(Minimize); !ok || best.Number != 2 || !r.Trials[0].Outside {
		t.Errorf("after 9 became the highest, the best is trial %d", best.Number)
	}
}

func TestFidelityCheck(t *testing.T) {
	for _, f := range []Fidelity{{Min: 1, Max: 1}, {Min: 0, Max: 3}, {Min: 3, Max: 1}, {Min: math.NaN(), Max: 1}, {Min: 1, Max: math.Inf(1)},
		{Steps: []float64{1}}, {Steps: []float64{0, 1}}, {Steps: []float64{1, 3, 2}}, {Steps: []float64{1, math.Inf(1)}}} {
		if f.Check() == nil {
			t.Errorf("nothing is wrong with %v", f)
		}
	}
	for _, f := range []Fidelity{{Min: 1, Max: 9}, {Steps: []float64{1, 2}}} {
		if err := f.Check(); err != nil {
			t.Error(err)
		}
	}
}
