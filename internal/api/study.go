package api

import (
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Summary says how a study stands.
type Summary struct {
	ID         string              `json:"id,omitempty" doc:"It tells the study from every other, also from one that had its name before. Send it in the header Eke-Study, and the study is found under any name."`
	Name       string              `json:"name"`
	Created    time.Time           `json:"created"`
	Closed     bool                `json:"closed" doc:"Somebody ended the study. It hands out no more trials."`
	Paused     bool                `json:"paused" doc:"Somebody paused the study. It hands out no trials for now."`
	Archived   bool                `json:"archived" doc:"The study is put away. It hands out no trials."`
	Finished   *End                `json:"finished" doc:"Why the study hands out no more trials, or null if it may hand out more. Whether the rest of the money is worth spending is known once somebody has asked for a trial, or for the rest, or nothing has happened for a minute."`
	Damaged    string              `json:"damaged,omitempty" doc:"Why the study cannot be read. Then only its name, its creation and its version are known."`
	Tags       []string            `json:"tags" doc:"Words to find the study by."`
	Owner      string              `json:"owner,omitempty" doc:"The ID of the token that may do everything with the study."`
	Group      string              `json:"group,omitempty" doc:"Whose tokens may see the study, beside those without a group, which see all."`
	Changed    time.Time           `json:"changed" doc:"When a trial last began or ended."`
	Waiting    int                 `json:"waiting" doc:"How many settings of people's own are to be tried next."`
	Known      int                 `json:"known" doc:"How many results from elsewhere the study has."`
	Initial    float64             `json:"initial" doc:"The budget that the study began with."`
	Version    int64               `json:"version" doc:"Every change raises the version."`
	Objective  study.Objective     `json:"objective"`
	Objectives []study.Aim         `json:"objectives,omitempty" doc:"All objectives, if there are several. The first is objective, whose best is best."`
	Cost       study.Cost          `json:"cost"`
	Ledger     study.Ledger        `json:"ledger"`
	Left       float64             `json:"left" doc:"The money that is neither spent nor reserved."`
	Overrun    float64             `json:"overrun" doc:"How far reported costs exceeded the budget."`
	Counts     map[study.State]int `json:"counts" doc:"The number of trials in each state."`
	Queued     int                 `json:"queued" doc:"How many of the running trials wait for their turn in an engine, such as a cluster."`
	Best       *Trial              `json:"best" doc:"The best trial, or null if there is none yet. If evaluations have noise, it is the first trial of the setting that the models expect to be the best. In a list of many studies with noise, it may lag behind, or be null until the models are fitted."`
	Infeasible string              `json:"infeasible,omitempty" doc:"If there are results but none of them meets the study's limits: a text that says so, and how near they came."`
	Time       Times               `json:"time"`
	Buys       *Buys               `json:"buys" doc:"What the money left will buy, or null while costs are unknown."`
}

// End says why a study is over.
type End struct {
	Code   fault.Code `json:"code" doc:"What a request for a trial would be refused with."`
	Reason string     `json:"reason" doc:"The same for people."`
}

// Times is the time spent on a study, in seconds.
type Times struct {
	Thinking   float64 `json:"thinking" doc:"Time spent choosing settings."`
	Evaluating float64 `json:"evaluating" doc:"Time spent running trials."`
}

// Buys is how many more full trials the money left will buy, at the price of recent ones. Looks do not count.
type Buys struct {
	Trials   int     `json:"trials"`
	CostEach float64 `json:"cost_each"`
	Words    string  `json:"words" doc:"The same for people."`
}

// Study is a study with its definition.
type Study struct {
	Summary
	Definition *study.Study   `json:"definition" doc:"The study file as JSON. Only workers and admins see env."`
	Policy     Picked         `json:"policy"`
	Earlier    string         `json:"start,omitempty" doc:"What the study started from (start_from), and how well that predicts it, in words."`
	Spending   study.Spending `json:"spending" doc:"What the money of the trials that have ended was spent on."`
	SpentAt    string         `json:"spent_at,omitempty" doc:"What was spent at each fidelity, in words."`
	Hurts      string         `json:"hurts,omitempty" doc:"A text that says so if a lower fidelity gave the best setting a better value, if the models judge limits otherwise than what was seen, if the study may have seen nothing but a plateau, or if values of choices were never evaluated in full."`
	Saved      string         `json:"saved,omitempty" doc:"What stopping trials early has saved, in words."`
	Changes    *Changes       `json:"changes,omitempty" doc:"What went into changes, if they cost something."`
	Notes      string         `json:"notes" doc:"What people have written about the study, in Markdown."`
	Front      *Front         `json:"front,omitempty" doc:"The front, if the study has several objectives."`
}

// Changes is what went into changes.
type Changes struct {
	study.Changes
	Words string `json:"words" doc:"The same for people."`
}

// Front is the front of a study with several objectives.
type Front struct {
	Trials      []Trial       `json:"trials" doc:"The results that no other dominates, ordered by the first objective, the best first. If evaluations have noise, by what the models expect of their settings."`
	Expected    [][]float64   `json:"expected,omitempty" doc:"What the models expect of the objectives of each of these trials, by which it is on the front. Left out if evaluations have no noise."`
	Seen        [][][]float64 `json:"seen,omitempty" doc:"All that was seen of the objectives at the setting of each of these trials, the oldest first. Left out if evaluations have no noise."`
	Worst       []float64     `json:"worst" doc:"The worst that counts, in the order of the objectives. Empty before there is a result."`
	From        int           `json:"from,omitempty" doc:"How many results the worst was found from. Left out: the study file gives all of it."`
	Hypervolume float64       `json:"hypervolume" doc:"The volume between the front and the worst that counts."`
	Beyond      string        `json:"beyond,omitempty" doc:"Which results would be on the front if they were better than the worst that the study file gives, and which are on it by the models' means alone, in words."`
}

// Picked is the policy that chooses the next trial.
type Picked struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Studies is the answer to a request for all studies.
type Studies struct {
	Studies []Summary `json:"studies"`
	Total   int       `json:"total" doc:"How many studies match the request. This answer may contain only some of them."`
}

// StopRequest changes when a study ends.
type StopRequest struct {
	Stop study.Stop `json:"stop" doc:"\"never\", or the gain that the rest of the money has to be expected to make. A gain of 0 is the default rule."`
}

// BudgetRequest adds money to a study.
type BudgetRequest struct {
	Add float64 `json:"add" exclusiveMinimum:"0" maximum:"1e15" doc:"The amount, in the unit of the study's cost."`
}

// StudyFile is a study as a study file.
type StudyFile struct {
	YAML    string `json:"yaml" doc:"The study file, with the budget that the study has now. Only workers and admins see env."`
	Version int64  `json:"version" doc:"The version of the study that it describes."`
}

// Redefined is a study that was changed.
type Redefined struct {
	Study   Study    `json:"study"`
	Changes []string `json:"changes" doc:"What has changed in the budget and in the parameters, in words."`
}

// Definition describes the JSON form of a study, which study.Study reads and writes by itself. A test compares the two.
type Definition struct {
	Name       string            `json:"name"`
	Objective  study.Objective   `json:"objective"`
	Objectives []study.Aim       `json:"objectives,omitempty" doc:"All objectives, if there are several: two or three. The first is objective, which may then be left out. Trials report them by these names."`
	Cost       study.Cost        `json:"cost"`
	Budget     Budget            `json:"budget"`
	Parameters []Param           `json:"parameters"`
	Fidelity   *study.Fidelity   `json:"fidelity,omitempty" doc:"How thorough a trial is. One below the highest is a cheaper look, whose value does not count."`
	Where      []string          `json:"where,omitempty" doc:"Constraints between parameters. Only settings that meet all of them are tried."`
	Limits     study.Limits      `json:"limits,omitempty" doc:"Limits on further numbers that trials report, by name. A value counts only if the trial meets all of them."`
	Command    []string          `json:"command,omitempty" doc:"The command that evaluates a trial."`
	Env        map[string]string `json:"env,omitempty" doc:"Variables for the command."`
	Workdir    string            `json:"workdir,omitempty" doc:"The folder in which the command runs."`
	Parallel   int               `json:"parallel" doc:"How many trials eke run evaluates at once; 0: one on each GPU."`
	Policy     study.Policy      `json:"policy"`
	Seed       uint64            `json:"seed"`
	Noise      bool              `json:"noise,omitempty" doc:"The same setting may return different values."`
	Notify     *study.Notify     `json:"notify,omitempty" doc:"Who is told what happens in a run."`
	Stop       study.Stop        `json:"stop,omitzero" doc:"When the study ends although there is money left. If not given: when the whole rest is expected to gain less than a thousandth of the spread of the values seen."`
	Engine     *Engine           `json:"engine,omitempty" doc:"Where trials are evaluated. If not given: where eke run runs."`
	Trials     []space.Setting   `json:"trials,omitempty" doc:"Settings to try first."`

	Changeover []study.Changeover `json:"changeover,omitempty" doc:"What it costs to give parameters other values than they had in the trial before, at the same place. Entries add up."`
	Initial    space.Setting      `json:"initial,omitempty" doc:"What is set before the first trial, by parameter, as far as changes cost something."`

	Protocol  string       `json:"protocol,omitempty" enum:"lines" doc:"lines: the command stays alive, reads a setting per line, and prints a result per line."`
	Slots     []study.Slot `json:"slots,omitempty" doc:"Places for trials on a machine, each for one trial at a time. Only workers and admins see their env."`
	GPUs      string       `json:"gpus,omitempty" enum:"auto" doc:"auto: every GPU of a machine is a slot."`
	StartFrom string       `json:"start_from,omitempty" doc:"An earlier, similar study on the server, to use as prior knowledge where it proves to predict this one."`
}

// Engine is the engine in a definition.
type Engine struct {
	Type    string            `json:"type" enum:"slurm,kubernetes"`
	Options map[string]string `json:"options,omitempty" doc:"Options of sbatch, by their long names."`
	Time    string            `json:"time,omitempty" doc:"The time limit of every job. If not given: as the cost of each trial is forecast."`
	Poll    string            `json:"poll,omitempty" doc:"How often Slurm is asked, such as 30s."`
	Setup   []string          `json:"setup,omitempty" doc:"Lines of the job's script before the command."`
	Save    string            `json:"save,omitempty" doc:"How long before its limit a command gets SIGUSR1."`

	Namespace string            `json:"namespace,omitempty" doc:"Where jobs of Kubernetes are. If not given: as kubectl has it."`
	Image     string            `json:"image,omitempty" doc:"What the command runs in, on Kubernetes."`
	Template  string            `json:"template,omitempty" doc:"A file with a pod, to which all else is added."`
	Resources map[string]string `json:"resources,omitempty" doc:"What a pod asks for, such as cpu."`
	Queue     string            `json:"queue,omitempty" doc:"A queue of Kueue."`
	Context   string            `json:"context,omitempty" doc:"A context of the kubeconfig. If not given: its current one."`
}

// Budget is the budget in a definition.
type Budget struct {
	Total    float64 `json:"total"`
	PerTrial float64 `json:"per_trial,omitempty" doc:"The most that one trial may cost."`
	Timeout  string  `json:"timeout,omitempty" doc:"The most time that one trial may take, such as 30m."`
	Deadline string  `json:"deadline,omitempty" doc:"How long after the first trial the last one may start, such as 12h. Running trials go on."`
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

// LabelRequest changes what people have written on a study. What is missing stays as it is.
type LabelRequest struct {
	Tags  *[]string `json:"tags,omitempty" maxItems:"50" doc:"Words to find the study by."`
	Notes *string   `json:"notes,omitempty" maxLength:"50000" doc:"A text in Markdown."`
	Owner *string   `json:"owner,omitempty" maxLength:"100" doc:"The ID of the token that may do everything with the study. Only admins may change it."`
	Group *string   `json:"group,omitempty" maxLength:"100" doc:"Whose tokens may see the study, beside those without a group, which see all. Only admins without a group may change it."`
}

// Apply changes labels as the request says.
func (r LabelRequest) Apply(l *study.Labels) {
	if r.Tags != nil {
		l.Tags = *r.Tags
	}
	for _, field := range []struct{ to, from *string }{{&l.Notes, r.Notes}, {&l.Owner, r.Owner}, {&l.Group, r.Group}} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
}

// CopyRequest duplicates a study. It has no trials yet.
type CopyRequest struct {
	Name    string         `json:"name" minLength:"1" maxLength:"100" doc:"The name of the new study."`
	Changes map[string]any `json:"changes,omitempty" doc:"Fields of the definition that differ, such as budget or parameters. null removes one."`
	Results bool           `json:"results,omitempty" doc:"Give the new study the results of the old one, as known results, as far as its parameters allow them."`
}

// Change is the data of an event: a study after a change, and the trials that changed.
type Change struct {
	Version int64   `json:"version"`
	Study   Study   `json:"study"`
	Trials  []Trial `json:"trials"`
}

// Log is part of a study's log.
type Log struct {
	Events []study.Event `json:"events"`
}

// Health says that the server works, or that its store can be written to.
type Health struct {
	Status string `json:"status" enum:"ok"`
}
