package normal

import (
	"math"
	"testing"
)

// worst keeps the largest error met and where.
type worst struct{ err, at float64 }

func (w *worst) see(err, at float64) {
	if !(err <= w.err) {
		w.err, w.at = err, at
	}
}

func (w *worst) check(t *testing.T, name string, limit float64) {
	t.Helper()
	t.Logf("%-28s worst error %.3g at %v", name, w.err, w.at)
	if !(w.err <= limit) {
		t.Errorf("%s: error %.3g at %v, want at most %.3g", name, w.err, w.at, limit)
	}
}

func TestTailRatio(t *testing.T) {
	var ratio, mills worst
	for _, x := range gridToTails() {
		if x < 0 {
			continue
		}
		want := bigRatio(x)
		ratio.see(relativeError(tailRatio(x), want, 0), x)
		mills.see(relativeError(millsRatio(x), quo(bigNum(1), add(bigNum(x), quo(bigNum(1), want))), 0), x)
	}
	ratio.check(t, "D", 1e-15)
	mills.check(t, "Mills ratio", 1e-15)
}

func TestTailRatioJoinsItsLinearEnd(t *testing.T) {
	before, after := tailRatio(ratioIsLinear), tailRatio(math.Nextafter(ratioIsLinear, math.Inf(1)))
	if math.Abs(after/before-1) > 1e-15 {
		t.Errorf("D jumps from %v to %v", before, after)
	}
}
