package api

import "time"

// Prefix is the part of the path that all operations share.
const Prefix = "/api/v1"

// What a server accepts. The tags of the bodies say the same; a test compares them.
const (
	MaxBody  = 1 << 20 // bytes of a request
	MaxValue = 1e100   // of a result, either way from zero
	MaxCost  = 1e15    // of a trial or a budget: sums of more are not exact
	MaxNote  = 4000    // characters

	MaxAsked  = 64    // trials in one ask
	MaxListed = 10000 // trials or events in one answer
	MaxKey    = 200   // characters of an Idempotency-Key
)

// MaxAsk is how long an ask may take, including the wait for others.
const MaxAsk = 10 * time.Minute

// PingEvery is how often a stream of events sends a ping.
const PingEvery = 15 * time.Second
