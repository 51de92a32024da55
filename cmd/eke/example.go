package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/spirals"
)

// exampleCommand is `eke example`: programs to tune, for those who want to see eke at work before they have one of their own.
func exampleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "example",
		Short: "Run a built-in program to tune",
		Long: `Run a built-in program to tune, so that a first study needs nothing but eke.

These programs know nothing about studies. They take flags and print a result, as any program might.`,
		Args: noVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(exampleSpiralsCommand())
	return cmd
}

func exampleSpiralsCommand() *cobra.Command {
	// What the flags say if they are not given: the defaults of package spirals, where a person can see them.
	o := spirals.Options{Width: 8, Layers: 1, Rate: 0.01, Epochs: 50, Optimizer: "adam", Activation: "tanh", Batch: 32}
	cmd := &cobra.Command{
		Use:   "spirals",
		Short: "Train a small neural network to tell two spirals apart",
		Long: `Train a small neural network to tell two intertwined spirals apart, and print how well it does.

The quickstart tunes this program: it is the command in examples/quickstart/study.yaml. The network is really
trained, on generated points. So wide and deep networks and many epochs take longer: from hundredths of a
second to seconds. The defaults do badly.

Progress goes to stderr. The last line of stdout is the result, which eke reads:

  {"objective":0.123,"accuracy":0.97}

The objective is the log-loss on points that the network has not seen. Guessing gives 0.69, and a run that
diverges at most 5. The same flags give the same result.`,
		Example: "  eke example spirals --width=24 --layers=2 --rate=0.02 --epochs=200 --optimizer=adam",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return trainSpirals(cmd, o)
		},
	}
	flags := cmd.Flags()
	whole := func(to *int, name, usage string) { flags.Var(optionFlag[int]{to, name, strconv.Atoi}, name, usage) }
	float := func(to *float64, name, usage string) {
		flags.Var(optionFlag[float64]{to, name, parseFloat}, name, usage)
	}
	whole(&o.Width, "width", "units per hidden layer")
	whole(&o.Layers, "layers", "hidden layers")
	float(&o.Rate, "rate", "initial learning rate; it falls to 0")
	whole(&o.Epochs, "epochs", "passes through the data")
	flags.StringVar(&o.Optimizer, "optimizer", o.Optimizer, "adam or sgd")
	float(&o.Momentum, "momentum", "momentum of sgd; 0 means none")
	flags.StringVar(&o.Activation, "activation", o.Activation, "tanh or relu")
	whole(&o.Batch, "batch", "points per step")
	flags.Var(optionFlag[uint64]{&o.Seed, "seed", parseSeed}, "seed", "seed of the points and of the initial weights")
	return cmd
}

// trainSpirals trains, shows its progress on stderr, and prints the result.
func trainSpirals(cmd *cobra.Command, o spirals.Options) error {
	o.Progress = func(epoch int, sofar spirals.Result) {
		fmt.Fprintf(cmd.ErrOrStderr(), "epoch %d of %d: loss %.4f, accuracy %.3f\n", epoch, o.Epochs, sofar.Loss, sofar.Accuracy)
	}
	// For package spirals zero means the default, but a zero that was typed is a mistake.
	if err := o.Check(); err != nil {
		return flagError(err)
	}
	result, err := spirals.Train(cmd.Context(), o)
	if err != nil {
		return flagError(err)
	}
	return printResult(cmd.OutOrStdout(), result)
}

// printResult writes the line that a study reads.
func printResult(w io.Writer, r spirals.Result) error {
	line, err := json.Marshal(struct {
		Objective float64 `json:"objective"`
		Accuracy  float64 `json:"accuracy"`
	}{r.Loss, r.Accuracy})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}

// flagError names the flag of an option that has an impossible value.
func flagError(err error) error {
	var bad *spirals.OptionError
	if errors.As(err, &bad) {
		return usage(bad.Hint, "--%s is %v", bad.Option, bad.Value)
	}
	return err
}

// optionFlag is a flag that says what it expects if it cannot read its value.
type optionFlag[T any] struct {
	to    *T
	name  string
	parse func(string) (T, error)
}

func (f optionFlag[T]) Set(text string) error {
	value, err := f.parse(text)
	if err != nil {
		return fault.New(fault.BadRequest, spirals.Expected(f.name), "%q cannot be read", text)
	}
	*f.to = value
	return nil
}

func (f optionFlag[T]) String() string {
	if f.to == nil { // pflag asks the zero flag for its zero value
		return ""
	}
	return fmt.Sprint(*f.to)
}

func (f optionFlag[T]) Type() string {
	var zero T
	if _, ok := any(zero).(float64); ok {
		return "number"
	}
	return "whole"
}

func parseFloat(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

func parseSeed(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
