package api

import (
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Definition describes the JSON form of a study, which study.Study reads and writes by itself. A test compares the two.
type Definition struct {
	Name       string            `json:"name"`
	Objective  study.Objective   `json:"objective"`
	Cost       study.Cost        `json:"cost"`
	Budget     Budget            `json:"budget"`
	Parameters []Param           `json:"parameters"`
	Fidelity   *study.Fidelity   `json:"fidelity,omitempty" doc:"How thorough a trial is. One below the highest is a cheaper look, whose value does not count."`
	Where      []string          `json:"where,omitempty" doc:"Constraints between parameters. Only settings that meet all of them are tried."`
	Command    []string          `json:"command,omitempty" doc:"The command that evaluates a trial."`
	Env        map[string]string `json:"env,omitempty" doc:"Variables for the command."`
	Workdir    string            `json:"workdir,omitempty" doc:"The folder in which the command runs."`
	Parallel   int               `json:"parallel" doc:"How many trials eke run evaluates at once."`
	Policy     study.Policy      `json:"policy"`
	Seed       uint64            `json:"seed"`
	Noise      bool              `json:"noise,omitempty" doc:"The same setting may return different values."`
	Notify     *study.Notify     `json:"notify,omitempty" doc:"Who is told what happens in a run."`
	Stop       study.Stop        `json:"stop,omitzero" doc:"When the study ends although there is money left. If not given: when the whole rest is expected to gain less than a thousandth of the spread of the values seen."`
	Engine     *Engine           `json:"engine,omitempty" doc:"Where trials are evaluated. If not given: where eke run runs."`
	Trials     []space.Setting   `json:"trials,omitempty" doc:"Settings to try first."`
	StartFrom  string            `json:"start_from,omitempty" doc:"An earlier, similar study on the server, to use as prior knowledge where it proves to predict this one."`
}

// Engine is the engine in a definition.
type Engine struct {
	Type    string            `json:"type" enum:"slurm"`
	Options map[string]string `json:"options,omitempty" doc:"Options of sbatch, by their long names."`
	Time    string            `json:"time,omitempty" doc:"The time limit of every job. If not given: as the cost of each trial is forecast."`
	Poll    string            `json:"poll,omitempty" doc:"How often Slurm is asked, such as 30s."`
	Setup   []string          `json:"setup,omitempty" doc:"Lines of the job's script before the command."`
	Save    string            `json:"save,omitempty" doc:"How long before its limit a command gets SIGUSR1."`
}

// Budget is the budget in a definition.
type Budget struct {
	Total    float64 `json:"total"`
	PerTrial float64 `json:"per_trial,omitempty" doc:"The most that one trial may cost."`
	Timeout  string  `json:"timeout,omitempty" doc:"The most time that one trial may take, such as 30m."`
	Deadline string  `json:"deadline,omitempty" doc:"When the study ends, counted from its first trial, such as 12h."`
	Trials   int     `json:"trials,omitempty" doc:"How many trials may be run."`
	Limit    string  `json:"limit,omitempty" enum:"none" doc:"none: a trial that takes far longer than was forecast is not stopped."`
	Over     string  `json:"over,omitempty" enum:"cut" doc:"cut: a result that cost more than per_trial does not count."`
}

// Param is a parameter in a definition.
type Param struct {
	Name   string        `json:"name"`
	Type   space.Kind    `json:"type"`
	Min    float64       `json:"min,omitempty"`
	Max    float64       `json:"max,omitempty"`
	Step   float64       `json:"step,omitempty"`
	Log    bool          `json:"log,omitempty" doc:"The parameter varies by orders of magnitude."`
	Values []space.Value `json:"values,omitempty" doc:"The values of a choice."`
	Value  space.Value   `json:"value,omitzero" doc:"The value of a fixed parameter."`
	When   []Condition   `json:"when,omitempty" doc:"The parameter exists only if all of these hold."`

	Default space.Value `json:"default,omitzero" doc:"The value in settings that have none, such as those of earlier trials."`
}

// Condition holds if a parameter has one of these values.
type Condition struct {
	Param  string        `json:"param"`
	Values []space.Value `json:"values"`
}
