package broker

import (
	"math"
	"time"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// falseStart is the time within which a trial that reports no cost is charged nothing, as long as nothing is known about costs. Such a
// trial is a program that does not start, not one that has used up its reservation.
const falseStart = time.Minute

// Estimate is what to charge a trial that ended without reporting a cost. Where the cost is wall time, it is that; otherwise it follows
// from what trials have cost per second so far. It is never more than the reservation. The words explain the estimate; there are none
// for wall time, which is not an estimate.
func Estimate(r *study.Record, trial int, wall time.Duration) (charged float64, words string) {
	if t := r.Trials[trial-1]; t.State == study.Abandoned {
		return t.Charged, "" // the estimate was made when it was
	}
	reserved := r.Trials[trial-1].Reserved
	if r.Measured {
		return math.Min(wall.Seconds(), reserved), ""
	}
	cost, seconds := 0.0, 0.0
	for _, t := range r.Trials {
		if t.State == study.Done && t.Wall > 0 {
			cost, seconds = cost+t.Charged, seconds+t.Wall
		}
	}
	how := "estimated from the time it took"
	switch {
	case seconds > 0:
		charged = math.Min(cost/seconds*wall.Seconds(), reserved)
	case wall < falseStart:
		how = "since nothing is known of costs yet and it took less than a minute"
	default:
		charged, how = reserved, "which was reserved for it, since nothing is known of costs yet"
	}
	return charged, "it reported no cost and is charged " + say.Number(charged) + ", " + how
}
