package paper

import (
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/eke-bo/eke/bench/show"
)

// The curves must be those that the policies maximised: nowhere higher than at the chosen point. Then the walk is drawn.
func TestOneDimension(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of planning")
	}
	walks, err := bothWalks()
	if err != nil {
		t.Fatal(err)
	}
	for w, seen := range walks {
		for i, s := range seen {
			if on := slices.Max(s.acquisition); s.highest < 0.999*on || s.highest > 2*on {
				t.Errorf("%s, step %d: at the chosen %.3f it had %.4g, the curve has %.4g at %.3f", oneDimensionPolicies[w], i, s.chosen, s.highest, on,
					gridOfLine[slices.Index(s.acquisition, on)])
			}
		}
		end := seen[len(seen)-1]
		_, cost := hills(end.chosen)
		if !end.over || end.spent > hillBudget || end.spent+cost <= hillBudget {
			t.Errorf("%s ended with %v of %v spent, wanting to pay %v", oneDimensionPolicies[w], end.spent, hillBudget, cost)
		}
	}
	f := &show.Folder{Dir: t.TempDir()}
	if err := drawWalks(f, walks); err != nil {
		t.Fatal(err)
	}
	picture := decodePNG(t, filepath.Join(f.Dir, "one-dimension.png"))
	if size := picture.Bounds().Size(); size.X < 1200 || size.X > 1800 {
		t.Errorf("the still is %v", size)
	}
	file, err := os.Open(filepath.Join(f.Dir, oneDimensionFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	moving, err := gif.DecodeAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := max(len(walks[0]), len(walks[1])); len(moving.Image) != want {
		t.Errorf("%d frames, want %d", len(moving.Image), want)
	}
	if info, err := file.Stat(); err != nil || info.Size() > 1_500_000 {
		t.Errorf("the moving picture has %d bytes, %v", info.Size(), err)
	}
}
