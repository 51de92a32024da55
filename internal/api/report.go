package api

import "github.com/eke-bo/eke/study"

// ReportRequest is the body of report: a value that a running trial has on its way.
type ReportRequest struct {
	Step  float64  `json:"step" exclusiveMinimum:"0" maximum:"1e100" doc:"The fidelity that the trial has reached, such as the number of epochs."`
	Value float64  `json:"value" minimum:"-1e100" maximum:"1e100" doc:"The objective there."`
	Cost  *float64 `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What the trial has cost until there. It is not charged: the trial is, when it ends."`
	Ended bool     `json:"ended,omitempty" doc:"The trial has ended, and its end will be told: do not decide whether it is to stop."`
}

// TrialStep is a step of a trial in the description of the API, where the steps of a plan have the shorter name.
type TrialStep study.Step

// Reported is the answer to report.
type Reported struct {
	Stop   bool   `json:"stop" doc:"Stop the trial: its rest does not earn its price, or somebody wants it to stop."`
	Reason string `json:"reason" doc:"Why. Empty if the trial is to go on."`
}
