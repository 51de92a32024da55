package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Values of simulations are often steep: the best settings differ by little, and elsewhere, where queues grow, stocks run out or devices burn, values are many times
// worse.

// steepRecipes lists such problems, which are of the family Programs. Constants are drawn for every replication.
func steepRecipes() []recipe {
	return []recipe{
		{"queue-program", Programs, "dollars a day of a depot by its sorters, trucks and rules, with queues as Sakasegawa (1977) has them", queueProgram},
		{"fit-program", Programs, "the sum of squares of a curve of growth and decay, by its three constants and the solver's step", fitProgram},
		{"stock-program", Programs, "dollars a day of two stocks by when and how much is ordered, and by the carrier", stockProgram},
		{"cooling-program", Programs, "the price of a cooler and of the failures that it leaves (Arrhenius), by fins, height, fan and metal", coolingProgram},
		{"reactor-program", Programs, "dollars for a kilogram of a product that forms slowly and decays when it is too hot, by heat, time, load and catalyst", reactorProgram},
	}
}

// unlimited says that all settings count.
func unlimited(space.Setting) study.Metrics { return nil }

// queueing is the mean time that customers wait for one of some servers. If there are too few servers, the queue goes on growing.
func queueing(servers, each, rate float64) float64 {
	const most = 0.98
	busy := rate * each / servers
	held := math.Min(busy, most)
	return each*math.Pow(held, math.Sqrt(2*(servers+1))-1)/(servers*(1-held)) + 600*math.Max(busy-most, 0)
}

func queueProgram(d *dice, _ string) (*Task, error) {
	rate, each, round, ages := d.ratio(2, 4), d.ratio(2, 3.5), d.ratio(15, 40), d.between(0.3, 1.7)
	factor := map[string]float64{"fifo": 1, "sjf": d.between(0.5, 0.9), "express": d.between(0.5, 0.9)}
	t := &Task{
		Goal: study.Minimize, Report: unlimited,
		Params: []space.Param{choice("discipline", "fifo", "sjf", "express"), whole("sorters", 3, 20), whole("trucks", 1, 12), logWhole("load", 5, 80), logFloat("hold", 2, 60),
			when(float("aging", 0, 2), "discipline", space.String("express"))},
		Evaluate: func(s space.Setting) (value, cost float64) {
			sorters, trucks, hold := number(s, "sorters"), number(s, "trucks"), number(s, "hold")
			load, wait := math.Min(number(s, "load"), 1+rate*hold), factor[s["discipline"].String()]
			if s["discipline"].String() == "express" {
				off := number(s, "aging") - ages
				wait *= 1 + off*off
			}
			wait *= queueing(sorters, each, rate)
			wait += load/rate/2 + queueing(trucks, round+0.4*load, rate/load)
			return 220*sorters + 70*trucks + 600*rate*(9/load+0.03*wait), 0.2 + 0.1*sorters + 0.05*trucks
		},
	}
	return t.program(d), nil
}

func fitProgram(d *dice, _ string) (*Task, error) {
	height, grows, fades, start, speed := d.ratio(0.3, 5), d.ratio(0.1, 2), d.ratio(0.005, 0.1), d.ratio(0.1, 1), d.ratio(0.01, 0.1)
	curve := func(a, k1, k2, at float64) float64 { return a * (1 - math.Exp(-k1*at)) * math.Exp(-k2*at) }
	rest := 0.001 * height * height
	t := &Task{
		Goal: study.Minimize, Report: unlimited,
		Params: []space.Param{logFloat("height", 0.1, 10), logFloat("grows", 0.01, 10), logFloat("fades", 0.001, 1), logFloat("step", 0.001, 1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			step := number(s, "step")
			for at := 1.0; at <= 20; at++ {
				off := curve(number(s, "height"), number(s, "grows"), number(s, "fades")*(1+0.3*step), at) - curve(height, grows, fades, at)
				value += off * off
			}
			return value + rest, start + speed/step
		},
	}
	return t.program(d), nil
}

func stockProgram(d *dice, _ string) (*Task, error) {
	demand, spread, order, missing := [2]float64{d.ratio(5, 50), d.ratio(5, 50)}, d.between(0.2, 0.6), d.ratio(20, 100), d.ratio(5, 40)
	lead, freight := map[string]float64{"ship": 9, "rail": 5, "air": 2}, map[string]float64{"ship": 0.1, "rail": 0.25, "air": d.between(0.5, 1)}
	t := &Task{
		Goal: study.Minimize, Report: unlimited,
		Params: []space.Param{choice("carrier", "ship", "rail", "air"), logWhole("point1", 5, 1000), logWhole("lot1", 10, 1000), logWhole("point2", 5, 1000), logWhole("lot2", 10, 1000)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			days, safe := lead[s["carrier"].String()], 0.0
			for i, name := range [][2]string{{"point1", "lot1"}, {"point2", "lot2"}} {
				point, lot, mean := number(s, name[0]), number(s, name[1]), demand[i]*days
				sd := spread * demand[i] * math.Sqrt(days)
				z := (point - mean) / sd
				short := sd * (math.Exp(-z*z/2)/math.Sqrt(2*math.Pi) - z*math.Erfc(z/math.Sqrt2)/2)
				value += order*demand[i]/lot + 0.05*math.Max(lot/2+point-mean, 0) + missing*demand[i]/lot*short + freight[s["carrier"].String()]*demand[i]
				safe += math.Min(math.Max(z, 0), 4)
			}
			return value, 0.2 + 0.1*days + math.Exp(safe/3)/5 // rare events take long
		},
	}
	return t.program(d), nil
}

func coolingProgram(d *dice, _ string) (*Task, error) {
	power, worth, best := d.ratio(50, 200), d.ratio(3, 30), d.between(0.3, 0.8)
	carries, price := map[string]float64{"aluminium": 1, "copper": 1.9, "steel": 0.25}, map[string]float64{"aluminium": 1, "copper": 3.5, "steel": 0.6}
	t := &Task{
		Goal: study.Minimize, Report: unlimited,
		Params: []space.Param{choice("metal", "aluminium", "copper", "steel"), whole("fins", 4, 60), logFloat("height", 5, 80), logFloat("thick", 0.3, 3), float("fan", 0, 1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			metal, fins, height, thick, fan := s["metal"].String(), number(s, "fins"), number(s, "height"), number(s, "thick"), number(s, "fan")
			gap := math.Max(80/fins-thick, 0.05)
			air := 0.00002 * (1 + 6*fan) * gap / (gap + 1.5)
			root := math.Sqrt(2000*air/(carries[metal]*thick)) * height / 10
			area := fins * height * math.Tanh(root) / math.Max(root, 1e-9)
			hot := math.Min(power/(0.05+2*air*area*10), 150)
			return price[metal]*(2+fins*height*thick/500) + 4*(fan-best)*(fan-best) + 3*fan + worth*math.Exp((hot-60)/12), 0.5 + fins*fins*height/5000
		},
	}
	return t.program(d), nil
}

func reactorProgram(d *dice, _ string) (*Task, error) {
	start, decays, energy, metal := d.between(90, 150), d.between(20, 50), d.ratio(0.5, 3), d.ratio(2, 10)
	helps := map[string]float64{"none": 1, "nickel": d.ratio(3, 10), "palladium": d.ratio(10, 40)}
	price := map[string]float64{"none": 0, "nickel": 1, "palladium": 4}
	t := &Task{
		Goal: study.Minimize, Report: unlimited,
		Params: []space.Param{choice("catalyst", "none", "nickel", "palladium"), float("celsius", 20, 220), logFloat("minutes", 1, 300), logFloat("load", 0.1, 5), float("stir", 0, 1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			catalyst, celsius, minutes, load, stir := s["catalyst"].String(), number(s, "celsius"), number(s, "minutes"), number(s, "load"), number(s, "stir")
			reacted := 1 - math.Exp(-0.002*minutes*(1+load*helps[catalyst])*(0.4+stir)*math.Exp((celsius-start)/12))
			kept := math.Exp(-0.001 * minutes * math.Exp((celsius-start-decays)/8))
			spent := 5 + energy*celsius/100*minutes/60 + metal*load*price[catalyst] + 2*stir
			return math.Min(spent/(reacted*kept+1e-9), 2e4), 0.5 + minutes/60 + load*price[catalyst]/4
		},
	}
	return t.program(d), nil
}
