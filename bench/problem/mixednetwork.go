package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// networkTask is the accuracy of a network. Each optimiser has a learning rate that suits it and depends on the momentum. The
// capacity should suit the data. Epochs help, but less and less, and they cost.
func networkTask(trials, noise, costNoise float64) func(*dice, string) (*Task, error) {
	return func(d *dice, _ string) (*Task, error) {
		rate := map[string]float64{"sgd": d.between(-2.2, -1.2), "adam": d.between(-3.6, -2.6)}
		behind := map[string]float64{"sgd": 0, "adam": 0.015 * d.sign()} // one of them is better
		momentum, beta := d.between(0.7, 0.95), d.between(0.88, 0.98)
		capacity, dropout := d.between(4, 7), d.between(0.1, 0.4) // ln of layers × width
		t := &Task{
			Goal: study.Maximize, Budget: trials, Noise: noise, CostNoise: costNoise,
			Params: []space.Param{
				choice("opt", "sgd", "adam"), logFloat("lr", 1e-5, 1), whole("layers", 1, 5), logWhole("width", 16, 512),
				float("dropout", 0, 0.6), logWhole("epochs", 2, 60),
				when(float("momentum", 0, 0.99), "opt", space.String("sgd")),
				when(float("beta", 0.8, 0.999), "opt", space.String("adam")),
			},
			Evaluate: func(s space.Setting) (float64, float64) {
				opt, layers, width, epochs := s["opt"].String(), number(s, "layers"), number(s, "width"), number(s, "epochs")
				off := math.Log10(number(s, "lr")) - rate[opt]
				lost := behind[opt]
				if opt == "sgd" {
					m := number(s, "momentum")
					off -= math.Log10((1 - m + 0.02) / (1 - momentum + 0.02)) // more momentum, smaller steps
					lost += 0.05 * (m - momentum) * (m - momentum)
				} else {
					b := number(s, "beta") - beta
					lost += 0.8 * b * b
				}
				lost += 0.25 * (1 - math.Exp(-off*off/2)) // far away from it nothing is learnt
				fit := math.Log(layers*width) - capacity
				drop := number(s, "dropout") - dropout - 0.05*fit // a large network needs more of it
				lost += 0.012*fit*fit + 0.15*drop*drop + 0.3*math.Exp(-math.Sqrt(epochs))
				return 0.95 - lost, epochs * (0.3 + layers*width/256)
			},
		}
		return t.found(d), nil
	}
}
