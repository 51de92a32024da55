package main

import (
	"path"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/front"
)

func frontCommand() *cobra.Command {
	var reps int
	var only, set string
	var policies []string
	c := &cobra.Command{
		Use:   "front",
		Short: "Measure policies on problems with several objectives",
		Long: `Plays studies of problems with two or three objectives to the end of their money. For each policy it says the decimal logarithm of the
fraction of the hypervolume that is missing in the end, and the paired difference from the first policy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var list []front.Problem
			for _, p := range front.Problems() {
				match, err := path.Match(only, p.Name)
				if err != nil {
					return err
				}
				if match && (set == "all" || (set == "validation") == p.Validation) {
					list = append(list, p)
				}
			}
			return front.Compare(c.Context(), c.OutOrStdout(), list, policies, reps)
		},
	}
	c.Flags().IntVar(&reps, "reps", 4, "replications")
	c.Flags().StringVar(&only, "only", "*", "a pattern of problems")
	c.Flags().StringVar(&set, "set", "all", "tuning, validation or all")
	c.Flags().StringSliceVar(&policies, "policies", []string{"auto", "random"}, "the policies")
	return c
}
