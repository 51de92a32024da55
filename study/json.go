package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// budgetJSON has the durations as a study file writes them.
type budgetJSON struct {
	Total    float64 `json:"total"`
	PerTrial float64 `json:"per_trial,omitempty"`
	Timeout  string  `json:"timeout,omitempty"`
	Deadline string  `json:"deadline,omitempty"`
	Trials   int     `json:"trials,omitempty"`
	Limit    Limit   `json:"limit,omitempty"`
	Over     Over    `json:"over,omitempty"`
}

// MarshalJSON writes the budget with the keys of a study file.
func (b Budget) MarshalJSON() ([]byte, error) {
	return json.Marshal(budgetJSON{b.Total, b.PerTrial, durationText(b.Timeout), durationText(b.Deadline), b.Trials, b.Limit, b.Over})
}

// UnmarshalJSON reads what MarshalJSON wrote. It does not check it again.
func (b *Budget) UnmarshalJSON(data []byte) error {
	var in budgetJSON
	if err := json.Unmarshal(data, &in); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			wrong.Field = join("budget", wrong.Field) // json does not know where this is
		}
		return err
	}
	out := Budget{Total: in.Total, PerTrial: in.PerTrial, Trials: in.Trials, Limit: in.Limit, Over: in.Over}
	for _, d := range []struct {
		field, text string
		to          *time.Duration
	}{{"timeout", in.Timeout, &out.Timeout}, {"deadline", in.Deadline, &out.Deadline}} {
		if d.text == "" {
			continue
		}
		var err error
		if *d.to, err = time.ParseDuration(d.text); err != nil {
			return fmt.Errorf("budget.%s: %w", d.field, err)
		}
	}
	*b = out
	return nil
}

// durationText is a duration as the file has it; nothing for none.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return formatDuration(d)
}
