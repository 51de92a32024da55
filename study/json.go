package study

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/eke-bo/eke/space"
)

// The JSON forms exist because space.Param knows nothing of JSON, and because a parameter's place in the
// file, which is its place in the cube, would be lost in a JSON object.

type studyJSON struct {
	Name       string            `json:"name"`
	Objective  Objective         `json:"objective"`
	Cost       Cost              `json:"cost"`
	Budget     budgetJSON        `json:"budget"`
	Parameters []paramJSON       `json:"parameters"`
	Command    []string          `json:"command,omitempty"`
	Env        map[string]string `json:"env,omitempty"`
	Workdir    string            `json:"workdir,omitempty"`
	Parallel   int               `json:"parallel"`
	Policy     Policy            `json:"policy"`
	Seed       uint64            `json:"seed"`
	Noisy      bool              `json:"noise,omitempty"`
}

type budgetJSON struct {
	Total    float64 `json:"total"`
	PerTrial float64 `json:"per_trial,omitempty"`
	Timeout  string  `json:"timeout,omitempty"` // both as in the file
	Deadline string  `json:"deadline,omitempty"`
}

type paramJSON struct {
	Name   string          `json:"name"`
	Kind   space.Kind      `json:"type"`
	Min    float64         `json:"min,omitempty"`
	Max    float64         `json:"max,omitempty"`
	Step   float64         `json:"step,omitempty"`
	Log    bool            `json:"log,omitempty"`
	Values []space.Value   `json:"values,omitempty"`
	Value  space.Value     `json:"value,omitzero"`
	When   []conditionJSON `json:"when,omitempty"`
}

type conditionJSON struct {
	Param  string        `json:"param"`
	Values []space.Value `json:"values"`
}

// MarshalJSON writes the study with the keys of a study file, but with the parameters as a list.
func (s Study) MarshalJSON() ([]byte, error) {
	out := studyJSON{
		Name: s.Name, Objective: s.Objective, Cost: s.Cost,
		Budget:  budgetJSON{Total: s.Budget.Total, PerTrial: s.Budget.PerTrial},
		Command: s.Command, Env: s.Env, Workdir: s.Workdir, Parallel: s.Parallel, Policy: s.Policy, Seed: s.Seed, Noisy: s.Noisy,
	}
	out.Budget.Timeout, out.Budget.Deadline = durationText(s.Budget.Timeout), durationText(s.Budget.Deadline)
	for _, p := range s.Parameters {
		q := paramJSON{Name: p.Name, Kind: p.Kind, Min: p.Min, Max: p.Max, Step: p.Step, Log: p.Log, Values: p.Values, Value: p.Value}
		for _, c := range p.When {
			q.When = append(q.When, conditionJSON(c))
		}
		out.Parameters = append(out.Parameters, q)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote. It does not check it again.
func (s *Study) UnmarshalJSON(data []byte) error {
	var in studyJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("the study's definition cannot be read: %w", err)
	}
	out := Study{
		Name: in.Name, Objective: in.Objective, Cost: in.Cost,
		Budget:  Budget{Total: in.Budget.Total, PerTrial: in.Budget.PerTrial},
		Command: in.Command, Env: in.Env, Workdir: in.Workdir, Parallel: in.Parallel, Policy: in.Policy, Seed: in.Seed, Noisy: in.Noisy,
	}
	for _, d := range []struct {
		field, text string
		to          *time.Duration
	}{{"timeout", in.Budget.Timeout, &out.Budget.Timeout}, {"deadline", in.Budget.Deadline, &out.Budget.Deadline}} {
		if d.text == "" {
			continue
		}
		var err error
		if *d.to, err = time.ParseDuration(d.text); err != nil {
			return fmt.Errorf("budget.%s: %w", d.field, err)
		}
	}
	for _, p := range in.Parameters {
		q := space.Param{Name: p.Name, Kind: p.Kind, Min: p.Min, Max: p.Max, Step: p.Step, Log: p.Log, Values: p.Values, Value: p.Value}
		for _, c := range p.When {
			q.When = append(q.When, space.Condition(c))
		}
		out.Parameters = append(out.Parameters, q)
	}
	*s = out
	return nil
}

// durationText is a duration as the file has it; nothing for none.
func durationText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return formatDuration(d)
}
