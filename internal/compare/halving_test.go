package compare_test

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/policy"
)

// Successive halving: of three looks at the lowest level the best goes on, of three there the best, and so up to the top.
func TestASHA(t *testing.T) {
	made, err := policy.New("asha", model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := modeltest.Leveled(0, 0, 1)
	count := map[float64]int{}
	for range 40 {
		out, err := made.Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if out.Policy != "asha" || out.Look != nil {
			t.Fatalf("%+v", out)
		}
		count[out.Level]++
		value := modeltest.AtLevel(out.X, out.Level)
		if s.Trial++; out.Level == 1 {
			s.X, s.Y, s.LnCost = append(s.X, out.X), append(s.Y, value), append(s.LnCost, 0)
			continue
		}
		for _, l := range s.Looks {
			if out.Level == 0 && slices.Equal(l.X, out.X) {
				t.Fatalf("%v is looked at again", out.X)
			}
		}
		s.Looks = append(s.Looks, model.Look{X: out.X, Level: out.Level, Y: value, LnCost: -1})
	}
	if count[0] != 28 || count[0.5] != 9 || count[1] != 3 {
		t.Errorf("evaluations by level: %v", count)
	}
	better := 0
	for _, l := range s.Looks {
		if l.Level == 0 && l.Y > modeltest.AtLevel(s.X[0], 0) {
			better++
		}
	}
	if better > 9 {
		t.Errorf("%d of 28 looks were better than that of the first point at the top", better)
	}
}

// climbed plays a policy for some trials, and returns the levels in their order.
func climbed(t *testing.T, name string, s *model.State, trials int) (levels []float64) {
	t.Helper()
	made, err := policy.New(name, model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range trials {
		out, err := made.Suggest(t.Context(), *s)
		if err != nil {
			t.Fatal(err)
		}
		if out.Policy != name || out.Look != nil {
			t.Fatalf("%+v", out)
		}
		levels = append(levels, out.Level)
		value, lnCost := modeltest.AtLevel(out.X, out.Level), -math.Log(9)*(1-out.Level)
		s.Remaining -= math.Exp(lnCost)
		if s.Trial++; out.Level == 1 {
			s.X, s.Y, s.LnCost = append(s.X, out.X), append(s.Y, value), append(s.LnCost, lnCost)
			continue
		}
		s.Looks, s.Previous = append(s.Looks, model.Look{X: out.X, Level: out.Level, Y: value, LnCost: lnCost}), out.Plan
	}
	return levels
}

func times(level float64, n int) []float64 { return slices.Repeat([]float64{level}, n) }

// Three levels have brackets of 9, 5 and 3 points, that begin at the lowest level, at the next, and at the top. Each level's best third goes
// on, and afterwards the brackets begin again.
func TestHyperband(t *testing.T) {
	for _, name := range []string{"hyperband", "hyperband-model"} {
		s := modeltest.Leveled(0, 0, 1)
		s.Initial, s.Remaining = 1000, 1000
		want := slices.Concat(times(0, 9), times(0.5, 3), times(1, 1), times(0.5, 5), times(1, 1), times(1, 3), times(0, 9), times(0.5, 1))
		if got := climbed(t, name, &s, len(want)); !slices.Equal(got, want) {
			t.Fatalf("%s: levels %v, not %v", name, got, want)
		}
		for i, l := range s.Looks[9:12] {
			if better := slices.IndexFunc(s.Looks[:9], func(o model.Look) bool { return o.Y > modeltest.AtLevel(l.X, 0) }); i == 0 && better >= 0 {
				t.Errorf("%s: look %d was better than the first that went on", name, better)
			}
		}
		if slices.ContainsFunc(s.Looks[9:12], func(l model.Look) bool { return modeltest.AtLevel(l.X, 0.5) > modeltest.AtLevel(s.X[0], 0.5) }) {
			t.Errorf("%s: the point at the top was not the best below", name)
		}
	}
}

// A bracket that the money does not pay for is smaller, and still reaches the top.
func TestHyperbandWithLittleMoney(t *testing.T) {
	s := modeltest.Leveled(0, 0, 1)
	s.Initial, s.Remaining = 3.01, 3.01 // 9/9 + 3/3 + 1, and hardly more
	if got, want := climbed(t, "hyperband", &s, 14), slices.Concat(times(0, 9), times(0.5, 3), times(1, 1), times(0.5, 1)); !slices.Equal(got, want) {
		t.Errorf("levels %v, not %v", got, want)
	}
	s = modeltest.Leveled(0, 0, 1)
	s.Initial, s.Remaining = 4.7, 4.7 // the second bracket would cost 5/3 + 1, and has 1.7 left
	want := slices.Concat(times(0, 9), times(0.5, 3), times(1, 1), times(0.5, 3), times(1, 1))
	if got := climbed(t, "hyperband", &s, len(want)); !slices.Equal(got, want) {
		t.Errorf("levels %v, not %v", got, want)
	}
}

// While a bracket waits for results, the next one begins.
func TestHyperbandInParallel(t *testing.T) {
	s := modeltest.Leveled(0, 0, 1)
	climbed(t, "hyperband", &s, 7)
	made, err := policy.New("hyperband", model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	var levels []float64
	for range 7 {
		out, err := made.Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		levels = append(levels, out.Level)
		s.Looking = append(s.Looking, model.Look{X: out.X, Level: out.Level})
		s.Trial++
	}
	if want := []float64{0, 0, 0.5, 0.5, 0.5, 0.5, 0.5}; !slices.Equal(levels, want) {
		t.Errorf("levels %v, not %v", levels, want)
	}
}

// A point whose evaluation at a level was stopped early is not sent there again, however good it was below.
func TestHalvingLeavesStoppedPointsAlone(t *testing.T) {
	for _, name := range []string{"asha", "hyperband", "asha-model", "hyperband-model"} {
		made, err := policy.New(name, model.Settings{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := modeltest.Leveled(0, 0, 1)
		s.Initial, s.Remaining = 1000, 1000
		var sent []model.Look
		for range 40 {
			out, err := made.Suggest(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(sent, func(l model.Look) bool { return l.Level == out.Level && !model.IsNew(l.X, out.X) }) {
				t.Fatalf("%s: %v is sent to level %v again", name, out.X, out.Level)
			}
			sent = append(sent, model.Look{X: out.X, Level: out.Level})
			s.Trial++
			look := model.Look{X: out.X, Level: out.Level, LnCost: -1}
			if out.Level == 1 { // it is stopped half-way
				s.Stopped = append(s.Stopped, model.Look{X: out.X, Level: 1})
				look.Level, look.Step = 0.5, true
			}
			look.Y = modeltest.AtLevel(out.X, look.Level)
			s.Looks, s.Previous = append(s.Looks, look), out.Plan
		}
	}
}

// A point with looks that a later constraint forbids does not go on, and the best of the others does.
func TestHalvingKeepsToConstraints(t *testing.T) {
	for _, name := range []string{"asha", "hyperband"} {
		made, err := policy.New(name, model.Settings{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := modeltest.Leveled(0, 0, 1)
		s.Initial, s.Remaining = 1000, 1000
		for i := range 9 {
			x := []float64{float64(i) / 8, 0.6}
			s.Looks = append(s.Looks, model.Look{X: x, Level: 0, Y: modeltest.AtLevel(x, 0), LnCost: -1})
		}
		s.Trial, s.Feasible = 9, func(x []float64) bool { return x[0] >= 0.6 } // the best is at 0.25
		if out, err := made.Suggest(t.Context(), s); err != nil || out.Level != 0.5 || out.X[0] != 0.625 {
			t.Errorf("%s: %v goes on to level %v, %v", name, out.X, out.Level, err)
		}
	}
}
