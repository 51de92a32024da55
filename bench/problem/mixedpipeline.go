package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// pipelineTask is the error of one of three learners, each with its own parameters. The best one is drawn, and so is how far the
// others are behind.
func pipelineTask(d *dice, _ string) (*Task, error) {
	behind := []float64{0, d.between(0.005, 0.03), d.between(0.01, 0.06)}
	d.Shuffle(3, func(i, j int) { behind[i], behind[j] = behind[j], behind[i] })
	lnC, lnGamma := d.between(-1, 4), d.between(-6, -2)
	neighbours, uniform := d.between(4, 25), d.between(-0.02, 0.02)
	rate, depth := d.between(-3.5, -1.5), d.between(3, 7)
	t := &Task{
		Goal: study.Minimize, Budget: 35,
		Params: []space.Param{
			choice("model", "svm", "knn", "boost"), float("keep", 0.1, 1),
			when(logFloat("C", 1e-2, 1e3), "model", space.String("svm")),
			when(logFloat("gamma", 1e-4, 1), "model", space.String("svm")),
			when(whole("k", 1, 50), "model", space.String("knn")),
			when(choice("weights", "uniform", "distance"), "model", space.String("knn")),
			when(logWhole("rounds", 10, 1000), "model", space.String("boost")),
			when(logFloat("rate", 5e-3, 0.5), "model", space.String("boost")),
			when(whole("depth", 1, 10), "model", space.String("boost")),
		},
		Evaluate: func(s space.Setting) (err, cost float64) {
			keep := number(s, "keep")
			err = 0.12 + 0.05*math.Exp(-4*keep)
			switch s["model"].String() {
			case "svm":
				a, b := math.Log(number(s, "C"))-lnC, math.Log(number(s, "gamma"))-lnGamma
				return err + behind[0] + 0.2*(1-math.Exp(-(a*a+b*b+a*b)/40)), 0.5 + 3*keep*keep*math.Exp(0.12*a)
			case "knn":
				k := math.Log(number(s, "k") / neighbours)
				if s["weights"].String() == "uniform" {
					err += math.Abs(uniform)
				}
				return err + behind[1] + 0.03*k*k, 0.2 + 0.5*keep
			}
			rounds, r, deep := number(s, "rounds"), math.Log(number(s, "rate")), number(s, "depth")-depth
			learnt := math.Log(rounds) + r - math.Log(200) - rate // rounds × rate should suit
			return err + behind[2] + 0.015*learnt*learnt + 0.004*deep*deep + 0.01*(r-rate)*(r-rate)/4, 0.2 + rounds*keep*(1+number(s, "depth"))/800
		},
	}
	return t.found(d), nil
}
