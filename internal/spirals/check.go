package spirals

import (
	"cmp"
	"fmt"
	"slices"
)

// OptionError says which option cannot be, and what to do about it.
type OptionError struct {
	Option string // lower case, as the flags of eke example spirals are called
	Value  any
	Hint   string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("spirals: %s is %v; %s", e.Option, e.Value, e.Hint)
}

// Limits keep a slip of the finger from taking the machine's memory or the rest of the day.
const (
	maxWidth  = 1024
	maxLayers = 8
	maxEpochs = 100_000
	maxRate   = 1000
)

var (
	optimizers  = []string{"adam", "sgd"}
	activations = []string{"tanh", "relu"}
)

// Expected says what an option may be.
func Expected(option string) string {
	whole := func(most int) string { return fmt.Sprintf("give a whole number from 1 to %d", most) }
	switch option {
	case "width":
		return whole(maxWidth)
	case "layers":
		return whole(maxLayers)
	case "epochs":
		return whole(maxEpochs)
	case "batch":
		return whole(trainingPoints)
	case "rate":
		return fmt.Sprintf("give a number above 0 and at most %d", maxRate)
	case "momentum":
		return "give a number from 0 to below 1"
	case "optimizer":
		return "give adam or sgd"
	case "activation":
		return "give tanh or relu"
	case "seed":
		return "give a whole number from 0"
	}
	return ""
}

func (o Options) withDefaults() Options {
	o.Width, o.Layers, o.Epochs, o.Batch = cmp.Or(o.Width, 8), cmp.Or(o.Layers, 1), cmp.Or(o.Epochs, 50), cmp.Or(o.Batch, 32)
	o.Optimizer, o.Activation = cmp.Or(o.Optimizer, optimizers[0]), cmp.Or(o.Activation, activations[0])
	o.Rate = cmp.Or(o.Rate, 0.01)
	return o
}

// Check returns the first option that cannot be, as *OptionError. It takes a zero for what it is, not for a default.
func (o Options) Check() error {
	within := func(n, most int) bool { return 1 <= n && n <= most }
	for _, c := range []struct {
		option string
		value  any
		good   bool
	}{
		{"width", o.Width, within(o.Width, maxWidth)},
		{"layers", o.Layers, within(o.Layers, maxLayers)},
		{"rate", o.Rate, o.Rate > 0 && o.Rate <= maxRate},
		{"epochs", o.Epochs, within(o.Epochs, maxEpochs)},
		{"optimizer", o.Optimizer, slices.Contains(optimizers, o.Optimizer)},
		{"momentum", o.Momentum, o.Momentum >= 0 && o.Momentum < 1},
		{"activation", o.Activation, slices.Contains(activations, o.Activation)},
		{"batch", o.Batch, within(o.Batch, trainingPoints)},
	} {
		if !c.good {
			return &OptionError{Option: c.option, Value: c.value, Hint: Expected(c.option)}
		}
	}
	return nil
}
