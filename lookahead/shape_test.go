package lookahead

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func mustShape(t testing.TB, fantasies ...int) *Shape {
	t.Helper()
	s, err := NewShape(fantasies)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The reference's order: level 2's node (j2, j1) stands at j2·m1 + j1, level 3's (j3, j2, j1) at
// (j3·m2 + j2)·m1 + j1, and so on.
func TestNumberingIsTheReferences(t *testing.T) {
	const m1, m2, m3 = 4, 3, 2
	s := mustShape(t, m1, m2, m3)
	first := []int{0, 1, 1 + m1, 1 + m1 + m1*m2}
	for j1 := range m1 {
		level1 := first[1] + j1
		if got := s.Child(0, j1); got != level1 {
			t.Errorf("node (%d) is %d, want %d", j1, got, level1)
		}
		for j2 := range m2 {
			level2 := first[2] + j2*m1 + j1
			if got := s.Child(level1, j2); got != level2 {
				t.Errorf("node (%d, %d) is %d, want %d", j2, j1, got, level2)
			}
			for j3 := range m3 {
				level3 := first[3] + (j3*m2+j2)*m1 + j1
				if got := s.Child(level2, j3); got != level3 {
					t.Errorf("node (%d, %d, %d) is %d, want %d", j3, j2, j1, got, level3)
				}
				if got := s.Child(level3, 0); got != -1 {
					t.Errorf("a leaf has the child %d", got)
				}
			}
		}
	}
	if s.Nodes() != 1+4+12+24 || s.Depth() != 4 || !slices.Equal(s.Fantasies(), []int{4, 3, 2}) {
		t.Errorf("%d nodes, depth %d, fantasies %v", s.Nodes(), s.Depth(), s.Fantasies())
	}
}

func TestOnlyARoot(t *testing.T) {
	s := mustShape(t)
	if s.Nodes() != 1 || s.Depth() != 1 || s.Child(0, 0) != -1 || len(s.Fantasies()) != 0 {
		t.Errorf("%+v", s)
	}
}

// Every node but the root is the child of its parent on its branch, comes after it,
// and has its parent's ancestors and its parent as ancestors.
func TestParentsAndChildrenAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fantasies := rapid.SliceOfN(rapid.IntRange(1, 5), 0, 4).Draw(t, "fantasies")
		s, err := NewShape(fantasies)
		if err != nil {
			t.Fatal(err)
		}
		children := 0
		for j := range s.Nodes() {
			if level := s.level[j]; level < len(fantasies) {
				for b := range fantasies[level] {
					c := s.Child(j, b)
					children++
					if c <= j || s.parent[c] != j || s.branch[c] != b || s.level[c] != level+1 {
						t.Fatalf("child %d of %d has parent %d, branch %d, level %d", c, j, s.parent[c], s.branch[c], s.level[c])
					}
					if !slices.Equal(s.chains[c], append(slices.Clone(s.chains[j]), j)) {
						t.Fatalf("node %d: ancestors %v, its parent %d has %v", c, s.chains[c], j, s.chains[j])
					}
				}
			}
			if j > 0 && (s.level[j] < s.level[j-1] || j < s.first[s.level[j]]) {
				t.Fatalf("node %d of level %d comes after level %d", j, s.level[j], s.level[j-1])
			}
		}
		if children != s.Nodes()-1 || s.parent[0] != -1 {
			t.Fatalf("%d children of %d nodes", children, s.Nodes())
		}
	})
}

func TestShapeRefusesWhatIsNoTree(t *testing.T) {
	for _, fantasies := range [][]int{
		{0}, {3, 0}, {-1}, {4, -4}, {math.MinInt},
		{MaxNodes}, {200, 200}, {math.MaxInt}, {1 << 32, 1 << 32}, {2, math.MaxInt/2 + 1}, {MaxNodes / 2, MaxNodes / 2, MaxNodes / 2, MaxNodes / 2},
		make([]int, 70),
	} {
		if s, err := NewShape(fantasies); err == nil {
			t.Errorf("%v: %d nodes and no error", fantasies, s.Nodes())
		}
	}
	if _, err := NewShape([]int{MaxNodes - 1}); err != nil {
		t.Errorf("the largest tree: %v", err)
	}
}

func TestShapeKeepsNoSliceOfItsCallers(t *testing.T) {
	fantasies := []int{2, 3}
	s, err := NewShape(fantasies)
	if err != nil {
		t.Fatal(err)
	}
	fantasies[0] = 9
	s.Fantasies()[1] = 9
	if !slices.Equal(s.Fantasies(), []int{2, 3}) {
		t.Errorf("fantasies %v", s.Fantasies())
	}
}
