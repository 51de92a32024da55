package kubernetes

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// attempt is one pod of a trial, as far as it is charged. It is on disk, since the pod goes.
type attempt struct {
	Pod       string             `json:"pod"`
	UID       string             `json:"uid"`
	Node      string             `json:"node,omitempty"`
	Label     string             `json:"label,omitempty"` // the node's, by which it has other prices
	Asked     bool               `json:"asked,omitempty"` // the node's labels are known
	Created   time.Time          `json:"created"`
	Scheduled time.Time          `json:"scheduled,omitzero"`
	Started   time.Time          `json:"started,omitzero"`
	Finished  time.Time          `json:"finished,omitzero"`
	Over      bool               `json:"over,omitempty"`    // it has ended, as the API server says
	Guessed   string             `json:"guessed,omitempty"` // why its end is an estimate
	Seen      time.Time          `json:"seen"`              // when it was last seen alive
	Requests  map[string]float64 `json:"requests"`

	Exit      *study.Exit `json:"exit,omitempty"`
	Reason    string      `json:"reason,omitempty"`
	Message   string      `json:"message,omitempty"`
	Disrupted string      `json:"disrupted,omitempty"` // by whom
	Deleted   bool        `json:"deleted,omitempty"`   // it was deleted before it had ended
	Log       int64       `json:"log,omitempty"`       // where its log begins in the file
	Logged    bool        `json:"logged,omitempty"`

	version string // of the pod that this was read from
}

// lostStatus reports whether the kubelet has lost sight of the command, as after its node went down: its words are not the command's.
func (a *attempt) lostStatus() bool {
	return a.Reason == "ContainerStatusUnknown" || a.Reason == "Unknown"
}

// replaced reports whether Kubernetes has made another pod after this one: a disruption does not end a Job.
func (a *attempt) replaced() bool {
	return a.Disrupted != "" && (a.Exit == nil || *a.Exit != study.Exit{})
}

// begins is from when on an attempt costs; zero if it does not yet.
func (a *attempt) begins(c study.Cost) time.Time {
	if c.From == study.FromScheduled {
		return a.Scheduled
	}
	return a.Started
}

// lasted is how long an attempt is paid for. The API server counts whole seconds, so whatever ran has run for one.
func (a *attempt) lasted(c study.Cost, now time.Time) time.Duration {
	begin, end := a.begins(c), a.Finished
	if begin.IsZero() {
		return 0
	}
	if end.IsZero() {
		if end = now; a.Over {
			end = a.Seen
		}
	}
	return max(end.Sub(begin).Round(time.Second), time.Second)
}

// perHour is the most that requests cost in an hour, on any node.
func (e *Engine) perHour(requests map[string]float64) float64 {
	if len(e.Charge.Prices) > 0 {
		return e.Charge.PerHour(requests)
	}
	return counted(e.Charge, requests)
}

// counted is how much requests have of what the study counts, such as cores, in units; with a price, what that costs.
func counted(c study.Cost, requests map[string]float64) (sum float64) {
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if cluster.Counts(c.Of, name) {
			sum += cluster.InUnits(name, requests[name])
		}
	}
	if c.Price > 0 {
		sum *= c.Price
	}
	return sum
}

// price is what an attempt has cost.
func (a *attempt) price(c study.Cost, now time.Time) float64 {
	hours := a.lasted(c, now).Hours()
	if len(c.Prices) == 0 {
		return counted(c, a.Requests) * hours
	}
	prices := c.Prices
	if own, ok := c.NodePrices[a.Label]; ok {
		prices = own
	}
	return cluster.PerHour(prices, a.Requests) * hours
}

// labelFor is the label by which a node has other prices, the first in alphabetical order; "": it has none.
func labelFor(c study.Cost, labels map[string]string) string {
	for _, l := range slices.Sorted(maps.Keys(c.NodePrices)) {
		if name, value, _ := strings.Cut(l, "="); labels[name] == value && value != "" {
			return l
		}
	}
	return ""
}

// sum is what all attempts have cost. It is a guess if the end of one was not seen, or what its node costs.
func sum(attempts []*attempt, c study.Cost, now time.Time) (cost engine.Cost) {
	cost.Known = true
	for _, a := range attempts {
		cost.Amount += a.price(c, now)
		cost.Guess = cost.Guess || a.Guessed != "" || len(c.NodePrices) > 0 && !a.Asked && !a.begins(c).IsZero()
	}
	return cost
}

// wall is how long commands ran, over all attempts.
func wall(attempts []*attempt, now time.Time) (sum time.Duration) {
	for _, a := range attempts {
		sum += a.lasted(study.Cost{}, now)
	}
	return sum
}
