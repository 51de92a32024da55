package api

// AskRequest is the body of a request for trials.
type AskRequest struct {
	Worker string `json:"worker,omitempty" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker's name. Required unless by_hand is true."`
	Count  int    `json:"count,omitempty" minimum:"1" maximum:"64" default:"1" doc:"How many trials to hand out. There may be fewer."`
	ByHand bool   `json:"by_hand,omitempty" doc:"A person evaluates the trial. There is no lease, and no heartbeat is needed."`
}

// Leases is the answer to an ask.
type Leases struct {
	Trials []Lease `json:"trials"`
}

// Lease is a trial handed out to a worker.
type Lease struct {
	Trial
	LeaseSeconds float64  `json:"lease_seconds" doc:"The worker loses the trial after so many seconds without a heartbeat. 0: it never does."`
	Limit        *float64 `json:"limit" doc:"How many seconds the trial may run, or null for no limit. A heartbeat may raise it."`
}
