package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// forestTask is the error of a tree ensemble. More trees always help, but less and less. Trees of the right depth neither miss the
// pattern nor learn the noise. Using only a part of the features and of the sample decorrelates them. The cost is the number of
// nodes grown.
func forestTask(trials, noise float64) func(*dice, string) (*Task, error) {
	return func(d *dice, _ string) (*Task, error) {
		depth, part, sample := d.between(6, 18), d.between(0.2, 0.7), d.between(0.4, 0.9)
		criteria := map[string]float64{"gini": d.between(0, 0.01), "entropy": d.between(0, 0.01), "log_loss": d.between(0, 0.01)}
		whole1 := d.between(0.005, 0.02) // what is lost without bootstrap
		t := &Task{
			Goal: study.Minimize, Budget: trials, Noise: noise,
			Params: []space.Param{
				logWhole("trees", 10, 500), whole("depth", 2, 30), float("features", 0.1, 1),
				choice("criterion", "gini", "entropy", "log_loss"),
				{Name: "bootstrap", Kind: space.KindBool},
				when(float("sample", 0.2, 1), "bootstrap", space.Bool(true)),
			},
			Evaluate: func(s space.Setting) (float64, float64) {
				trees, deep, features := number(s, "trees"), number(s, "depth"), number(s, "features")
				miss := math.Log(deep / depth)
				err := 0.1 + 0.25/math.Sqrt(trees) + 0.06*miss*miss*(1+0.4*miss) + 0.08*(features-part)*(features-part)
				err += criteria[s["criterion"].String()]
				grown := 1.0
				if s["bootstrap"] == space.Bool(true) {
					grown = number(s, "sample")
					err += 0.04 * (grown - sample) * (grown - sample)
				} else {
					err += whole1
				}
				return err, trees * math.Pow(deep, 0.8) * math.Sqrt(features) * grown
			},
		}
		return t.found(d), nil
	}
}
