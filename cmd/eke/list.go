package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
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
	Tags      []string        `json:"tags,omitempty"`
	Paused    bool            `json:"paused,omitempty"`
	Finished  *statusEnd      `json:"finished,omitempty"` // why it is over; left out: it goes on
	Damaged   string          `json:"damaged,omitempty"`

	Estimate *advisor.Estimate `json:"estimate,omitempty"` // of the best, where evaluations have noise

	changed time.Time
}

// hasWords reports whether all words are in the name, the tags or the notes of a study.
func hasWords(name string, l study.Labels, words []string) bool {
	text := strings.ToLower(name + "\n" + strings.Join(l.Tags, "\n") + "\n" + l.Notes)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}

// changedAt is when a trial last began or ended.
func changedAt(created time.Time, r *study.Record) time.Time {
	for _, t := range r.Trials {
		for _, at := range []time.Time{t.Asked, t.Finished} {
			if at.After(created) {
				created = at
			}
		}
	}
	return created
}

// sorted sorts studies, which come in the order of their creation.
func sorted(list []listed, by string, down bool) {
	order := map[string]func(a, b listed) int{
		"changed": func(a, b listed) int { return a.changed.Compare(b.changed) },
		"name":    func(a, b listed) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
		"spent":   func(a, b listed) int { return cmp.Compare(a.Ledger.Spent, b.Ledger.Spent) },
	}[by]
	if order != nil {
		slices.SortStableFunc(list, order)
	}
	if down {
		slices.Reverse(list)
	}
}

// fitsFor is how long the list may fit models, to say what the best of studies with noise are. There may be many.
const fitsFor = 3 * time.Second

// listCommand lists studies. Its name was another one in version 0.1.
func listCommand(a *app, name string) *cobra.Command {
	all, down := false, false
	var tag, by string
	cmd := &cobra.Command{
		Use:   name + " [WORD...]",
		Short: "List the studies in the store, or find some",
		Long:  `List the studies in the store: all that are not archived, or those with all of these words in their name, their tags or their notes.`,
		Example: `  eke study list kiln --sort changed --down
  eke study list --tag autumn --all`,
		SuggestFor: []string{"ls", "search", "find"},
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := oneOfThese("--sort", by, "created", "changed", "name", "spent"); err != nil {
				return err
			}
			headers, err := a.heads(cmd.Context())
			if err != nil {
				return err
			}
			list, hidden, unknown := []listed{}, 0, false
			fits, cancel := context.WithTimeout(cmd.Context(), fitsFor)
			defer cancel()
			rows := [][]string{{"study", "objective", "best", "trials", "spent", "of", "created", "state"}}
			for _, h := range headers {
				d, err := broker.Open(cmd.Context(), a.opened, h.Name)
				if fault.CodeOf(err) == fault.StoreBroken { // one damaged study does not hide the others
					list = append(list, listed{Name: h.Name, Created: h.Created, Damaged: err.Error()})
					continue
				}
				if err != nil {
					return err
				}
				record, err := d.Record(cmd.Context())
				if err != nil {
					return err
				}
				if !hasWords(h.Name, record.Labels, words) || tag != "" && !slices.Contains(record.Labels.Tags, tag) {
					continue
				}
				if record.Archived && !all {
					hidden++
					continue
				}
				s := d.Study()
				one := listed{
					Name: h.Name, Objective: s.Objective, Cost: s.Cost, Ledger: record.Ledger, Trials: len(record.Trials), Created: h.Created,
					Archived: record.Archived, Paused: record.Paused, Tags: record.Labels.Tags, changed: changedAt(h.Created, record),
				}
				if over := d.Advisor().Over(record, nil, time.Now()); over != nil {
					one.Finished = &statusEnd{fault.CodeOf(over), over.Error()}
				}
				best, ok, err := d.Best(fits, record)
				switch {
				case err != nil && fits.Err() != nil && cmd.Context().Err() == nil:
					unknown = true
				case err != nil:
					return err
				case ok:
					expected := best.Expected()
					one.Best, one.Estimate = &expected, best.Estimate
				}
				list = append(list, one)
			}
			sorted(list, by, down)
			for _, one := range list {
				rows = append(rows, one.row(unknown))
			}
			return a.show(list, func() {
				switch {
				case len(list) == 0 && len(headers) > hidden:
					a.printf("no such study\n")
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
	cmd.Flags().StringVar(&tag, "tag", "", "only studies with this `tag`")
	cmd.Flags().StringVar(&by, "sort", "created", "sort by created, changed, name or spent")
	cmd.Flags().BoolVar(&down, "down", false, "sort downwards")
	return cmd
}

// row is a study in the table. Where models could not be fitted for lack of time, nobody knows the best of a study with noise.
func (l listed) row(unknown bool) []string {
	if l.Damaged != "" {
		return []string{l.Name, "damaged", "", "", "", "", onClock(l.Created), "damaged"}
	}
	value := ""
	switch {
	case l.Best != nil:
		value = say.Number(*l.Best)
	case unknown && l.Trials > 0:
		value = "?"
	}
	return []string{l.Name, string(l.Objective.Goal) + " " + l.Objective.Name, value, fmt.Sprint(l.Trials),
		say.Amount(l.Cost, l.Ledger.Spent), say.Amount(l.Cost, l.Ledger.Total), onClock(l.Created), l.state()}
}

// state says why a study hands out no trials; it is empty if it may hand out some.
func (l listed) state() string {
	switch {
	case l.Archived:
		return "archived"
	case l.Finished != nil:
		return "finished: " + l.Finished.Reason
	case l.Paused:
		return "paused"
	}
	return ""
}
