package space

import (
	"fmt"

	"github.com/eke-bo/eke/internal/fault"
)

// wholes are the levels of an int: min, min + step, …
type wholes struct{ min, step, n int64 }

// newWholes needs whole bounds and a whole step of at least 0, all within ±2⁵³.
func newWholes(p *Param) wholes {
	w := wholes{min: int64(p.Min), step: max(int64(p.Step), 1)}
	w.n = (int64(p.Max)-w.min)/w.step + 1
	return w
}

func (w wholes) count() int64         { return w.n }
func (w wholes) at(level int64) Value { return Int(w.min + level*w.step) }

func (w wholes) find(v Value) (int64, *Error) {
	last := w.min + (w.n-1)*w.step
	hint := fmt.Sprintf("give a whole number from %d to %d", w.min, last)
	if w.n == 1 {
		hint = fmt.Sprintf("give %d", w.min)
	}
	n, ok := v.whole()
	switch {
	case !ok:
		return 0, wrong("value", hint, "value is %s, which is not a whole number", v.quoted())
	case n < w.min:
		return 0, wrong("value", hint, "value is %d, below min", n)
	case n > last:
		return 0, wrong("value", hint, "value is %d, above max", n)
	case (n-w.min)%w.step != 0:
		below := n - (n-w.min)%w.step
		return 0, wrong("value", fmt.Sprintf("give %d or %d", below, below+w.step),
			"value is %d, which steps of %d from %d do not reach", n, w.step, w.min)
	}
	return (n - w.min) / w.step, nil
}

// listed are the levels of a choice, a bool or a fixed value.
type listed struct{ values []Value }

func (l listed) count() int64         { return int64(len(l.values)) }
func (l listed) at(level int64) Value { return l.values[level] }

func (l listed) find(v Value) (int64, *Error) {
	for i, w := range l.values {
		if w.Equal(v) {
			return int64(i), nil
		}
	}
	return 0, wrong("value", "give "+fault.OneOf(quotedAll(l.values)), "value is %s, which is not one of its values", v.quoted())
}
