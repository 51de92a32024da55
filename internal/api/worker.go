package api

import "github.com/eke-bo/eke/study"

// AskRequest is the body of a request for trials.
type AskRequest struct {
	Worker string `json:"worker,omitempty" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker's name. Required unless by_hand is true."`
	Count  int    `json:"count,omitempty" minimum:"1" maximum:"64" default:"1" doc:"How many trials to hand out. There may be fewer."`
	Place  string `json:"place,omitempty" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"Where the trial will be evaluated, such as a machine and its slot. The price of a change depends on the last trial there. Missing: the worker is the place."`
	ByHand bool   `json:"by_hand,omitempty" doc:"A person evaluates the trial. There is no lease, and no heartbeat is needed."`
}

// Leases is the answer to an ask.
type Leases struct {
	Trials []Lease `json:"trials"`
}

// Lease is a trial handed out to a worker.
type Lease struct {
	Trial
	LeaseSeconds float64  `json:"lease_seconds" doc:"The worker loses the trial after this many seconds without a heartbeat. 0: it never does."`
	Limit        *float64 `json:"limit" doc:"How many seconds the trial may run, or null for no limit. A heartbeat may raise it."`
}

// HeartbeatRequest says that a trial's worker is alive.
type HeartbeatRequest struct {
	Worker string `json:"worker" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker's name."`
	Queued string `json:"queued,omitempty" maxLength:"400" doc:"Why the trial waits for its turn where the worker runs it, such as in a cluster's queue. While it waits it has no limit. Missing: it does not wait."`
}

// Beat is the answer to a heartbeat.
type Beat struct {
	Reserved     float64  `json:"reserved" doc:"The money held for the trial now."`
	Stop         bool     `json:"stop" doc:"Stop the trial: it has reached its limit, or no longer belongs to this worker."`
	LeaseSeconds float64  `json:"lease_seconds" doc:"The worker loses the trial after this many seconds without a heartbeat."`
	Limit        *float64 `json:"limit" doc:"How many seconds the trial may run, or null for no limit."`
}

// ReportRequest is the body of report: a value that a running trial has on its way.
type ReportRequest struct {
	Step  float64  `json:"step" exclusiveMinimum:"0" maximum:"1e100" doc:"The fidelity that the trial has reached, such as the number of epochs."`
	Value float64  `json:"value" minimum:"-1e100" maximum:"1e100" doc:"The objective there."`
	Cost  *float64 `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What the trial has cost so far. A step is not charged; the trial is charged once, when it ends."`
	Ended bool     `json:"ended,omitempty" doc:"The trial has ended, and its end will be told: do not decide whether it is to stop."`
}

// TrialStep is a step of a trial in the description of the API, where the steps of a plan have the shorter name.
type TrialStep study.Step

// Reported is the answer to report.
type Reported struct {
	Stop    bool    `json:"stop" doc:"Stop the trial: its rest does not earn its price, or somebody wants it to stop."`
	Reason  string  `json:"reason" doc:"Why. Empty if the trial is to go on."`
	EarlyAt float64 `json:"early_at,omitempty" doc:"The step at which it was decided to stop the trial early."`
}

// TellRequest is the body of tell: the result of a trial.
type TellRequest struct {
	Value float64  `json:"value" minimum:"-1e100" maximum:"1e100" doc:"The result of the trial."`
	Cost  *float64 `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What the trial cost. Optional if the study charges wall time."`
	Setup *float64 `json:"setup,omitempty" minimum:"0" maximum:"1e15" doc:"The part of the cost that went into changes, if the study has changeovers."`
	Wall  *float64 `json:"wall,omitempty" minimum:"0" maximum:"1e15" doc:"How long the trial ran, in seconds."`
	Note  string   `json:"note,omitempty" maxLength:"4000"`

	Metrics study.Metrics `json:"metrics,omitempty" doc:"The other numbers that the trial reported, by name, such as memory. The study's limits apply to these."`

	Estimated bool `json:"estimated,omitempty" doc:"The cost could not be measured, and is estimated."`
	Lost      bool `json:"lost,omitempty" doc:"There was no checkpoint to go on from, so the trial began anew."`
}

// CostRequest is the body of cost: what the accounts say of a trial that has ended.
type CostRequest struct {
	Worker string  `json:"worker" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker that evaluated the trial."`
	Cost   float64 `json:"cost" minimum:"0" maximum:"1e15" doc:"What the trial cost."`
}

// FailRequest is the body of fail: a trial ended without a result.
type FailRequest struct {
	Cost  *float64    `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What the trial cost. The server estimates a missing cost."`
	Setup *float64    `json:"setup,omitempty" minimum:"0" maximum:"1e15" doc:"The part of the cost that went into changes, if the study has changeovers."`
	Wall  *float64    `json:"wall,omitempty" minimum:"0" maximum:"1e15" doc:"How long the trial ran, in seconds."`
	State string      `json:"state,omitempty" enum:"failed,cut,abandoned" default:"failed" doc:"cut: the trial was stopped at a limit. abandoned: the setting is not to blame and is tried again."`
	Note  string      `json:"note,omitempty" maxLength:"4000"`
	Exit  *study.Exit `json:"exit,omitempty" doc:"How the trial's command ended, if it has one."`

	Stopped bool `json:"stopped,omitempty" doc:"Of an abandoned trial: somebody stopped it or gave it up, so that its setting is tried again any number of times. Otherwise a setting that is abandoned three times has failed, since it may have killed its workers."`

	Metrics study.Metrics `json:"metrics,omitempty" doc:"Numbers that the trial reported all the same, by name. The models learn from those that are objectives, if the study has several."`

	Estimated bool `json:"estimated,omitempty" doc:"The cost could not be measured, and is estimated."`
	Lost      bool `json:"lost,omitempty" doc:"There was no checkpoint to go on from, so the trial began anew."`
}
