package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func copyCommand(a *app) *cobra.Command {
	var budget float64
	var results bool
	var c connection
	cmd := &cobra.Command{
		Use:   "copy [STUDY] NAME",
		Short: "Make a new study like another one",
		Long: `Make a new study like another one, under another name. It has no trials. With --results it knows the results of the other one, for
free, and goes on from there. To change more than the budget, edit a copy of the study file instead and run that.

With --server, both studies are on that server.`,
		Example: `  eke study copy kiln kiln-2 --budget 50 --results
  EKE_TOKEN=… eke study copy kiln kiln-2 --server https://eke.example.org`,

		SuggestFor:        []string{"cp", "duplicate", "clone", "fork"},
		ValidArgsFunction: a.completeStudies,
		Args:              from1To(2, "write: eke study copy [STUDY] NAME", "the new name is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, to := studyAnd(args)
			if err := study.CheckName(to); err != nil {
				return err
			}
			if cmd.Flags().Changed("budget") && (!(budget > 0) || budget > study.MaxAmount) {
				return usage("give an amount above 0", "--budget is %v", budget)
			}
			if c.server != "" {
				return a.copyOn(cmd.Context(), c, arg, api.CopyRequest{Name: to, Results: results}, budget)
			}
			return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
				defined := *d.Study()
				defined.Name = to
				if cmd.Flags().Changed("budget") {
					defined.Budget.Total = budget
				}
				return a.copyStudy(ctx, d, r, &defined, results)
			})
		},
	}
	c.add(cmd.Flags())
	cmd.Flags().Float64Var(&budget, "budget", 0, "the budget of the new study; that of the other one by default")
	cmd.Flags().BoolVar(&results, "results", false, "let it know the results of the other one")
	return cmd
}

func (a *app) copyStudy(ctx context.Context, d *broker.Broker, r *study.Record, defined *study.Study, results bool) error {
	made, err := broker.Create(ctx, a.opened, defined)
	if err != nil {
		return err
	}
	if err := made.Label(ctx, func(l *study.Labels) { l.Tags, l.Group = r.Labels.Tags, r.Labels.Group }); err != nil {
		return err
	}
	count := 0
	if results {
		var list []broker.Result
		for _, t := range r.Results() {
			list = append(list, broker.Result{Setting: t.Setting, Value: t.Value, Cost: t.Charged})
		}
		done, err := made.Import(ctx, list, false)
		if err != nil {
			return err
		}
		count = done.Added
	}
	return a.showCopy(defined.Name, d.Study().Name, results, count)
}

// copyOn is copy on a server. A budget of 0 is that of the other study.
func (a *app) copyOn(ctx context.Context, c connection, name string, how api.CopyRequest, budget float64) error {
	client, err := c.clientFor(name)
	if err != nil {
		return err
	}
	of, err := client.Study(ctx, api.Place{Study: name})
	if err != nil {
		return serverProblem(name, err)
	}
	if budget > 0 {
		changed := of.Definition.Budget
		changed.Total = budget
		how.Changes = map[string]any{"budget": changed}
	}
	made, err := client.Copy(ctx, name, how)
	if err != nil {
		return serverProblem(name, err)
	}
	return a.showCopy(made.Name, name, how.Results, made.Known)
}

func (a *app) showCopy(name, of string, results bool, count int) error {
	told := struct {
		Study   string `json:"study"`
		Of      string `json:"of"`
		Results int    `json:"results"`
	}{name, of, count}
	return a.show(told, func() {
		a.printf("study %s is a copy of %s", name, of)
		if results {
			a.printf(", and knows its %s", say.Count(count, "result"))
		}
		a.printf("\n")
	})
}
