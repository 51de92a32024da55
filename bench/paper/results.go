package paper

import (
	"fmt"
	"math"
	"strconv"

	"github.com/eke-bo/eke/bench/campaign"
)

// Folder is where replications are kept.
func Folder(dir string) *campaign.Folder[Key, Replication] {
	return &campaign.Folder[Key, Replication]{
		Dir: dir, KeyOf: Replication.Key, Rounded: Replication.rounded,
		Compare: func(a, b Replication) int { return compareKeys(a.Key(), b.Key()) },
		Check: func(r Replication) error {
			if len(r.Values) != len(r.Costs) || r.Problem == "" || r.Policy == "" {
				return fmt.Errorf("not a replication, or %d values for %d costs", len(r.Values), len(r.Costs))
			}
			return nil
		},
		Seconds: func(r Replication) float64 { return r.Seconds * float64(len(r.Values)) },
	}
}

// rounded returns the replication with no more digits than matter: the file is a third of the size.
func (r Replication) rounded() Replication {
	all := func(list []float64) []float64 {
		out := make([]float64, len(list))
		for i, v := range list {
			out[i] = significant(v, 9)
		}
		return out
	}
	r.Values, r.Costs = all(r.Values), all(r.Costs)
	r.Design, r.Seconds = significant(r.Design, 9), significant(r.Seconds, 4)
	return r
}

func significant(v float64, digits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v // rounded up past the largest number
	}
	return short
}
