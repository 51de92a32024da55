package eke

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Trial is a setting to try, and why.
type Trial struct {
	Number  int           // Number counts the study's trials from 1. Tell and Fail want it.
	Setting space.Setting // Setting has a value for every parameter that exists under it.
	Why     advisor.Why   // Why tells who chose the setting, and what is expected of it.

	params []space.Param
}

// Float returns the value of a parameter that is a number, and NaN if it does not exist under this setting. Like Int,
// String and Bool it panics if the study has no parameter of that name.
func (t Trial) Float(name string) float64 {
	x, ok := t.value(name).Number()
	if !ok {
		return math.NaN()
	}
	return x
}

// Int returns the value of a parameter that is a whole number, and 0 if it does not exist under this setting.
func (t Trial) Int(name string) int {
	x, _ := t.value(name).Number()
	return int(x)
}

// String returns the value of any parameter as text, and nothing if it does not exist under this setting.
func (t Trial) String(name string) string { return t.value(name).String() }

// Bool returns the value of a parameter that is true or false, and false if it does not exist under this setting.
func (t Trial) Bool(name string) bool {
	b, _ := t.value(name).Any().(bool)
	return b
}

// X returns the values of all parameters that are numbers, in the order of Config.Parameters: of a box, the point. A fidelity that has a range
// comes last.
func (t Trial) X() []float64 {
	var x []float64
	for _, p := range t.params {
		if p.Kind == space.KindFloat || p.Kind == space.KindInt {
			x = append(x, t.Float(p.Name))
		}
	}
	return x
}

func (t Trial) value(name string) space.Value {
	if !slices.ContainsFunc(t.params, func(p space.Param) bool { return p.Name == name }) {
		panic(fmt.Sprintf("eke: the study has no parameter %q", name))
	}
	return t.Setting[name]
}

// Result is a trial that has ended, or a result that was known already.
type Result struct {
	Trial
	State  study.State // State is how the trial ended. Only one that is done has a value.
	Value  float64     // Value is what the experiment returned.
	Cost   float64     // Cost is what the trial was charged; of a known result, what it cost elsewhere.
	Beyond bool        // Beyond says that the cost went past the budget: the value is on record, but does not count.
	Known  bool        // Known says that the result came from elsewhere, as by Observe. It has no number and was not charged.
	Note   string      // Note says what went wrong.

	Metrics  study.Metrics // Metrics are the other numbers that the experiment returned.
	Violates []string      // Violates are the limits that the trial is not known to meet: if there are any, the value does not count.

	// Estimate is what is known about the value of the best setting if evaluations have noise. Only Best sets it.
	Estimate *advisor.Estimate
}

func (o *Optimizer) trial(t study.Trial) Trial {
	why, _ := advisor.WhyOf(t.Why)
	return Trial{Number: t.Number, Setting: t.Setting, Why: why, params: o.params}
}

func (o *Optimizer) result(t study.Trial) Result {
	return Result{Trial: o.trial(t), State: t.State, Value: t.Value, Cost: t.Charged, Beyond: t.Beyond, Known: t.Known, Note: t.Note, Metrics: t.Metrics, Violates: t.Violates}
}
