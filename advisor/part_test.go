package advisor_test

import (
	"math"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// The policy chooses what a setting leaves open, whatever the policy is and however much is known. The trial is evaluated in full unless
// the wish names a fidelity. The same record gives the same setting.
func TestPartIsFilled(t *testing.T) {
	for _, policy := range []string{"auto", "random"} {
		for _, c := range []struct {
			study *study.Study
			part  space.Setting
			train func(space.Setting) (float64, float64)
		}{
			{epochs(), space.Setting{"a": space.Float(0.25), "epochs": space.Int(27)}, trainFor},
			{mixed(), space.Setting{"opt": space.String("adam"), "n": space.Int(3)}, train},
		} {
			c.study.Policy.Name = policy
			r := study.NewRecord(100, false)
			add := func(e study.Event) {
				e.Seq = r.Version + 1
				if err := r.Apply(e); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 10 {
				add(study.Event{Kind: study.EventWanted, Enqueued: &study.Enqueued{Setting: c.part}})
				var asked study.Asked
				for again := range 2 {
					a, err := advisor.New(c.study)
					if err != nil {
						t.Fatal(err)
					}
					before := asked
					if asked, err = a.Next(t.Context(), r); err != nil {
						t.Fatal(err)
					}
					if again > 0 && a.Space().Key(before.Setting) != a.Space().Key(asked.Setting) {
						t.Errorf("%s: %v, and then %v", policy, before.Setting, asked.Setting)
					}
				}
				for name, v := range c.part {
					if asked.Setting[name].String() != v.String() || asked.Item != i+1 || asked.Look || len(asked.Setting) != len(c.study.Inputs()) {
						t.Fatalf("%s: %+v, want %s=%v", policy, asked, name, v)
					}
				}
				value, cost := c.train(asked.Setting)
				add(study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &asked})
				add(study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: value, Charged: cost}})
			}
		}
	}
}

// What somebody wants is paid for: the rest of it is what promises most within the budget, however dear that is. Here costs rise with y, and values
// up to y = 0.79.
func TestPartPromisesMost(t *testing.T) {
	const one, two = "objective: {name: strength, goal: maximize}", "objectives: {strength: {goal: maximize}, porosity: {goal: minimize}}"
	for _, objectives := range []string{one, one + "\npolicy: {name: log-ei-puc}", two} {
		s, err := study.Parse([]byte("name: tile\n"+objectives+`
cost: {source: reported, unit: euros}
budget: {total: 600}
parameters: {x: {type: float, min: 0, max: 1}, y: {type: float, min: 0, max: 1}}
`), "")
		if err != nil {
			t.Fatal(err)
		}
		a, r, apply := begun(t, s)
		for i, at := range [][]float64{{0.1, 0.5}, {0.5, 0.5}, {0.9, 0.1}, {0.3, 0.2}, {0.7, 0.3}, {0.2, 0.4}, {0.8, 0.5}, {0.4, 0}, {0.6, 0.1}, {0, 0.4}} {
			x, y := at[0], at[1]
			done := study.Finished{State: study.Done, Value: math.Sin(2*y) - (x-0.2)*(x-0.2), Charged: math.Exp(4 * y)}
			if s.Several() {
				done.Metrics = map[string]float64{"porosity": 1 - y + 0.1*x}
			}
			setting := space.Setting{"x": space.Float(x), "y": space.Float(y)}
			apply(study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: setting, Point: at, Reserved: done.Charged}})
			apply(study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &done})
		}
		apply(study.Event{Kind: study.EventWanted, Enqueued: &study.Enqueued{Setting: space.Setting{"x": space.Float(0.3)}}})
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		// When there is little money left, the rest is what that pays for.
		poor := r.Clone()
		poor.Ledger.Total = poor.Ledger.Spent + 15
		if cheap, err := a.Next(t.Context(), poor); err != nil || cheap.Item != 1 || math.Exp(4*cheap.Point[1]) > 15 {
			t.Errorf("%s: with 15 left, %+v is to be tried (%v)", objectives, cheap, err)
		}
		why, _ := advisor.WhyOf(asked.Why)
		if y, left := asked.Point[1], r.Ledger.Left(); y < 0.75 || y > 0.85 || !strings.Contains(why.Picked, "promises most") {
			t.Errorf("%s: with %.3g left, %v is to be tried (%s)", objectives, left, asked.Setting, why.Picked)
		}
	}
}
