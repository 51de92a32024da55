package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
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

	Estimate *advisor.Estimate `json:"estimate,omitempty"` // where evaluations have noise; the value is the estimated one then

	title, text string
}

func briefOf(b advisor.Best) briefTrial {
	return briefTrial{b.Number, b.Known, b.Setting, b.Expected(), b.Charged, b.Finished, b.Estimate, b.Title(), b.Text()}
}

func bestCommand(a *app) *cobra.Command {
	return a.ofStudy(known, &cobra.Command{
		Use:   "best [STUDY]",
		Short: "Show the best setting so far",
		Long: `Show the best setting so far, among the trials that are done and were within the budget.

Where evaluations have noise (noise: true, or a setting that was tried twice had two values), the best observation is mostly
luck. The best setting is then the one that the models expect to be the best. Its value is their estimate, with the band that they
hold 80% likely. The values that were seen there follow.

If there is none yet, the exit code is 1.`,
		Example: `  eke best
  eke --json best kiln`,
		SuggestFor: []string{"winner", "optimum", "top"},
	}, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
		s := d.Study()
		best, ok, err := d.Best(ctx, r)
		switch {
		case err != nil:
			return err
		case !ok && slices.ContainsFunc(r.Trials, func(t study.Trial) bool { return t.State == study.Done }):
			return wrong("see why: eke trials "+s.Name, "study %s has no value that counts, after %s", s.Name, say.Count(len(r.Trials), "trial"))
		case !ok:
			return wrong("see how it stands: eke status "+s.Name, "study %s has no value yet, after %s", s.Name, say.Count(len(r.Trials), "trial"))
		}
		return a.show(briefOf(best), func() { a.printBest(s, best, len(r.Trials)) })
	})
}

func (a *app) printBest(s *study.Study, best advisor.Best, all int) {
	which := best.Title()
	if !best.Known {
		which += fmt.Sprintf(" of %d", all)
	}
	a.printf("%s %s for %s, %s, on %s\n", s.Objective.Name, best.Text(), say.Amount(s.Cost, best.Charged), which, onClock(best.Finished))
	if best.Estimate != nil {
		a.printf("  %s\n", say.Seen(best.Estimate.Values))
	}
	var rows [][]string
	for _, p := range s.Inputs() {
		if v, exists := best.Setting[p.Name]; exists {
			rows = append(rows, []string{p.Name, v.String()})
		}
	}
	a.table("  ", rows)
	if line, _ := commandLine(s, best.Setting); line != "" {
		a.printf("  command: %s\n", line)
	}
}
