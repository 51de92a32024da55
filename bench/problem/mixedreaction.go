package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// reactionTask is the yield of a reaction. Each catalyst has an activity, a best temperature and a price. The cost depends on how
// much of it is used, and on the time.
func reactionTask(d *dice, _ string) (*Task, error) {
	catalysts := []string{"Pd", "Pt", "Ni", "Cu", "Ru"}
	activity, likes, price := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, c := range catalysts {
		activity[c], likes[c], price[c] = d.between(0.3, 1), d.between(60, 120), d.ratio(0.3, 10)
	}
	solvent := map[string]float64{"water": d.between(0.6, 1), "ethanol": d.between(0.6, 1), "toluene": d.between(0.6, 1)}
	t := &Task{
		Goal: study.Maximize, Budget: 36,
		Params: []space.Param{
			choice("catalyst", catalysts...), choice("solvent", "water", "ethanol", "toluene"),
			float("temperature", 30, 150), logFloat("hours", 0.5, 24), logFloat("loading", 0.5, 10),
		},
		Evaluate: func(s space.Setting) (yield, cost float64) {
			c, hours, loading := s["catalyst"].String(), number(s, "hours"), number(s, "loading")
			off := (number(s, "temperature") - likes[c]) / 25
			speed := activity[c] * solvent[s["solvent"].String()] * math.Exp(-off*off/2) * math.Sqrt(loading)
			waste := 0.004*hours + 0.004*loading // side reactions
			return 100 * (1 - math.Exp(-speed*math.Sqrt(hours)/2) - waste), 1 + 0.3*hours + price[c]*loading/4
		},
	}
	return t.found(d), nil
}

// staffingTask is the loss of a service, depending on how many people do which work. Too few make customers wait, and too many are
// paid for nothing. A trial runs the service for a week, so it costs what the staff costs.
func staffingTask(d *dice, _ string) (*Task, error) {
	need := []float64{d.between(3, 12), d.between(3, 12), d.between(2, 8), d.between(1, 5)}
	names := []string{"cooks", "waiters", "cleaners", "managers"}
	most := []float64{20, 20, 12, 8}
	wage := []float64{1.5, 1, 0.8, 2.5}
	var params []space.Param
	for i, name := range names {
		params = append(params, whole(name, 1, most[i]))
	}
	t := &Task{
		Goal: study.Minimize, Budget: 30, Params: params,
		Evaluate: func(s space.Setting) (loss, cost float64) {
			wait := 1.0
			for i, name := range names {
				n := number(s, name)
				cost += wage[i] * n
				wait += math.Exp(-1.2 * (n - need[i]) / math.Sqrt(need[i]))
			}
			return 12*math.Log(wait) + cost, cost
		},
	}
	return t.found(d), nil
}
