package api

import "github.com/eke-bo/eke/study"

// TellRequest is the body of tell: the result of a trial.
type TellRequest struct {
	Value float64  `json:"value" minimum:"-1e100" maximum:"1e100" doc:"The result of the trial."`
	Cost  *float64 `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What the trial cost. Optional if the study charges wall time."`
	Wall  *float64 `json:"wall,omitempty" minimum:"0" maximum:"1e15" doc:"How long the trial ran, in seconds."`
	Note  string   `json:"note,omitempty" maxLength:"4000"`

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
	Wall  *float64    `json:"wall,omitempty" minimum:"0" maximum:"1e15" doc:"How long the trial ran, in seconds."`
	State string      `json:"state,omitempty" enum:"failed,cut,abandoned" default:"failed" doc:"cut: the trial was stopped at a limit. abandoned: the setting is not to blame and is tried again."`
	Note  string      `json:"note,omitempty" maxLength:"4000"`
	Exit  *study.Exit `json:"exit,omitempty" doc:"How the trial's command ended, if it has one."`

	Estimated bool `json:"estimated,omitempty" doc:"The cost could not be measured, and is estimated."`
	Lost      bool `json:"lost,omitempty" doc:"There was no checkpoint to go on from, so the trial began anew."`
}
