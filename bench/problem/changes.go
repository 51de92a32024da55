package problem

import (
	"fmt"
	"slices"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Problems where it costs something to change parameters from one trial to the next. Each is another problem of the suite with prices of changes, in mean costs of
// its trials, and half as much money again. One that has fidelities is played at the highest alone.

// changing is one of them.
type changing struct {
	name, of, about string
	prices          []changePrice
	learnt, says    bool // the study is not told the prices; trials report what they paid
	workers         int  // each with a setting of its own; 0: one
	validation      bool
}

// changePrice is the price of changing one parameter, by its number from 0, in mean costs of a trial. Across is the price of moving across the whole range, and
// down that of any change downwards, if it is not 0.
type changePrice struct {
	parameter           int
	fixed, across, down float64
}

var changingList = []changing{
	{name: "gp2-change", of: "gp2-independent", about: "one parameter has a price", prices: []changePrice{{parameter: 0, fixed: 2}}},
	{name: "gp4-change", of: "gp4-independent", about: "one parameter has a price", prices: []changePrice{{parameter: 0, fixed: 3}}},
	{name: "gp4-changes", of: "gp4-expensive", about: "two parameters have prices, good settings expensive", prices: []changePrice{{parameter: 0, fixed: 2}, {parameter: 1, fixed: 1}}, validation: true},
	{name: "gp2-distance", of: "gp2-smooth", about: "the price is by distance", prices: []changePrice{{parameter: 0, across: 8}}},
	{name: "gp4-distance", of: "gp4-smooth", about: "the price is by distance", prices: []changePrice{{parameter: 0, fixed: 0.5, across: 6}}, validation: true},
	{name: "branin-asymmetric", of: "branin-smooth", about: "up costs more than down", prices: []changePrice{{parameter: 0, fixed: 4, down: 0.5}}},
	{name: "hartmann3-asymmetric", of: "hartmann3-cheap", about: "up costs more than down, good settings cheap", prices: []changePrice{{parameter: 0, fixed: 3, down: 1}}, validation: true},
	{name: "levy4-change", of: "levy4-expensive", about: "one parameter has a price, good settings expensive", prices: []changePrice{{parameter: 1, fixed: 3}}},
	{name: "gp2-reported", of: "gp2-independent", about: "the price is learnt from what trials report", prices: []changePrice{{parameter: 0, fixed: 2}}, learnt: true, says: true},
	{name: "gp4-reported", of: "gp4-independent", about: "the price is learnt from what trials report", prices: []changePrice{{parameter: 0, fixed: 3}}, learnt: true, says: true, validation: true},
	{name: "gp2-unreported", of: "gp2-independent", about: "the price is learnt from whole costs", prices: []changePrice{{parameter: 0, fixed: 2}}, learnt: true},
	{name: "hartmann3-unreported", of: "hartmann3-cheap", about: "the price is learnt from whole costs", prices: []changePrice{{parameter: 0, fixed: 3}}, learnt: true, validation: true},
	{name: "gp4-workers", of: "gp4-smooth", about: "two workers", prices: []changePrice{{parameter: 0, fixed: 3}}, workers: 2},
	{name: "levy4-workers", of: "levy4-expensive", about: "two workers, good settings expensive", prices: []changePrice{{parameter: 1, fixed: 3}}, workers: 2, validation: true},
	{name: "network-change", of: "cnn-fidelity", about: "from a table of real trainings; a network of another first layer has a price", prices: []changePrice{{parameter: 2, fixed: 2}}, validation: true},
}

func changeRecipes() (list []recipe) {
	for _, c := range changingList {
		list = append(list, recipe{c.name, Changing, fmt.Sprintf("%s where changes cost something: %s", c.of, c.about), c.task})
	}
	return list
}

// Changes describes the tasks where changes cost something. They are a set of their own.
func Changes() (list []Info) {
	for _, r := range changeRecipes() {
		list = append(list, r.info())
	}
	return list
}

func isChangeValidation(name string) bool {
	return slices.ContainsFunc(changingList, func(c changing) bool { return c.name == name && c.validation })
}

// moreMoney is the budget in those of the problem without prices of changes.
const moreMoney = 1.5

func (c changing) task(d *dice, data string) (*Task, error) {
	list := slices.Concat(recipes(), fidelityRecipes())
	t, err := list[slices.IndexFunc(list, func(r recipe) bool { return r.name == c.of })].make(d, data)
	if err != nil {
		return nil, err
	}
	_, mean := t.typical(d.seed)
	t.Budget *= moreMoney
	t.Fidelity, t.Workers = nil, c.workers
	for _, p := range c.prices {
		param := t.Params[p.parameter]
		cost := p.fixed * mean
		entry := study.Changeover{Of: []string{param.Name}, Cost: &cost, PerUnit: p.across * mean / (param.Max - param.Min)}
		if p.down > 0 {
			down := p.down * mean
			entry.Down = &study.Downward{Cost: &down}
		}
		t.Changeover = append(t.Changeover, entry)
	}
	t.ChangesLearnt, t.ChangesReported = c.learnt, c.says
	return t, nil
}

// ChangePrice is what it costs to go from a setting to another; nil: nobody knows what is set.
func (t *Task) ChangePrice(from, to space.Setting) float64 {
	s := study.Study{Parameters: t.Params, Changeover: t.Changeover}
	return s.Fee(from, to).Known
}

// ToldChangeover is what a study is told of the prices of changes.
func (t *Task) ToldChangeover() (list []study.Changeover) {
	for _, c := range t.Changeover {
		if t.ChangesLearnt {
			c = study.Changeover{Of: c.Of}
		}
		list = append(list, c)
	}
	return list
}
