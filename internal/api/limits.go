package api

import (
	"time"

	"github.com/eke-bo/eke/study"
)

// Prefix is the part of the path that all operations share.
const Prefix = "/api/v1"

// What a server accepts. Struct tags say the same, and a test compares them.
const (
	MaxBody   = 1 << 20         // bytes of a request
	MaxValue  = 1e100           // a result, on either side of zero
	MaxCost   = study.MaxAmount // a cost or a budget
	MaxNote   = 4000            // characters
	MaxName   = 200             // characters of a study's name
	MaxKey    = 200             // characters of an Idempotency-Key
	MaxCount  = 64              // trials in one ask
	MaxListed = 10000           // trials or events in one answer

	WorkerPattern = "^[A-Za-z0-9_.:@/+-]{1,100}$" // a worker's name
)

// MaxAsk is how long an ask may take, including the wait for others.
const MaxAsk = 10 * time.Minute

// PingEvery is how often a stream of events sends a ping.
const PingEvery = 15 * time.Second
