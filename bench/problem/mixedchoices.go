package problem

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// ovenTask is how well a glaze turns out. Each glaze has a heat and a time of its own at which it is best, and the one that can be best is
// poor where the others are good. Heat and time cost money.
func ovenTask(d *dice, _ string) (*Task, error) {
	glazes := []string{"ash", "celadon", "tin"}
	best := d.IntN(len(glazes))
	top, heat, hours := make([]float64, 3), make([]float64, 3), make([]float64, 3)
	commonHeat, commonHours := d.between(0.25, 0.75), d.between(0.25, 0.75)
	for i := range glazes {
		top[i] = d.between(2.8, 3.3)
		heat[i], hours[i] = commonHeat+d.between(-0.1, 0.1), commonHours+d.between(-0.1, 0.1)
	}
	top[best] = d.between(3.6, 4)
	heat[best], hours[best] = away(d, commonHeat), away(d, commonHours)
	t := &Task{
		Goal: study.Maximize, Budget: 20,
		Params: []space.Param{float("heat", 900, 1300), float("hours", 1, 11), choice("glaze", glazes...)},
		Evaluate: func(s space.Setting) (beauty, cost float64) {
			i := slices.Index(glazes, s["glaze"].String())
			u, v := (number(s, "heat")-900)/400, (number(s, "hours")-1)/10
			a, b := (u-heat[i])/0.3, (v-hours[i])/0.35
			return top[i] - 1.5*math.Log1p(a*a+b*b), 1 + 2*u + 5*v
		},
	}
	return t.found(d), nil
}

// away draws a place that is far from another, but not at the end of the unit interval.
func away(d *dice, from float64) float64 {
	if from > 0.5 {
		return from - d.between(0.3, 0.4)
	}
	return from + d.between(0.3, 0.4)
}

// varieties is a Gaussian-process sample for every combination of choices. All have a part in common.
type varieties struct {
	floats      int
	choices     []space.Param
	correlation [2]float64 // between the samples of two combinations that share no value: the range that it is drawn from
	length      float64
	price       pricing
	spread      float64 // standard deviation of the logarithm of a value's own price
	trials      float64
}

func (v varieties) task(d *dice, _ string) (*Task, error) {
	common := d.between(v.correlation[0], v.correlation[1])
	lengths := lengthsAround(d, v.floats, v.length)
	shared := drawSample(d, matern52, lengths).scaled(math.Sqrt(common))
	params := cubeParams(v.floats)
	own, surcharge := make([][]*sample, len(v.choices)), make([][]float64, len(v.choices))
	for i, c := range v.choices {
		params = append(params, c)
		for range c.Values {
			own[i] = append(own[i], drawSample(d, matern52, lengths).scaled(math.Sqrt((1-common)/float64(len(v.choices)))))
			surcharge[i] = append(surcharge[i], v.spread*d.NormFloat64())
		}
	}
	price := v.price(d, v.floats, standardised(shared.at, v.floats, d.seed))
	t := &Task{Goal: study.Maximize, Budget: v.trials, Params: params}
	t.Evaluate = func(s space.Setting) (value, cost float64) {
		u := make([]float64, v.floats)
		for j := range u {
			u[j] = number(s, params[j].Name)
		}
		value, lnCost := shared.at(u), price(u)
		for i, c := range v.choices {
			k := slices.Index(c.Values, s[c.Name])
			value, lnCost = value+own[i][k].at(u), lnCost+surcharge[i][k]
		}
		return value, math.Exp(lnCost)
	}
	t.Best = math.Inf(-1)
	for _, parts := range combinations(own) {
		best := plus(append(parts, shared)).maximum(d.seed)
		t.Best = math.Max(t.Best, best)
	}
	return t.finish(d.seed), nil
}

func cubeParams(n int) (list []space.Param) {
	for _, name := range []string{"x", "y", "z"}[:n] {
		list = append(list, float(name, 0, 1))
	}
	return list
}

// combinations returns every way to take one of each list.
func combinations[T any](lists [][]T) [][]T {
	all := [][]T{nil}
	for _, list := range lists {
		var longer [][]T
		for _, head := range all {
			for _, v := range list {
				longer = append(longer, append(slices.Clone(head), v))
			}
		}
		all = longer
	}
	return all
}
