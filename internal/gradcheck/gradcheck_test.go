package gradcheck

import (
	"math"
	"testing"
)

// recorder counts failures instead of failing.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failures++ }

func wave(grad, x []float64) float64 {
	if grad != nil {
		grad[0] = 7 * math.Cos(7*x[0]) * math.Exp(x[1])
		grad[1] = math.Sin(7*x[0]) * math.Exp(x[1])
	}
	return math.Sin(7*x[0]) * math.Exp(x[1])
}

func TestAcceptsRightGradient(t *testing.T) {
	for _, x := range [][]float64{{0.3, 0.2}, {0, 0}, {-4, 3}} {
		Check(t, wave, x, Settings{Tolerance: 1e-9})
	}
}

func TestRejectsWrongGradient(t *testing.T) {
	wrong := map[string]Func{
		"scaled": func(grad, x []float64) float64 {
			v := wave(grad, x)
			if grad != nil {
				grad[0] *= 1.002
			}
			return v
		},
		"small component": func(grad, x []float64) float64 {
			v := wave(grad, x)
			if grad != nil {
				grad[1] += 1e-4
			}
			return v
		},
		"value differs": func(grad, x []float64) float64 {
			v := wave(grad, x)
			if grad != nil {
				v += 1e-15
			}
			return v
		},
	}
	for name, f := range wrong {
		r := &recorder{}
		Check(r, f, []float64{0.3, 0.2}, Settings{})
		if r.failures == 0 {
			t.Errorf("%s: not noticed", name)
		}
	}
}
