package view

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// bestNow is the best trial in a line of JSON.
type bestNow struct {
	Trial   int           `json:"trial"`
	Value   float64       `json:"value"`
	Cost    float64       `json:"cost"`
	Setting space.Setting `json:"setting"`

	Estimate *advisor.Estimate `json:"estimate,omitempty"` // where evaluations have noise; the value is the estimated one then
}

// JSON tells a run in lines of JSON: each piece of news, with the ledger and the best trial as they stand. What the policy
// remembers for itself is left out of the trial.
func JSON(w io.Writer, s *study.Study) func(runner.News) {
	bests := newBests(s)
	return func(n runner.News) {
		line := struct {
			runner.News
			Ledger *study.Ledger `json:"ledger,omitempty"`
			Best   *bestNow      `json:"best,omitempty"`
		}{News: n}
		if n.Trial != nil {
			trial := *n.Trial
			trial.Plan = nil
			if !json.Valid(trial.Why) {
				trial.Why = nil
			}
			line.Trial = &trial
		}
		if n.Record != nil {
			line.Ledger = &n.Record.Ledger
			if b, ok := bests.of(n.Record); ok {
				line.Best = &bestNow{b.Number, b.Expected(), b.Charged, b.Setting, b.Estimate}
			}
		}
		text, err := json.Marshal(line)
		if err != nil { // a number that JSON does not have; the news is told all the same
			text, _ = json.Marshal(runner.News{Kind: n.Kind, At: n.At, Text: n.Text})
		}
		fmt.Fprintf(w, "%s\n", text)
	}
}
