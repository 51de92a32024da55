package broker

import (
	"math"
	"time"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// falseStart is how long a trial may take that ends without a cost before anything is known of costs, and is charged
// nothing: it is a program that does not start, not one that has used what was reserved for it.
const falseStart = time.Minute

// Estimate is what a trial is charged that took so long and ended without reporting a cost: where the cost is wall time, that;
// otherwise what trials have cost per second so far. It is never more than was reserved. The words say how it was
// found; there are none for wall time, which is no estimate.
func Estimate(r *study.Record, trial int, wall time.Duration) (charged float64, words string) {
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
