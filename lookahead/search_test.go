package lookahead_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/eke-bo/eke/internal/golden"
	"github.com/eke-bo/eke/lookahead"
)

// someTree returns a tree of the reference's first state.
func someTree(t *testing.T, fantasies ...int) *lookahead.Tree {
	t.Helper()
	states, err := golden.AllStates(golden.Dir("../testdata/golden"))
	if err != nil {
		t.Fatal(err)
	}
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		t.Fatal(err)
	}
	s := states[0]
	tree, err := lookahead.New(s.Belief(s.BudgetedEI.RemainingBudget), shape, lookahead.SobolSamples(fantasies, 1), lookahead.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// ways lists the ways to search, with little effort.
func ways() map[string]lookahead.Settings {
	effort := lookahead.Settings{RawPoints: 60, Starts: 6, Iterations: 40, Threads: 2, Seed: 3}
	blind, logs, grown, both := effort, effort, effort, effort
	logs.LogForm, grown.Grown, both.LogForm, both.Grown = true, true, true, true
	return map[string]lookahead.Settings{"blind": blind, "log form": logs, "grown": grown, "both": both}
}

func TestTheResultDoesNotDependOnThreads(t *testing.T) {
	for name, s := range ways() {
		for _, fantasies := range [][]int{{1}, {3, 2}, {1, 1, 1}} {
			tree := someTree(t, fantasies...)
			s.Threads = 1
			want := lookahead.Maximise(context.Background(), tree, s)
			s.Threads = 4
			if got := lookahead.Maximise(context.Background(), tree, s); !reflect.DeepEqual(got, want) {
				t.Errorf("%s %v: %+v on four threads, %+v on one", name, fantasies, got.Best, want.Best)
			}
			if v := tree.NewWalk().LogValue(nil, want.Best.X); v != want.Best.Value {
				t.Errorf("%s %v: the best tree is worth %v, said to be worth %v", name, fantasies, v, want.Best.Value)
			}
		}
	}
}

// A planted start is not lost if it is better than anything that a search with little effort finds.
func TestAPlantedStartIsKept(t *testing.T) {
	tree := someTree(t, 1, 1, 1)
	good := lookahead.Maximise(context.Background(), tree, lookahead.Settings{LogForm: true, Grown: true, Threads: 2})
	poor := ways()["both"]
	poor.RawPoints, poor.Starts, poor.Iterations = 4, 2, 2
	without := lookahead.Maximise(context.Background(), tree, poor)
	poor.Planted = [][]float64{good.Best.X}
	with := lookahead.Maximise(context.Background(), tree, poor)
	if !(without.Best.Value < good.Best.Value) {
		t.Fatalf("little effort finds %v, all of it %v", without.Best.Value, good.Best.Value)
	}
	if with.Best.Value < good.Best.Value {
		t.Errorf("planted %v, found %v", good.Best.Value, with.Best.Value)
	}
}

func TestWithoutTimeThereIsATree(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, s := range ways() {
		tree := someTree(t, 2, 2)
		got := lookahead.Maximise(ended, tree, s)
		if !got.CutShort || len(got.Best.X) != tree.Dim() {
			t.Errorf("%s: cut short %v, %d coordinates", name, got.CutShort, len(got.Best.X))
		}
		for _, v := range got.Best.X {
			if !(v >= 0 && v <= 1) || math.IsNaN(v) {
				t.Errorf("%s: outside the box: %v", name, got.Best.X)
			}
		}
	}
}
