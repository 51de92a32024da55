package api

import (
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Summary says how a study stands.
type Summary struct {
	ID        string              `json:"id,omitempty" doc:"It tells the study from every other, also from one that had its name before. Send it in the header Eke-Study, and the study is found under any name."`
	Name      string              `json:"name"`
	Created   time.Time           `json:"created"`
	Closed    bool                `json:"closed" doc:"Somebody ended the study. It hands out no more trials."`
	Paused    bool                `json:"paused" doc:"Somebody paused the study. It hands out no trials for now."`
	Archived  bool                `json:"archived" doc:"The study is put away. It hands out no trials."`
	Finished  *End                `json:"finished" doc:"Why the study hands out no more trials, or null if it may hand out more. Whether the rest of the money is worth spending is known once somebody has asked for a trial, or for the rest, or nothing has happened for a minute."`
	Damaged   string              `json:"damaged,omitempty" doc:"Why the study cannot be read. Then only its name, its creation and its version are known."`
	Tags      []string            `json:"tags" doc:"Words to find the study by."`
	Owner     string              `json:"owner,omitempty" doc:"The ID of the token that may do everything with the study."`
	Group     string              `json:"group,omitempty" doc:"Whose tokens may see the study, beside those without a group, which see all."`
	Changed   time.Time           `json:"changed" doc:"When a trial last began or ended."`
	Waiting   int                 `json:"waiting" doc:"How many settings of people's own are to be tried next."`
	Known     int                 `json:"known" doc:"How many results from elsewhere the study has."`
	Initial   float64             `json:"initial" doc:"The budget that the study began with."`
	Version   int64               `json:"version" doc:"Every change raises the version."`
	Objective study.Objective     `json:"objective"`
	Cost      study.Cost          `json:"cost"`
	Ledger    study.Ledger        `json:"ledger"`
	Left      float64             `json:"left" doc:"The money that is neither spent nor reserved."`
	Overrun   float64             `json:"overrun" doc:"How far reported costs exceeded the budget."`
	Counts    map[study.State]int `json:"counts" doc:"The number of trials in each state."`
	Queued    int                 `json:"queued" doc:"How many of the running trials wait for their turn in an engine, such as a cluster."`
	Best      *Trial              `json:"best" doc:"The best trial, or null if there is none yet. If evaluations have noise, it is the first trial of the setting that the models expect to be the best. In a list of many studies with noise, it may lag behind, or be null until the models are fitted."`
	Time      Times               `json:"time"`
	Buys      *Buys               `json:"buys" doc:"What the money left will buy, or null while costs are unknown."`
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

// Buys is how many more trials the money left will buy, at the price of recent trials.
type Buys struct {
	Trials   int     `json:"trials"`
	CostEach float64 `json:"cost_each"`
}

// Study is a study with its definition.
type Study struct {
	Summary
	Definition *study.Study `json:"definition" doc:"The study file as JSON. Only workers and admins see env."`
	Policy     Picked       `json:"policy"`
	Start      string       `json:"start,omitempty" doc:"What the study started from (start_from), and how well that predicts it, in words."`
	SpentAt    string       `json:"spent_at,omitempty" doc:"What was spent at each fidelity, in words."`
	Saved      string       `json:"saved,omitempty" doc:"What stopping trials early has saved, in words."`
	Notes      string       `json:"notes" doc:"What people have written about the study, in Markdown."`
}

// Picked is the policy that chooses the next trial.
type Picked struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Studies is the answer to a request for all studies.
type Studies struct {
	Studies []Summary `json:"studies"`
	Total   int       `json:"total" doc:"How many studies there are that the request asks for, of which this may be a part."`
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
