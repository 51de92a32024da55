package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/view"
	"github.com/eke-bo/eke/study"
)

func budgetCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "budget",
		Short: "Raise a study's budget",
		Args:  noVerb,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(budgetAddCommand(a))
	return cmd
}

func budgetAddCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "add [STUDY] AMOUNT",
		Short: "Add to a study's budget",
		Long: `Add an amount to a study's budget, in the unit of its cost. If that is wall time, give seconds or a duration such as 2h.

A budget cannot be lowered. The budget in the study file is the one that the study began with. Do not change it there.`,
		Example: `  eke budget add 50
  eke budget add kiln 50`,
		SuggestFor:        []string{"raise", "increase", "more"},
		ValidArgsFunction: a.completeStudies,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("write: eke budget add [STUDY] AMOUNT", "the amount is missing")
			}
			return atMost(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, text := "", args[0]
			if len(args) == 2 {
				arg, text = args[0], args[1]
			}
			d, err := a.study(cmd.Context(), arg, known)
			if err != nil {
				return err
			}
			s, more := d.Study(), 0.0
			if err := positive("the amount", strings.TrimPrefix(text, "+"), s.Cost, &more); err != nil {
				return err
			}
			if more == 0 {
				return usage("write: eke budget add [STUDY] AMOUNT", "the amount is missing")
			}
			if err := d.AddBudget(cmd.Context(), more); err != nil {
				return err
			}
			record, err := d.Record(cmd.Context())
			if err != nil {
				return err
			}
			l := record.Ledger
			if a.json {
				return a.printJSON(struct {
					Study string `json:"study"`
					study.Ledger
					Left float64 `json:"left"`
				}{s.Name, l, l.Left()})
			}
			a.printf("study %s: the budget is now %s\n", s.Name, say.Amount(s.Cost, l.Total))
			a.printf("%s  %s\n", view.Gauge(l, gaugeWidth), say.Account(s.Cost, l, nil))
			return nil
		},
	}
}
