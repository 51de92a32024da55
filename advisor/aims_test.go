package advisor_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// sized is the study of epochs with a second objective, the size of the model, which looks know.
func sized() *study.Study {
	s := epochs()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
	s.Budget.Total = 5
	return s
}

// With several objectives a study looks before it evaluates in full, looks are on no front but say what the worst is that counts, and another process goes on with the same trial.
func TestLooksWithSeveralObjectives(t *testing.T) {
	s := sized()
	a, r, apply := begun(t, s)
	looks, full, reasons := 0, 0, 0
	for n := 1; n <= 18; n++ {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			break
		}
		if n%6 == 0 { // as after a crash
			fresh, err := advisor.New(s)
			if err != nil {
				t.Fatal(err)
			}
			again, err := fresh.Next(t.Context(), r)
			if err != nil || s.FidelityOf(again.Setting) != s.FidelityOf(asked.Setting) || a.Space().Key(again.Setting) != a.Space().Key(asked.Setting) {
				t.Fatalf("trial %d is %v, and after a restart %v (%v)", n, asked.Setting, again.Setting, err)
			}
		}
		if asked.Look {
			looks++
		} else if full++; full == 1 {
			// The looks are the design: they say what the worst is, and are not on the front.
			if worst, from := s.Worst(r); worst == nil || from == 0 || len(s.Front(r)) > 0 {
				t.Fatalf("%d looks, and the worst is %v, found from %d", looks, worst, from)
			}
			if state, err := a.State(r); err != nil || len(state.Aims) != 1 || len(state.Aims[0].Looks) != looks {
				t.Fatalf("before the first full evaluation the state has the further objectives %+v (%v)", state.Aims, err)
			}
		}
		if why := string(asked.Why); strings.Contains(why, "first, and then the full evaluation") {
			if reasons++; !strings.Contains(why, "loss ") || !strings.Contains(why, "size ") || strings.Contains(why, "extend the front") {
				t.Fatalf("a look: %s", why)
			}
		}
		loss, cost := trainFor(asked.Setting)
		size, _ := asked.Setting["n"].Number()
		done := s.Whole(study.Finished{State: study.Done, Value: loss, Charged: cost, Metrics: study.Metrics{"size": size}})
		if n == 3 { // it reports its loss alone
			done = s.Whole(study.Finished{State: study.Done, Value: loss, Charged: cost})
		}
		apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
		apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &done})
		if n == 3 {
			state, err := a.State(r)
			if err != nil || len(state.Looks) != 3 || len(state.Failed) != 1 || !math.IsNaN(state.Aims[0].Looks[2]) || state.Looks[2].Y != -loss {
				t.Fatalf("a look without its size: %+v, %+v, %+v (%v)", state.Looks, state.Aims, state.Failed, err)
			}
		}
	}
	f, err := a.Front(t.Context(), r)
	if err != nil || len(f.Trials) == 0 {
		t.Fatalf("the front is %+v (%v)", f, err)
	}
	for _, on := range f.Trials {
		if on.Look {
			t.Errorf("trial %d is a look, and on the front", on.Number)
		}
	}
	t.Logf("%d looks, %d full evaluations, %d on the front", looks, full, len(f.Trials))
	if looks < 5 || full < 2 || reasons == 0 || f.From != 2*(len(s.Parameters)+1) {
		t.Errorf("%d looks, %d with a reason, %d full evaluations; the worst is found from %d", looks, reasons, full, f.From)
	}
}

// A study with several objectives ends when nothing can extend the front, and says that.
func TestEndOfAFront(t *testing.T) {
	s := easy(t)
	least := 0.0
	s.Objective.Min = &least
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize, Min: &least}}}
	a, r, apply := begun(t, s)
	asked, err := a.Next(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	done := s.Whole(study.Finished{State: study.Done, Charged: 1, Metrics: study.Metrics{"size": 0}})
	apply(study.Event{Kind: study.EventAsked, Trial: 1, Asked: &asked})
	apply(study.Event{Kind: study.EventFinished, Trial: 1, Finished: &done})
	_, err = a.Next(t.Context(), r)
	if !errors.Is(err, advisor.ErrNotWorth) || !errors.Is(err, policy.ErrBestPossible) || !strings.Contains(err.Error(), "nothing can extend the front, with 59 euros left") {
		t.Errorf("it ended with %v", err)
	}
}

// A worst far beyond all results makes the rest of the front seem worthless. A study that ends for it says so, and what to do.
func TestEndWithAFarWorst(t *testing.T) {
	s, near, far := easy(t), 2.0, 100.0
	s.Objectives = []study.Aim{{Objective: s.Objective, Worst: &near}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}, Worst: &near}}
	a, r, apply := begun(t, s)
	for n, y := range [][2]float64{{0, 1}, {1, 0}, {0.5, 0.5}} {
		setting := space.Setting{"x": space.Float(y[0]), "y": space.Float(y[1])}
		point, err := a.Space().Encode(setting)
		if err != nil {
			t.Fatal(err)
		}
		done := s.Whole(study.Finished{State: study.Done, Value: y[0], Charged: 1, Metrics: study.Metrics{"size": y[1]}})
		apply(study.Event{Kind: study.EventAsked, Trial: n + 1, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1}})
		apply(study.Event{Kind: study.EventFinished, Trial: n + 1, Finished: &done})
	}
	nothing := &study.Rest{Best: 2, Of: study.Hypervolume}
	err := a.Over(r, nothing, time.Unix(0, 0))
	if !errors.Is(err, advisor.ErrNotWorth) || strings.Contains(err.Error()+fault.HintOf(err), "worst") {
		t.Errorf("near: %v", err)
	}
	s.Objectives[1].Worst = &far
	err = a.Over(r, nothing, time.Unix(0, 0))
	if !errors.Is(err, advisor.ErrNotWorth) || !strings.Contains(err.Error(), "worst is far from the front (size 100, and the front has 0 to 1)") || !strings.Contains(fault.HintOf(err), "write a nearer worst in the study file") {
		t.Errorf("far: %v", err)
	}
}

// With noise, a result may be on the front by the models' means though another's seen values dominate what was seen of it. That is said, with the other.
func TestFrontOfMeansSaysWhatIsDominated(t *testing.T) {
	s := easy(t)
	s.Noisy, s.Objectives = true, []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
	a, r, apply := begun(t, s)
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 12; n++ {
		x := slices.Repeat([]float64{float64(n) / 13}, a.Space().Dim())
		apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: a.Space().Decode(x), Point: x, Reserved: 1}})
		apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Charged: 1, Value: x[0] + 0.1*rng.NormFloat64(), Metrics: study.Metrics{"size": 1 - x[0] + 0.1*rng.NormFloat64()}}})
	}
	f, err := a.Front(t.Context(), r)
	if err != nil || !f.Expected {
		t.Fatalf("%+v, %v", f, err)
	}
	seen, notes, beaten := s.Front(r), f.Notes(s), 0
	for i, on := range f.Trials {
		by := slices.IndexFunc(seen, func(o study.Trial) bool { return s.Better(s.Outcomes([]study.Trial{o})[0], f.Seen[i][0]) })
		said := by >= 0 && strings.Contains(notes, fmt.Sprintf("trial %d by trial %d", on.Number, seen[by].Number))
		if by >= 0 {
			beaten++
		}
		if said != (by >= 0) {
			t.Errorf("trial %d is dominated: %v, and said is %q", on.Number, by >= 0, notes)
		}
	}
	if beaten == 0 || strings.Count(notes, " by trial ") != beaten {
		t.Errorf("%d of %d are dominated by others, and said is %q", beaten, len(f.Trials), notes)
	}
}

// A penalty so large that the hypervolume is beyond all numbers is no reason to end.
func TestNoEndByAHugeVolume(t *testing.T) {
	for _, penalty := range []float64{1e300, math.MaxFloat64} {
		s := easy(t)
		s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
		a, r, apply := begun(t, s)
		for n := 1; n <= 8; n++ {
			asked, err := a.Next(t.Context(), r)
			if err != nil {
				t.Fatalf("with %v, trial %d: %v", penalty, n, err)
			}
			size, _ := asked.Setting["y"].Number()
			done := study.Finished{State: study.Done, Value: smooth(asked.Setting), Charged: 1, Metrics: study.Metrics{"size": 1e9 * size}}
			if n == 3 {
				done.Value = penalty
			}
			done = s.Whole(done)
			apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
			apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &done})
		}
		if f, err := a.Front(t.Context(), r); err != nil || f.Hypervolume != math.MaxFloat64 {
			t.Errorf("with %v, the hypervolume is %v (%v)", penalty, f.Hypervolume, err)
		}
		if err := a.Over(r, &study.Rest{Best: math.MaxFloat64, Of: study.Hypervolume}, time.Unix(0, 0)); err != nil {
			t.Errorf("with %v, it is over: %v", penalty, err)
		}
	}
}

// Before anything is known of the scale of values, nobody can tell which part of the front a trial may extend, and its reasons say nothing of it.
func TestNoPartOfTheFrontTooEarly(t *testing.T) {
	s := easy(t)
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
	a, r, apply := begun(t, s)
	early := 0
	for n := 1; n <= 8; n++ {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if why, ok := advisor.WhyOf(asked.Why); ok && why.Policy != "design" {
			tooEarly := why.Expected == nil || why.Expected.Early
			said := strings.Contains(why.Picked, "extend the front") || len(why.Between) > 0
			if tooEarly {
				early++
			}
			if said == tooEarly {
				t.Errorf("trial %d: the values are known: %t, and it says %q", n, !tooEarly, why.Picked)
			}
		}
		done := study.Finished{State: study.Failed, Charged: 1}
		if n == 3 || n > 5 {
			done = s.Whole(study.Finished{State: study.Done, Value: asked.Point[0], Charged: 1, Metrics: study.Metrics{"size": 1 - asked.Point[0]}})
		}
		apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
		apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &done})
	}
	if early == 0 {
		t.Error("no trial came too early")
	}
}
