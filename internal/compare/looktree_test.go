package compare

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/looks"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// The best tree is at least as good as those that its search began with, and its root is a point that was not looked at.
func TestLookTrees(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	chosen := model.Suggestion{X: []float64{0.31, 0.58}}
	w := looks.NewWorth(d, chosen)
	tree := newLookTree(d, []float64{0.5, 1, 1}, chosen)
	starts := w.StartTrees(0.5, w.NewLooks(0.5), tree.outcomes(), planStarts)
	if len(starts) != planStarts || len(starts[0]) != tree.Dim() {
		t.Fatalf("%d starts of %d coordinates, a tree has %d", len(starts), len(starts[0]), tree.Dim())
	}
	any := func([]float64) bool { return true }
	best, walk := tree.maximise(t.Context(), starts, any), tree.NewWalk()
	for _, x := range starts {
		if v := walk.LogRate(nil, x, 1); !(best.Value > v) {
			t.Errorf("the best tree has %v, a start %v", best.Value, v)
		}
	}
	if none := tree.maximise(t.Context(), starts, func([]float64) bool { return false }); none.X != nil {
		t.Errorf("no root is allowed, and it is %v", none.X[:2])
	}
	sum, square := 0.0, 0.0
	for _, o := range tree.base[0] {
		sum, square = sum+o.Value, square+o.Value*o.Value/lookOutcomes
	}
	if math.Abs(sum) > 1e-12 || math.Abs(square-1) > 1e-12 || tree.base[1][0].Value != 0 {
		t.Errorf("outcomes %v", tree.base)
	}
}
