package main

import (
	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/suite"
)

func changesCommand() *cobra.Command {
	var data, against string
	c := &cobra.Command{
		Use:   "changes FOLDER...",
		Short: "Show what it is worth to know the prices of changes, from kept runs",
		Long: `Reads the runs that eke-bench suite --set changeover has left in folders. It compares default, which is told the prices of
changes, with default-changes, which pays them and is not told: regret at the end, the part of the money that changes took, and the
money with which the one is as good as the other at its end. Where prices are learnt, it compares default with default@known.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return suite.ChangeReport(c.OutOrStdout(), args, against, data)
		},
	}
	c.Flags().StringVar(&against, "against", "default", "the policy that further ones are compared with")
	c.Flags().StringVar(&data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA)")
	return c
}
