package api

// HeartbeatRequest says that a trial's worker is alive.
type HeartbeatRequest struct {
	Worker string `json:"worker" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker's name."`
	Queued string `json:"queued,omitempty" maxLength:"400" doc:"Why the trial waits for its turn where the worker runs it, such as in a cluster's queue. While it waits it has no limit. Missing: it does not wait."`
}

// Beat is the answer to a heartbeat.
type Beat struct {
	Reserved     float64  `json:"reserved" doc:"The money held for the trial now."`
	Stop         bool     `json:"stop" doc:"Stop the trial: it has reached its limit, or no longer belongs to this worker."`
	LeaseSeconds float64  `json:"lease_seconds" doc:"The worker loses the trial after so many seconds without a heartbeat."`
	Limit        *float64 `json:"limit" doc:"How many seconds the trial may run, or null for no limit."`
}
