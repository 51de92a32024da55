package lookahead

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// numbered returns points that encode the node they belong to.
func numbered(nodes, dim int) []float64 {
	x := make([]float64, nodes*dim)
	for i := range x {
		x[i] = float64(i / dim)
	}
	return x
}

// Each new node has the point of an old one. The root has the point of its old child on the branch
// taken. A node of level i has the point of a child of the old node whose point its parent has: the
// child on the node's own branch. So every level but the deepest has descendants of the branch taken,
// from one level further down.
func TestAdvanceMovesTheBranchUpOneLevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fantasies := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "fantasies")
		dim := rapid.IntRange(1, 3).Draw(t, "dim")
		s, err := NewShape(fantasies)
		if err != nil {
			t.Fatal(err)
		}
		branch := rapid.IntRange(0, fantasies[0]-1).Draw(t, "branch")
		x := numbered(s.Nodes(), dim)
		next := Advance(s, x, branch)
		if len(next) != len(x) {
			t.Fatalf("%d coordinates", len(next))
		}
		from := func(j int) int { return int(next[j*dim]) }
		taken := s.Child(0, branch)
		if from(0) != taken {
			t.Fatalf("the root holds node %d, not %d", from(0), taken)
		}
		for j := range s.Nodes() {
			for c := range dim {
				if next[j*dim+c] != next[j*dim] {
					t.Fatalf("node %d holds a mixture %v", j, next[j*dim:(j+1)*dim])
				}
			}
			old := from(j)
			if s.level[j] == s.Depth()-1 {
				if old != from(s.parent[j]) {
					t.Fatalf("leaf %d holds node %d, its parent node %d", j, old, from(s.parent[j]))
				}
				continue
			}
			if s.level[old] != s.level[j]+1 {
				t.Fatalf("node %d of level %d holds node %d of level %d", j, s.level[j], old, s.level[old])
			}
			if j > 0 && (s.parent[old] != from(s.parent[j]) || s.branch[old] != s.branch[j]%fantasies[s.level[j]]) {
				t.Fatalf("node %d on branch %d of %d holds node %d, on branch %d of %d",
					j, s.branch[j], s.parent[j], old, s.branch[old], s.parent[old])
			}
			if old != taken && s.chains[old][1] != taken {
				t.Fatalf("node %d holds node %d, which is not on the branch taken", j, old)
			}
		}
	})
}

func TestAdvanceOfOneNodeIsACopy(t *testing.T) {
	s := mustShape(t)
	x := []float64{0.1, 0.2}
	next := Advance(s, x, 0)
	if len(next) != 2 || next[0] != 0.1 || next[1] != 0.2 {
		t.Errorf("%v", next)
	}
	next[0] = 9
	if x[0] != 0.1 {
		t.Error("the old points changed")
	}
}

// Level by level, by hand, for the shape (2,2): old nodes 0 | 1 2 | 3 4 5 6, where 3 and 5 are the children
// of 1, and 4 and 6 those of 2.
func TestAdvanceByHand(t *testing.T) {
	s := mustShape(t, 2, 2)
	x := numbered(7, 1)
	for branch, want := range [][]float64{{1, 3, 5, 3, 5, 3, 5}, {2, 4, 6, 4, 6, 4, 6}} {
		for j, v := range Advance(s, x, branch) {
			if v != want[j] {
				t.Errorf("branch %d: %v, want %v", branch, Advance(s, x, branch), want)
				break
			}
		}
	}
}

func TestNearest(t *testing.T) {
	fantasies := []Outcome{{Value: 0, LnCost: 0}, {Value: 10, LnCost: 0}, {Value: 0, LnCost: 1}}
	for _, c := range []struct {
		observed      Outcome
		value, lnCost float64
		want          int
		about         string
	}{
		{Outcome{Value: 1, LnCost: 0.1}, 1, 1, 0, "itself"},
		{Outcome{Value: 9, LnCost: 0.9}, 1, 1, 1, "the value's scale"},
		{Outcome{Value: 9, LnCost: 0.9}, 100, 1, 2, "the cost's scale"},
		{Outcome{Value: 5, LnCost: 0}, 1, 1, 0, "a tie goes to the first"},
		{Outcome{Value: math.Inf(1), LnCost: 0}, 1, 1, 0, "no distance is finite"},
	} {
		if got := Nearest(fantasies, c.observed, c.value, c.lnCost); got != c.want {
			t.Errorf("%s: branch %d, want %d", c.about, got, c.want)
		}
	}
}
