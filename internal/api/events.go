package api

import "github.com/eke-bo/eke/study"

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
