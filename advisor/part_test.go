package advisor_test

import (
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
