package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/rest"
)

func restCommand() *cobra.Command {
	var o studyOptions
	var policy string
	c := &cobra.Command{
		Use:   "rest",
		Short: "Measure forecasts of what the rest of the money buys, and the rule that ends a study",
		Long: `Plays studies of the suite's problems to the end of their money, and adds each as a line to results.jsonl in the folder. If
you start it again, it continues where it was.

Then it forecasts the rest of each study at 25, 50 and 75 % of its budget, and says how often the best value at the end was in
the band of 80 %. It also asks the default rule to stop before every trial, and says how much of the spread of the values would
have been given away, and how much money saved. Problems with noisy values do not count.

The best value may also stay the same. Where the forecast gives that more than one chance in ten, the band begins at the present
value and claims to hold 90 % or more. "claimed" is the mean of what bands claim to hold. "split" counts such an outcome in parts,
as if each of the equal values had a quantile of its own; of forecasts that are right, 80 % are held.

A study has converged if its best value was within a thousandth of the spread of the optimum when half of the money was spent,
and it is steady if its best value improved by less than that afterwards.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Policies = []string{policy}
			return runRest(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	c.Flags().StringVar(&policy, "policy", "default", "the policy that plays the studies")
	o.addFlags(c.Flags(), 4, "build/rest")
	c.Flags().Lookup("set").Usage += "; or fidelity-tuning, fidelity-validation or fidelity"
	return c
}

func runRest(ctx context.Context, w, errw io.Writer, o studyOptions) error {
	runs, err := o.Keys(leftOut(errw))
	if err != nil {
		return err
	}
	keys := make([]rest.Key, len(runs))
	for i, k := range runs {
		keys[i] = rest.Key{Problem: k.Problem, Policy: k.Policy, Number: k.Number}
	}
	courses, err := played(ctx, errw, o, rest.Folder(o.dir), keys, rest.Play)
	if err != nil {
		return err
	}
	return rest.Report(ctx, w, courses, o.jobs)
}
