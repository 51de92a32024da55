package advisor

import (
	"math"

	"github.com/eke-bo/eke/study"
)

// Saved returns what stopping a trial early has saved: what it was expected to cost, half of the time, less what it was charged. It is 0
// for all other trials, and if nobody knew what to expect.
func Saved(t study.Trial) float64 {
	why, ok := WhyOf(t.Why)
	if t.State != study.StoppedEarly || !ok || why.Expected == nil {
		return 0
	}
	return math.Max(why.Expected.CostMedian-t.Charged, 0)
}
