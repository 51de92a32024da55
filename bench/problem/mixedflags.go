package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// flagsTask is the running time of a program under a compiler's flags: 3840 settings in all. A trial costs the time to compile and
// run, so good settings are cheap, except that optimising takes time. Clocks are noisy.
func flagsTask(d *dice, _ string) (*Task, error) {
	unroll, block := d.between(1, 3), d.between(3, 12)
	lto, fast := d.between(0.02, 0.1), d.between(0.02, 0.08)
	vector := map[string]float64{"none": 0.25, "slp": d.between(0.05, 0.2), "loop": d.between(0, 0.15)}
	t := &Task{
		Goal: study.Minimize, Budget: 40, Noise: 0.01, CostNoise: 0.05,
		Params: []space.Param{
			{Name: "level", Kind: space.KindOrdered, Values: texts([]string{"O0", "O1", "O2", "O3"})},
			{Name: "unroll", Kind: space.KindOrdered, Values: []space.Value{space.Int(1), space.Int(2), space.Int(4), space.Int(8), space.Int(16)}},
			{Name: "block", Kind: space.KindInt, Min: 16, Max: 256, Step: 16},
			choice("vector", "none", "slp", "loop"),
			{Name: "lto", Kind: space.KindBool}, {Name: "fastmath", Kind: space.KindBool},
		},
		Evaluate: func(s space.Setting) (seconds, cost float64) {
			level := map[string]float64{"O0": 0, "O1": 1, "O2": 2, "O3": 3}[s["level"].String()]
			u, b := math.Log2(number(s, "unroll"))-unroll, number(s, "block")/16-block
			seconds = 0.5 + 1.6*math.Exp(-0.9*level) + 0.03*u*u + 0.004*b*b + vector[s["vector"].String()]*(1-math.Exp(-level))
			compile := 0.3 + 0.15*level
			if s["lto"] == space.Bool(true) {
				seconds -= lto * level / 3
				compile += 0.5
			}
			if s["fastmath"] == space.Bool(true) {
				seconds -= fast
			}
			return seconds, seconds + compile
		},
	}
	return t.found(d), nil
}

// menuTask has forty-eight settings in all.
func menuTask(d *dice, _ string) (*Task, error) {
	f := drawSample(d, matern52, lengthsAround(d, 3, 0.5))
	bonus := map[string]float64{"north": d.NormFloat64() / 2, "south": d.NormFloat64() / 2, "east": d.NormFloat64() / 2}
	price := smooth(d, 3, nil)
	t := &Task{
		Goal: study.Maximize, Budget: 22,
		Params: []space.Param{whole("size", 1, 8), choice("side", "north", "south", "east"), {Name: "lid", Kind: space.KindBool}},
		Evaluate: func(s space.Setting) (float64, float64) {
			at := []float64{number(s, "size") / 8, 0.3, 0}
			if s["lid"] == space.Bool(true) {
				at[2] = 1
			}
			side := s["side"].String()
			return f.at(at) + bonus[side], math.Exp(price([]float64{at[0], 0.3, at[2]}))
		},
	}
	return t.found(d), nil
}
