package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func budgetCommand(a *app) *cobra.Command {
	return family(&cobra.Command{Use: "budget", Short: "Raise a study's budget"}, budgetAddCommand(a))
}

func budgetAddCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "add [STUDY] AMOUNT",
		Short: "Add to a study's budget",
		Long: `Add an amount to a study's budget, in the unit of its cost. If that is wall time, give seconds or a duration such as 2h.

You can also change budget.total in the study file: the next eke run books the difference. There the budget can be lowered too, but
not below what is spent and reserved.`,
		Example: `  eke budget add 50
  eke budget add kiln 50`,
		SuggestFor:        []string{"raise", "increase", "more"},
		ValidArgsFunction: a.completeStudies,
		Args:              from1To(2, "write: eke budget add [STUDY] AMOUNT", "the amount is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, amount := studyAnd(args)
			return a.addBudget(cmd.Context(), arg, strings.TrimPrefix(amount, "+"))
		},
	}
}

func (a *app) addBudget(ctx context.Context, arg, amount string) error {
	d, err := a.study(ctx, arg, known)
	if err != nil {
		return err
	}
	s, more := d.Study(), 0.0
	if err := positive("the amount", amount, s.Cost, &more); err != nil {
		return err
	}
	if more == 0 {
		return usage("write: eke budget add [STUDY] AMOUNT", "the amount is missing")
	}
	if err := d.AddBudget(ctx, more); err != nil {
		return err
	}
	record, err := d.Record(ctx)
	if err != nil {
		return err
	}
	l := record.Ledger
	told := struct {
		Study string `json:"study"`
		study.Ledger
		Left float64 `json:"left"`
	}{s.Name, l, l.Left()}
	return a.show(told, func() {
		a.printf("study %s: the budget is now %s (%s added)\n", s.Name, say.Amount(s.Cost, l.Total), say.Amount(s.Cost, more))
		a.printBudget(s, l)
	})
}
