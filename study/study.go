package study

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/eke-bo/eke/space"
)

// Study is what a study file says, with all defaults filled in. Its JSON has the keys of a study file. There the parameters
// are a list, since their order is the order of their coordinates.
type Study struct {
	Name       string            `json:"name"`                 // Name identifies the study in a store.
	Objective  Objective         `json:"objective"`            // Objective is the number that is optimised.
	Objectives []Aim             `json:"objectives,omitempty"` // Objectives are all objectives of a study with several, of which Objective is the first; nil: there is one.
	Cost       Cost              `json:"cost"`                 // Cost is what a trial is charged.
	Budget     Budget            `json:"budget"`               // Budget is how much may be spent.
	Parameters []space.Param     `json:"parameters"`           // Parameters are what may vary, in the order of the file.
	Fidelity   *Fidelity         `json:"fidelity,omitempty"`   // Fidelity says that trials can be evaluated more cheaply, and so less well; nil: they cannot.
	Where      []string          `json:"where,omitempty"`      // Where lists constraints between parameters, such as "batch * accum <= 512".
	Limits     Limits            `json:"limits,omitempty"`     // Limits are limits on further quantities that trials report, by name. A result counts only if it meets all of them.
	Command    []string          `json:"command,omitempty"`    // Command is the program and its arguments. If there is none, trials are asked for and told by hand.
	Env        map[string]string `json:"env,omitempty"`        // Env holds further environment variables of the command.
	Workdir    string            `json:"workdir,omitempty"`    // Workdir is where the command runs. If it is empty, that is the study file's folder.
	Parallel   int               `json:"parallel"`             // Parallel is how many trials may run at once; 0: one on each GPU.
	Policy     Policy            `json:"policy"`               // Policy says how settings are chosen.
	Seed       uint64            `json:"seed"`                 // Seed makes a study repeatable: the same seed and results give the same trials.
	Noisy      bool              `json:"noise,omitempty"`      // Noisy says that the same setting may return different values.
	Notify     *Notify           `json:"notify,omitempty"`     // Notify says who is told what happens in a run; nil: nobody.
	Stop       Stop              `json:"stop,omitzero"`        // Stop says when a study ends although there is money left.
	Engine     *Engine           `json:"engine,omitempty"`     // Engine says where trials are evaluated; nil: on this machine.
	Trials     []space.Setting   `json:"trials,omitempty"`     // Trials are settings to try first, whatever the policy would choose.

	Changeover []Changeover  `json:"changeover,omitempty"` // Changeover says what it costs to change parameters from one trial to the next. Empty: nothing.
	Initial    space.Setting `json:"initial,omitempty"`    // Initial is what a place has before its first trial, as far as changes cost something. Empty: nobody knows.

	Protocol Protocol `json:"protocol,omitempty"` // Protocol says whether the command stays alive from trial to trial. Empty: every trial starts it.
	Slots    []Slot   `json:"slots,omitempty"`    // Slots are the places for trials on a machine, each for one at a time. Empty: only their number is limited.
	GPUs     string   `json:"gpus,omitempty"`     // GPUs is GPUsAuto if every GPU of a machine is a slot.

	// StartFrom names an earlier, similar study in the same store, or a file with its results, to use as prior knowledge. Empty: none.
	StartFrom string `json:"start_from,omitempty"`

	// Earlier is what the study named by StartFrom found. It is needed only when a study is created that starts from a file; it then goes into the
	// log.
	Earlier *Earlier `json:"-"`
}

// Objective is the number that a trial returns.
type Objective struct {
	Name string `json:"name"` // Name is what a command calls the number when it reports it.
	Goal Goal   `json:"goal"` // Goal says which values are good.

	// Min is the least that the number can be, such as 0 for a loss. No forecast goes beyond. Nil: there is no such bound.
	Min *float64 `json:"min,omitempty" doc:"The least that the number can be. No forecast goes beyond. Left out: nothing is known of that."`

	// Max is the most that it can be. Nil: there is no such bound.
	Max *float64 `json:"max,omitempty" doc:"The most that the number can be. No forecast goes beyond. Left out: nothing is known of that."`
}

// Goal says which values are good.
type Goal string

const (
	Minimize Goal = "minimize" // Minimize says that low values are good.
	Maximize Goal = "maximize" // Maximize says that high values are good.
)

// Better reports whether value a is better than b.
func (g Goal) Better(a, b float64) bool {
	if g == Minimize {
		return a < b
	}
	return a > b
}

// Cost is what a trial is charged.
type Cost struct {
	Unit   string `json:"unit"`   // Unit is what amounts are counted in, such as core-hours.
	Source Source `json:"source"` // Source says where the amounts come from.

	Of    string  `json:"of,omitempty"`    // Of is what a cluster's accounts count, such as core-hours, where they say what a trial costs.
	Price float64 `json:"price,omitempty"` // Price is what one of these costs, if the budget is in money; 0: it is not.
	Rate  float64 `json:"rate,omitempty"`  // Rate is how many of these a trial uses in an hour, where its options do not say.

	Prices     map[string]float64            `json:"prices,omitempty"`      // Prices are the prices of resources in an hour, such as cpu-hour, where a cluster counts several.
	NodePrices map[string]map[string]float64 `json:"node_prices,omitempty"` // NodePrices are the prices on nodes with a label, such as pool=spot. The first label in alphabetical order that a node has counts.
	From       string                        `json:"from,omitempty"`        // From is when a job begins to cost: FromScheduled; "": when its first container starts.
}

// FromScheduled says that a job costs from the moment when it has a node.
const FromScheduled = "scheduled"

// Equal reports whether two costs are the same.
func (c Cost) Equal(d Cost) bool { return reflect.DeepEqual(c, d) }

// Source says where a trial's cost comes from.
type Source string

const (
	Reported Source = "reported" // Reported says that the command reports its cost.
	Walltime Source = "walltime" // Walltime says that the cost is the time the command takes, in seconds.
)

// Sources lists where a cost may come from. Beside these two it is an engine, by its type, whose accounts say what a trial costs.
func Sources() []Source {
	list := []Source{Reported, Walltime}
	for _, name := range EngineTypes() {
		list = append(list, Source(name))
	}
	return list
}

// Budget is how much may be spent. Amounts are in the cost's unit.
type Budget struct {
	Total    float64       // Total is what all trials together may cost.
	PerTrial float64       // PerTrial is what one trial may cost; 0 means no limit.
	Timeout  time.Duration // Timeout is how long one trial may take, whatever it costs; 0 means no limit.
	Deadline time.Duration // Deadline is how long after the first trial the last may start; 0 means no limit.
	Trials   int           // Trials is how many trials may be run; 0 means no limit.
	Limit    Limit         // Limit says whether a trial is stopped that takes much longer than was forecast.
	Over     Over          // Over says whether a result counts whose reported cost is above PerTrial.
}

// Limit says when a trial is taken to hang. The zero value is LimitForecast. It has nothing to do with Limits, which are limits on what trials report.
type Limit string

const (
	LimitForecast Limit = ""     // LimitForecast says that a trial is stopped once it has passed what its forecast makes credible, without a step, unless the study sets a time for a trial.
	LimitNone     Limit = "none" // LimitNone says that no trial is taken to hang.
)

// Over is the rule for a reported cost above the limit of a trial. The zero value is OverKeep.
type Over string

const (
	OverKeep Over = ""    // OverKeep says that the result counts like any other.
	OverCut  Over = "cut" // OverCut says that the trial counts as one that was stopped at the limit: it has no value.
)

// Policy says how settings are chosen.
type Policy struct {
	Name      string `json:"name"`                // Name is "auto" or another of PolicyNames.
	Preset    Preset `json:"preset"`              // Preset is the set of choices within the policy.
	Fantasies []int  `json:"fantasies,omitempty"` // Fantasies are the branches at each step of the policy "bmsei".
	Design    int    `json:"design,omitempty"`    // Design is how many trials the initial design has; 0 is as many as suit the parameters.
}

// Preset is a set of choices within a policy.
type Preset string

const (
	PresetDefault Preset = "default" // PresetDefault fixes known weaknesses of the paper's method.
	PresetPaper   Preset = "paper"   // PresetPaper is faithful to the paper.

	PresetThorough Preset = "thorough" // PresetThorough is the default, but thinks as long about quick trials as about others.
)

// What a study file may leave out.
const (
	defaultObjective = "objective"
	defaultParallel  = 1
	defaultPolicy    = "auto"
	walltimeUnit     = "seconds"
	reportedUnit     = "units"
)

// Space returns the space of the parameters and the fidelity.
func (s *Study) Space() (*space.Space, error) { return space.New(s.Inputs(), s.Where...) }

// Measured reports whether the cost is measured, and limits on it enforced, rather than reported.
func (s *Study) Measured() bool { return s.Cost.Source == Walltime }

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

//go:embed schema.json
var schema string

// Schema returns the JSON schema (draft 2020-12) of study files. Editors use it to complete and check them. The schema accepts
// every file that Parse accepts. Parse finds more mistakes, such as a min above its max.
func Schema() []byte { return []byte(schema) }
