package report

import (
	"math"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
)

func labels(list []tick) string {
	var texts []string
	for _, t := range list {
		texts = append(texts, t.label)
	}
	return strings.Join(texts, " ")
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		log    bool
		n      int
		want   string
	}{
		{0, 1, false, 5, "0 0.2 0.4 0.6 0.8 1.0"},
		{-3, 7, false, 5, "-2 0 2 4 6"},
		{0, 1e-7, false, 4, "0 2.5e-8 5e-8 7.5e-8 1e-7"},
		{1000, 1001, false, 4, "1000.00 1000.25 1000.50 1000.75 1001.00"},
		{0, 9e6, false, 4, "0 2,500,000 5,000,000 7,500,000"},
		{1e-5, 0.1, true, 5, "1e-5 0.0001 0.001 0.01 0.1"},
		{1, 50, true, 5, "1 2 5 10 20 50"},
		{1, 2, true, 4, "1.00 1.25 1.50 1.75 2.00"},
		{1e-30, 1, true, 4, "1e-24 1e-16 1e-8 1"},
	} {
		s := newScale([]float64{c.lo, c.hi}, c.log, 0).between(0, 100)
		if got := labels(s.ticks(c.n)); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
	whole := newParamScale(space.Param{Kind: space.KindInt, Min: 1, Max: 10}, 0, 100)
	if got := labels(whole.marks(4)); strings.Contains(got, ".") {
		t.Errorf("whole numbers: %q", got)
	}
}

// Whatever comes, places are finite and inside.
func TestScaleSurvives(t *testing.T) {
	inf, most := math.Inf(1), math.MaxFloat64
	for _, values := range [][]float64{
		nil, {0}, {5}, {-1e-300}, {math.NaN()}, {inf, -inf}, {-most, most}, {most}, {1e-320, 1e308}, {1, math.Nextafter(1, 2)}, {0, math.SmallestNonzeroFloat64},
	} {
		for _, log := range []bool{false, true} {
			s := newScale(values, log, 0.05).between(10, 90)
			for _, v := range append(values, 0, 1, -1, inf, -inf, math.NaN(), most) {
				if at := s.at(v); !(at >= 10 && at <= 90) {
					t.Errorf("%v, log %v: %v is at %v", values, log, v, at)
				}
			}
			if n := len(s.ticks(5)); n > 20 {
				t.Errorf("%v, log %v: %d ticks", values, log, n)
			}
			for _, k := range s.ticks(5) {
				if !(k.at >= 10 && k.at <= 90) || strings.Contains(k.label, say.Nothing) {
					t.Errorf("%v, log %v: tick %+v", values, log, k)
				}
			}
		}
	}
}
