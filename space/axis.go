package space

// axis is how one parameter goes to its coordinates and back. Coordinates may be any floats when they come
// in; in snap, dst may be u.
type axis interface {
	width() int                    // number of coordinates
	level(u []float64) int64       // which of its values a point means, counted from 0; those of a float are its cells
	find(v Value) (int64, *Error)  // the level of a value
	decode(u []float64) Value      // what a point means
	snap(dst, u []float64)         // the canonical point with the same meaning
	encode(dst []float64, v Value) // the canonical point of a value that was admitted
	admit(v Value) (Value, *Error) // the value as decode would give it, or why it is not one
}

// newAxis needs a parameter that passed check.
func newAxis(p *Param) axis {
	switch p.Kind {
	case KindFloat:
		if p.Step == 0 {
			return newContinuous(p)
		}
		s := newSteps(p)
		if p.Log {
			return discrete{s, newLogCells(s.min, s.step, s.n)}
		}
		return discrete{s, newCells(s.n)}
	case KindInt:
		w := newWholes(p)
		if p.Log && w.n > 1 {
			return discrete{w, newLogCells(float64(w.min), float64(w.step), w.n)}
		}
		return discrete{w, newCells(w.n)}
	case KindOrdered:
		return discrete{listed{p.Values}, newCells(int64(len(p.Values)))}
	case KindChoice:
		return discrete{listed{p.Values}, newChoice(len(p.Values))}
	case KindBool:
		return discrete{listed{[]Value{Bool(false), Bool(true)}}, ends{}}
	case KindFixed:
		return discrete{listed{[]Value{p.Value}}, single{}}
	}
	panic("space: no axis for type " + string(p.Kind))
}

// discrete is a parameter with levels 0, 1, …, n−1: which values these are, and where they lie.
type discrete struct {
	levels
	layout
}

// levels are the values of a discrete parameter.
type levels interface {
	count() int64
	at(level int64) Value
	find(v Value) (level int64, err *Error)
}

// layout places levels in the unit cube.
type layout interface {
	width() int
	level(u []float64) int64
	place(dst []float64, level int64)
	// near lists the levels one move away, n being the number of all. In order: next ones only.
	near(level, n int64) []int64
}

func (d discrete) decode(u []float64) Value { return d.at(d.level(u)) }

func (d discrete) snap(dst, u []float64) { d.place(dst, d.level(u)) }

func (d discrete) encode(dst []float64, v Value) {
	level, err := d.find(v)
	if err != nil {
		panic("space: encode of a value that was not admitted: " + err.Problem)
	}
	d.place(dst, level)
}

func (d discrete) admit(v Value) (Value, *Error) {
	level, err := d.find(v)
	if err != nil {
		return v, err
	}
	return d.at(level), nil
}
