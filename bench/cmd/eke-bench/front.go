package main

import (
	"path"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/front"
)

func frontCommand() *cobra.Command {
	var reps, first int
	var only, set, out string
	var policies, others []string
	var draw bool
	c := &cobra.Command{
		Use:   "front",
		Short: "Measure policies on problems with several objectives",
		Long: `Plays studies of problems with two or three objectives to the end of their money. For each policy it says the decimal logarithm of the
fraction of the hypervolume that is missing in the end, and the paired difference from the first policy. With --out runs are kept, and only what is missing is
played. The problems of LCBench need EKE_DATA. Other programs take part as in eke-bench suite; their values are lists.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var list []front.Recipe
			recipes, apart := front.Recipes(), true
			switch set {
			case "whole":
				recipes = front.Wholes()
			case "looks":
				recipes = front.Looks()
			case "trainings":
				recipes = front.Trainings()
			default:
				apart = false
			}
			for _, p := range recipes {
				match, err := path.Match(only, p.Name)
				if err != nil {
					return err
				}
				if match && (apart || set == "all" || (set == "validation") == p.Validation) {
					list = append(list, p)
				}
			}
			for _, command := range others {
				policies = append(policies, front.External+command)
			}
			if draw {
				list = nil
			}
			runs, err := front.Playing(c.Context(), list, policies, first, reps, out)
			if err != nil {
				return err
			}
			return front.Draw(c.OutOrStdout(), runs, policies)
		},
	}
	c.Flags().IntVar(&reps, "reps", 4, "replications")
	c.Flags().IntVar(&first, "first", 1, "the first replication")
	c.Flags().StringVar(&only, "only", "*", "a pattern of problems")
	c.Flags().StringVar(&set, "set", "all", "tuning, validation, all, whole: problems whose second objective is a whole number, looks: problems with a fidelity, with looks and without, or trainings: more of LCBench, for tuning")
	c.Flags().StringSliceVar(&policies, "policies", []string{"auto", "random"}, "the policies; the others are compared with the first")
	c.Flags().StringSliceVar(&others, "external", nil, "commands of other optimisers")
	c.Flags().StringVar(&out, "out", "", "a file of lines of JSON to keep runs in")
	c.Flags().BoolVar(&draw, "draw", false, "play nothing, draw what --out has")
	return c
}
