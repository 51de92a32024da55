package spirals

import (
	"cmp"
	"fmt"

	"github.com/eke-bo/eke/internal/fault"
)

// Limits keep a slip of the finger from taking the machine's memory or the rest of the day.
const maxWidth, maxLayers, maxEpochs, maxRate = 1024, 8, 100_000, 1000

// check is an option's value, whether it can be, and what it may be.
type check struct {
	option string // as the flags of eke example spirals are called
	value  any
	good   bool
	hint   string
}

func (o Options) checks() []check {
	whole := func(option string, n, most int) check {
		return check{option, n, 1 <= n && n <= most, fmt.Sprintf("give a whole number from 1 to %d", most)}
	}
	either := func(option, given, a, b string) check {
		return check{option, given, given == a || given == b, "give " + a + " or " + b}
	}
	return []check{
		whole("width", o.Width, maxWidth),
		whole("layers", o.Layers, maxLayers),
		{"rate", o.Rate, o.Rate > 0 && o.Rate <= maxRate, fmt.Sprintf("give a number above 0 and at most %d", maxRate)},
		whole("epochs", o.Epochs, maxEpochs),
		either("optimizer", o.Optimizer, "adam", "sgd"),
		{"momentum", o.Momentum, o.Momentum >= 0 && o.Momentum < 1, "give a number from 0 to below 1"},
		either("activation", o.Activation, "tanh", "relu"),
		whole("batch", o.Batch, trainingPoints),
		{"seed", o.Seed, true, "give a whole number from 0"},
	}
}

// Hint says what an option may be.
func Hint(option string) string {
	for _, c := range (Options{}).checks() {
		if c.option == option {
			return c.hint
		}
	}
	return ""
}

// Check names the first option that cannot be, by its flag. It takes a zero for what it is, not for a default.
func (o Options) Check() error {
	for _, c := range o.checks() {
		if !c.good {
			return fault.New(fault.BadRequest, c.hint, "--%s is %v", c.option, c.value)
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Width, o.Layers, o.Epochs, o.Batch = cmp.Or(o.Width, 8), cmp.Or(o.Layers, 1), cmp.Or(o.Epochs, 50), cmp.Or(o.Batch, 32)
	o.Optimizer, o.Activation, o.Rate = cmp.Or(o.Optimizer, "adam"), cmp.Or(o.Activation, "tanh"), cmp.Or(o.Rate, 0.01)
	return o
}
