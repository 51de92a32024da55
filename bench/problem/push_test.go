package problem

import (
	"math"
	"testing"
)

// The reference is another port of Box2D; contacts amplify rounding, so the disc's rest agrees to about 0.02.
func TestPushMeetsTheReference(t *testing.T) {
	var want struct {
		Cases []struct{ X, Object []float64 }
	}
	readGolden(t, "robot", &want)
	if len(want.Cases) == 0 {
		t.Fatal("no figures")
	}
	for _, c := range want.Cases {
		x, y := push(c.X[0], c.X[1], c.X[2])
		if off := math.Hypot(x-c.Object[0], y-c.Object[1]); off > 0.02 {
			t.Errorf("pushed at %v: (%v, %v), want %v, off by %.3g", c.X, x, y, c.Object, off)
		} else {
			t.Logf("pushed at %v: off by %.2g", c.X, off)
		}
	}
}

func BenchmarkPush(b *testing.B) {
	for b.Loop() {
		push(-3, 2, 15)
	}
}
