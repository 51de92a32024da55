package space

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCells(t *testing.T) {
	c := cells{n: 4}
	for _, x := range []struct {
		u     float64
		level int64
	}{{0, 0}, {0.249, 0}, {0.25, 1}, {0.5, 2}, {0.999, 3}, {1, 3}, {7, 3}, {-7, 0}, {math.NaN(), 2}} {
		if got := c.level([]float64{x.u}); got != x.level {
			t.Errorf("%v has level %d, want %d", x.u, got, x.level)
		}
	}
	u := []float64{0}
	if c.place(u, 1); u[0] != 0.375 {
		t.Errorf("level 1 is at %v", u[0])
	}
}

// No level is lost, however many there are.
func TestLevelsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := rapid.Bool().Draw(t, "log")
		low := int64(-1 << 53)
		if log {
			low = 1
		}
		p := someInt(t, low, 1<<53, log)
		d := newAxis(&p).(discrete)
		n := d.count()
		u := make([]float64, d.width())
		check := func(level int64) {
			d.place(u, level)
			if got := d.level(u); got != level {
				t.Fatalf("%+v: level %d of %d is at %v, which is level %d", p, level, n, u, got)
			}
			for _, x := range u {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("%+v: level %d is at %v", p, level, u)
				}
			}
		}
		for _, level := range []int64{0, 1, 2, n / 2, n - 3, n - 2, n - 1} {
			check(min(max(level, 0), n-1))
		}
		for range 20 {
			check(rapid.Int64Range(0, n-1).Draw(t, "level"))
		}
		if n > 1 {
			if d.level([]float64{0}) != 0 || d.level([]float64{1}) != n-1 {
				t.Fatalf("%+v: the ends are levels %d and %d", p, d.level([]float64{0}), d.level([]float64{1}))
			}
		}
	})
}

// The widths of logarithmic cells, from the definition.
func TestLogCells(t *testing.T) {
	c := newLogCells(2, 4, 3) // 2, 6, 10; borders at 4 and 8, ends at 2·2/4 and 12
	borders := []float64{math.Log(1), math.Log(4), math.Log(8), math.Log(12)}
	place := func(ln float64) float64 { return (ln - borders[0]) / (borders[3] - borders[0]) }
	for level := range int64(3) {
		a, b := place(borders[level]), place(borders[level+1])
		u := []float64{0}
		if c.place(u, level); math.Abs(u[0]-(a+b)/2) > 1e-15 {
			t.Errorf("level %d is at %v, want %v", level, u[0], (a+b)/2)
		}
		for _, inside := range []float64{a + 1e-12, b - 1e-12} {
			if got := c.level([]float64{inside}); got != level {
				t.Errorf("%v is level %d, want %d", inside, got, level)
			}
		}
	}
}

func TestOneHot(t *testing.T) {
	o := oneHot{3}
	nan := math.NaN()
	for _, c := range []struct {
		u    []float64
		want int64
	}{
		{[]float64{0, 0, 1}, 2}, {[]float64{0.2, 0.3, 0.1}, 1}, {[]float64{0.5, 0.5, 0.5}, 0}, {[]float64{0, 1, 1}, 1},
		{[]float64{2, 3, 1}, 0}, // all the same once clipped
		{[]float64{nan, 0.4, 0.6}, 2}, {[]float64{0.4, nan, 0.1}, 1}, {[]float64{-1, -2, 0}, 0},
	} {
		if got := o.level(c.u); got != c.want {
			t.Errorf("%v is level %d, want %d", c.u, got, c.want)
		}
	}
	u := []float64{0.3, 0.3, 0.3}
	o.place(u, 1)
	if diff := cmp.Diff([]float64{0, 1, 0}, u); diff != "" {
		t.Error(diff)
	}
}

func TestEnds(t *testing.T) {
	for u, want := range map[float64]int64{0: 0, 0.499: 0, 0.5: 1, 1: 1, -3: 0, 3: 1} {
		if got := (ends{}).level([]float64{u}); got != want {
			t.Errorf("%v is level %d, want %d", u, got, want)
		}
	}
}
