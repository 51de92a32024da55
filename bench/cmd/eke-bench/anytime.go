package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/suite"
)

func anytimeCommand() *cobra.Command {
	var (
		e            suite.Experiment
		out, against string
		names        []string
	)
	c := &cobra.Command{
		Use:   "anytime FOLDER...",
		Short: "Show how good policies are with each fraction of the money, from kept runs",
		Long: `Reads the runs that eke-bench suite has left in folders, and shows regret against money: normalised regret with 25, 50 and
100 % of it, mean ranks, and how much money one policy needs for what the others have at the end, with bootstrap intervals. It
prints a table for all tasks, for those for tuning and for those for validation, and writes a picture of each, more tables
(anytime.md: families, ranks, workers, and the tasks on which another policy is ahead) and the curves as numbers (anytime.csv).

Normalised regret is the distance between the optimum and the reported best, in units of that of a median setting. The optimum
is fixed; no run of a policy has found it. Only values at the highest fidelity count.

With --set lcbench, runs of lcbench-full take part as other policies ("default, full trainings").`,
		Example: "  eke-bench anytime build/lcbench build/rivals --set lcbench --name 'external:python3 gp.py=GPSampler'",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			short := map[string]string{}
			for _, n := range names {
				at := strings.LastIndex(n, "=")
				if at <= 0 {
					return fmt.Errorf("--name %q: give LABEL=NAME", n)
				}
				short[n[:at]] = n[at+1:]
			}
			return suite.Anytime(c.OutOrStdout(), out, args, e, against, short)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&e.Policies, "policies", nil, "policies to show; none: all that have runs")
	f.IntSliceVar(&e.Workers, "workers", []int{1}, "with --policies: how many trials at a time")
	f.StringSliceVar(&e.Only, "only", nil, "names or patterns of problems, such as 'gp4-*'")
	f.StringVar(&e.Set, "set", suite.LCBench, "problems to show, as for eke-bench suite")
	f.StringVar(&against, "against", "default", "the policy whose money is compared with that of the others")
	f.StringArrayVar(&names, "name", nil, "what to call a policy, as `LABEL=NAME`; repeat for more")
	f.StringVar(&e.Data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA)")
	f.StringVar(&out, "out", "build/anytime", "folder to write to; it is created if necessary")
	return c
}
