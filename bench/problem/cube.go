package problem

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A task whose parameters are all floats is a function on a box.

// floats are the parameters x1, x2, … of a box.
func floats(b box) []space.Param {
	list := make([]space.Param, len(b))
	for i, side := range b {
		list[i] = space.Param{Name: fmt.Sprintf("x%d", i+1), Kind: space.KindFloat, Min: side.low, Max: side.high}
	}
	return list
}

// number is the value of a parameter that is a number.
func number(s space.Setting, name string) float64 {
	v, ok := s[name].Number()
	if !ok {
		panic(fmt.Sprintf("problem: the setting %v has no number %q", s, name))
	}
	return v
}

// point returns the numbers x1, x2, … of a setting.
func (b box) point(s space.Setting) []float64 {
	x := make([]float64, len(b))
	for i := range x {
		x[i] = number(s, fmt.Sprintf("x%d", i+1))
	}
	return x
}

// overBox returns the task of a function in the box's own units, with the logarithms of its costs on the unit cube.
func overBox(d *dice, b box, goal study.Goal, value func(x []float64) float64, best float64, lnCost func(u []float64) float64, trials float64) *Task {
	t := &Task{
		Params: floats(b), Goal: goal, Budget: trials, Best: best,
		Evaluate: func(s space.Setting) (float64, float64) {
			x := b.point(s)
			return value(x), math.Exp(lnCost(b.unit(x)))
		},
	}
	return t.finish(d.seed)
}
