package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/spirals"
)

// exampleCommand is `eke example`: programs to tune, for those who want to see eke at work before they have one of their own.
func exampleCommand() *cobra.Command {
	return family(&cobra.Command{
		Use:   "example",
		Short: "Run a built-in program to tune",
		Long: `Run a built-in program to tune, so that a first study needs nothing but eke.

These programs know nothing about studies. They take flags and print a result, as any program might.`,
	}, exampleSpiralsCommand())
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

After every tenth epoch, and after the last, it prints a line, which eke reads:

  {"step":30,"objective":0.334,"accuracy":0.86}

The objective is the log-loss on points that the network has not seen. Guessing gives 0.69, and a run that
diverges at most 5. The same flags give the same result, and a run of 30 epochs is the beginning of one of 90.
With --checkpoint, or in a study with resume, it goes on where the last run with the same flags ended.`,
		Example: "  eke example spirals --width=24 --layers=2 --rate=0.02 --epochs=200 --optimizer=adam",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return trainSpirals(cmd, o) },
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Width, "width", o.Width, "units per hidden layer")
	flags.IntVar(&o.Layers, "layers", o.Layers, "hidden layers")
	flags.Float64Var(&o.Rate, "rate", o.Rate, "initial learning rate; it falls to 0")
	flags.IntVar(&o.Epochs, "epochs", o.Epochs, "passes through the data")
	flags.StringVar(&o.Optimizer, "optimizer", o.Optimizer, "adam or sgd")
	flags.Float64Var(&o.Momentum, "momentum", o.Momentum, "momentum of sgd; 0 means none")
	flags.StringVar(&o.Activation, "activation", o.Activation, "tanh or relu")
	flags.IntVar(&o.Batch, "batch", o.Batch, "points per step")
	flags.StringVar(&o.Checkpoint, "checkpoint", os.Getenv(engine.CheckpointVariable), "folder to go on from, and to save the network in")
	flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed of the points and of the initial weights")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unfit *pflag.InvalidValueError
		if errors.As(err, &unfit) {
			return usage(spirals.Hint(unfit.GetFlag().Name), "--%s is %q", unfit.GetFlag().Name, unfit.GetValue())
		}
		return flagMistake(cmd, err)
	})
	return cmd
}

// trainSpirals trains, and prints how well the network does as it learns. Every line is one that a study reads.
func trainSpirals(cmd *cobra.Command, o spirals.Options) error {
	var unheard error
	o.Progress = func(epoch int, sofar spirals.Result) {
		unheard = errors.Join(unheard, json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
			Step      int     `json:"step"`
			Objective float64 `json:"objective"`
			Accuracy  float64 `json:"accuracy"`
		}{epoch, sofar.Loss, sofar.Accuracy}))
	}
	// For package spirals zero means the default, but a zero that was typed is a mistake.
	if err := o.Check(); err != nil {
		return err
	}
	if _, err := spirals.Train(cmd.Context(), o); err != nil {
		return err
	}
	return unheard
}
