package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// briefTrial is the essence of a trial that is done.
type briefTrial struct {
	Number   int           `json:"number"`
	Known    bool          `json:"known,omitempty"` // a result from elsewhere, without a number
	Setting  space.Setting `json:"setting"`
	Value    float64       `json:"value"`
	Cost     float64       `json:"cost"`
	Finished time.Time     `json:"finished"`

	title string
}

func briefOf(t study.Trial) briefTrial {
	return briefTrial{t.Number, t.Known, t.Setting, t.Value, t.Charged, t.Finished, t.Title()}
}

func bestCommand(a *app) *cobra.Command {
	return a.ofStudy(known, &cobra.Command{
		Use:   "best [STUDY]",
		Short: "Show the best setting so far",
		Long: `Show the best setting so far, among the trials that are done and were within the budget.

If there is none yet, the exit code is 1.`,
		SuggestFor: []string{"winner", "optimum", "top"},
	}, func(_ context.Context, d *broker.Broker, r *study.Record) error {
		s := d.Study()
		best, ok := r.Best(s.Objective.Goal)
		if !ok {
			return wrong("see how it stands: eke status "+s.Name, "study %s has no value yet, after %d trials", s.Name, len(r.Trials))
		}
		return a.show(briefOf(best), func() { a.printBest(s, best, len(r.Trials)) })
	})
}

func (a *app) printBest(s *study.Study, best study.Trial, all int) {
	which := best.Title()
	if !best.Known {
		which += fmt.Sprintf(" of %d", all)
	}
	a.printf("%s %s for %s, %s, on %s\n", s.Objective.Name, say.Number(best.Value), say.Amount(s.Cost, best.Charged), which, onClock(best.Finished))
	var rows [][]string
	for _, p := range s.Parameters {
		if v, exists := best.Setting[p.Name]; exists {
			rows = append(rows, []string{p.Name, v.String()})
		}
	}
	a.table("  ", rows)
	if line, _ := commandLine(s, best.Setting); line != "" {
		a.printf("  command: %s\n", line)
	}
}
