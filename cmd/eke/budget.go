package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func budgetCommand(a *app) *cobra.Command {
	return family(&cobra.Command{Use: "budget", Short: "Raise a study's budget"}, budgetAddCommand(a))
}

func budgetAddCommand(a *app) *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "add [STUDY] AMOUNT",
		Short: "Add to a study's budget",
		Long: `Add an amount to a study's budget, in the unit of its cost. If that is wall time, give seconds or a duration such as 2h.

With --dry-run, nothing is added. Instead, it says what the amount is expected to buy.

You can also change budget.total in the study file: the next eke run books the difference. There the budget can be lowered too, but
not below what is spent and reserved.`,
		Example: `  eke budget add 50 --dry-run
  eke budget add 50
  eke budget add kiln 50`,
		SuggestFor:        []string{"raise", "increase", "more"},
		ValidArgsFunction: a.completeStudies,
		Args:              from1To(2, "write: eke budget add [STUDY] AMOUNT", "the amount is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, amount := studyAnd(args)
			if beginsLikeANumber(arg) && !beginsLikeANumber(amount) {
				return usage("write: eke budget add "+amount+" "+arg, "the study comes first, and then the amount")
			}
			return a.addBudget(cmd.Context(), arg, strings.TrimPrefix(amount, "+"), dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "add nothing; say what the amount is expected to buy")
	return a.onServers(cmd)
}

// toLower is the hint for whoever adds less than nothing.
const toLower = "give an amount above zero; to lower the budget, change budget.total in the study file"

// beginsLikeANumber reports whether a word may be an amount.
func beginsLikeANumber(word string) bool {
	word = strings.TrimLeft(word, "+-.")
	return word != "" && '0' <= word[0] && word[0] <= '9'
}

func (a *app) addBudget(ctx context.Context, arg, amount string, dry bool) error {
	d, err := a.study(ctx, arg, known)
	if err != nil {
		return err
	}
	s, more := d.Study(), 0.0
	if err := positive("the amount", amount, s.Cost, &more); more < 0 {
		return usage(toLower, "the amount is %s, and is to be added", amount)
	} else if err != nil {
		return err
	}
	if more == 0 {
		return usage("write: eke budget add [STUDY] AMOUNT", "the amount is missing")
	}
	if dry {
		return a.wouldBuy(ctx, d, more)
	}
	if err := a.orders(d).AddBudget(ctx, more); err != nil {
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

// wouldBuy says what an amount is expected to buy, beside what the rest of the money buys without it.
func (a *app) wouldBuy(ctx context.Context, d *broker.Broker, more float64) error {
	s := d.Study()
	record, err := d.Record(ctx)
	if err != nil {
		return err
	}
	out := struct {
		Study string      `json:"study"`
		Added float64     `json:"added"`
		Now   *study.Rest `json:"now"`  // what the rest of the money buys; null: there is none, or nobody knows
		With  *study.Rest `json:"with"` // the same with the amount; null: nobody knows
	}{Study: s.Name, Added: more}
	if out.Now, err = restOf(ctx, d, record, 0); err != nil {
		return err
	}
	if out.With, err = restOf(ctx, d, record, more); err != nil {
		return err
	}
	return a.show(out, func() {
		a.printf("study %s: nothing is added yet\n", s.Name)
		switch {
		case out.With == nil && record.Closed:
			a.printf("The study has ended, so no amount would buy anything.\n")
		case out.With == nil && say.NoneFeasible(s, record) != "":
			a.printf("No result meets the limits yet, so nobody can say what %s would buy.\n", say.Amount(s.Cost, more))
		case out.With == nil && len(record.Limits) > 0:
			a.printf("There are not enough results yet, or none meets the limits by the models, so nobody can say what %s would buy.\n", say.Amount(s.Cost, more))
		case out.With == nil:
			a.printf("There are not enough results yet to say what %s would buy.\n", say.Amount(s.Cost, more))
		default:
			a.printRest(s, out.Now)
			a.printf("%s.\n", capital(say.RestWith(s, more, out.With)))
		}
	})
}

func pauseCommand(a *app) *cobra.Command {
	return a.ofStudy(known, &cobra.Command{
		Use:   "pause [STUDY]",
		Short: "Start no further trials until eke resume",
		Long:  `Start no further trials, in any run and on any worker, until eke resume. Trials under way go on. Runs and workers wait.`,
		Example: `  eke pause kiln
  eke resume kiln`,
		SuggestFor: []string{"hold", "suspend"},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
		if err := a.orders(d).Pause(ctx, true); err != nil {
			return err
		}
		return a.printStanding(ctx, d, func(r *study.Record) {
			a.printf("study %s is paused; %s under way; go on with: eke resume %s\n", d.Study().Name, say.Count(len(r.Open()), "trial"), a.called(d.Study()))
		})
	})
}

func resumeCommand(a *app) *cobra.Command {
	return a.ofStudy(known, &cobra.Command{
		Use:        "resume [STUDY]",
		Short:      "Let a paused study start trials again",
		Long:       `Let a paused study start trials again. Runs and workers that wait go on within seconds. If none is waiting, begin with eke run.`,
		Example:    `  eke resume kiln`,
		SuggestFor: []string{"unpause", "continue"},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
		if err := a.orders(d).Pause(ctx, false); err != nil {
			return err
		}
		return a.printStanding(ctx, d, func(*study.Record) { a.printf("study %s goes on\n", d.Study().Name) })
	})
}

func archiveCommand(a *app) *cobra.Command {
	var undo bool
	cmd := a.ofStudy(known, &cobra.Command{
		Use:   "archive [STUDY]",
		Short: "Put a study away, without losing anything",
		Long: `Put a study away: eke study list does not list it any more (--all does), and it starts no trials. Everything else works as before.
--undo takes it out again.`,
		Example: `  eke study archive kiln
  eke study archive kiln --undo`,
		SuggestFor: []string{"hide"},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
		if err := a.orders(d).Archive(ctx, !undo); err != nil {
			return err
		}
		return a.printStanding(ctx, d, func(*study.Record) {
			a.printf("study %s is %s\n", d.Study().Name, map[bool]string{true: "no longer archived", false: "archived"}[undo])
		})
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "take it out again")
	return cmd
}

// standing is how a study stands besides its money. Its JSON form is a promise.
type standing struct {
	Study    string `json:"study"`
	Paused   bool   `json:"paused"`
	Archived bool   `json:"archived"`
	Closed   bool   `json:"closed"`
	Open     int    `json:"open"` // trials under way
}

func (a *app) printStanding(ctx context.Context, d *broker.Broker, text func(r *study.Record)) error {
	r, err := d.Record(ctx)
	if err != nil {
		return err
	}
	return a.show(standing{d.Study().Name, r.Paused, r.Archived, r.Closed, len(r.Open())}, func() { text(r) })
}
