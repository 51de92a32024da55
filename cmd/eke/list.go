package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// listed is one study in the list.
type listed struct {
	Name      string          `json:"name"`
	Objective study.Objective `json:"objective"`
	Cost      study.Cost      `json:"cost"`
	Ledger    study.Ledger    `json:"ledger"`
	Trials    int             `json:"trials"`
	Best      *float64        `json:"best,omitempty"`
	Created   time.Time       `json:"created"`
	Archived  bool            `json:"archived,omitempty"`

	Estimate *advisor.Estimate `json:"estimate,omitempty"` // of the best, where evaluations have noise
}

// fitsFor is how long the list may fit models, to say what the best of studies with noise are. There may be many.
const fitsFor = 3 * time.Second

func listCommand(a *app) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:        "studies",
		Short:      "List the studies in the store",
		SuggestFor: []string{"list", "ls"},
		Args:       atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			headers, err := a.list(cmd.Context())
			if err != nil {
				return err
			}
			list, hidden, unknown := []listed{}, 0, false
			fits, cancel := context.WithTimeout(cmd.Context(), fitsFor)
			defer cancel()
			rows := [][]string{{"study", "objective", "best", "trials", "spent", "of", "created"}}
			for _, h := range headers {
				d, err := broker.Open(cmd.Context(), a.opened, h.Name)
				if err != nil {
					return err
				}
				record, err := d.Record(cmd.Context())
				if err != nil {
					return err
				}
				if record.Archived && !all {
					hidden++
					continue
				}
				s := d.Study()
				one := listed{h.Name, s.Objective, s.Cost, record.Ledger, len(record.Trials), nil, h.Created, record.Archived, nil}
				value := ""
				best, ok, err := d.Best(fits, record)
				switch {
				case err != nil && fits.Err() != nil && cmd.Context().Err() == nil:
					value, unknown = "?", true
				case err != nil:
					return err
				case ok:
					expected := best.Expected()
					one.Best, one.Estimate, value = &expected, best.Estimate, say.Number(expected)
				}
				list = append(list, one)
				rows = append(rows, []string{h.Name, string(s.Objective.Goal) + " " + s.Objective.Name, value, fmt.Sprint(one.Trials),
					say.Amount(s.Cost, record.Ledger.Spent), say.Amount(s.Cost, record.Ledger.Total), onClock(h.Created)})
			}
			return a.show(list, func() {
				switch {
				case len(list) == 0 && hidden == 0:
					a.printf("no studies in %s yet\n", placeOf(a.db))
				case len(list) > 0:
					a.table("", rows)
				}
				if unknown {
					a.printf("?: there was no time to fit the models of every study with noise; eke best STUDY does\n")
				}
				if hidden > 0 {
					a.printf("%d archived; --all lists them too\n", hidden)
				}
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list archived studies as well")
	return cmd
}
