package suite

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/bench/campaign"
	"github.com/eke-bo/eke/bench/variant"
)

// Run is the record of one study: a line of the results.
type Run struct {
	Problem string `json:"problem"`
	Policy  string `json:"policy"`            // its label, see variant.Variant
	Number  int    `json:"rep"`               // of the replication; draws the problem; from 0
	Print   string `json:"print"`             // fingerprint of the problem's first replication: another print is another problem
	Workers int    `json:"workers,omitempty"` // trials at a time; 0: one

	Curve   []float64 `json:"curve"`   // log10 regret of the reported best with 5 %, 10 %, …, 100 % of the money spent
	Trials  int       `json:"trials"`  // that counted or not, the design included
	Design  int       `json:"design"`  // those of the initial design among them
	Ended   string    `json:"ended"`   // "spent", "not worth", "exhausted"
	Left    float64   `json:"left"`    // part of the budget that was not spent
	Seconds float64   `json:"seconds"` // of thinking, all suggestions together, on one core

	// Steps are the moments at which another best was reported: the fraction of the money spent, the time, and log10 regret from then on. The
	// time is that of Play's clock, as a fraction of what one worker needs to spend the budget. Runs of earlier versions have none.
	Steps [][3]float64 `json:"steps,omitempty"`
	Clock float64      `json:"clock,omitempty"` // when the study ended, in the same unit; only if there is more than one worker

	Changed float64 `json:"changed,omitempty"` // what went into changes, as a part of the budget

	Wasted *float64 `json:"wasted,omitempty"` // fraction of the money after the design; nil: noisy, or nothing was spent
	Values [2]Bands `json:"values"`           // early and late forecasts of values
	Costs  [2]Bands `json:"costs"`            // and of costs
	Odds   [][3]int `json:"odds,omitempty"`   // chance to beat the best, after the design: trials, expected per mille, and how many did; by oddsEdges; nil: noisy
	Counts [][3]int `json:"counts,omitempty"` // chance to work and to meet the limits, likewise; nil: nothing fails, and there are no limits

	// Of problems where evaluations fail: the fraction of the money after the design that failures took, and the most failures in a row near known ones.
	FailedMoney *float64 `json:"failed_money,omitempty"`
	FailedInRow int      `json:"failed_in_row,omitempty"`

	Fits [][3]int `json:"fits"` // chance to fit: trials, expected per mille, and how many did fit; by fitEdges
}

// Key is what no two lines of the results share.
type Key struct {
	Problem, Policy string
	Number          int
	Print           string
	Workers         int // 0: one
}

// Key returns the run's key.
func (r Run) Key() Key { return Key{r.Problem, r.Policy, r.Number, r.Print, r.Workers} }

// String names the run for people.
func (k Key) String() string {
	return fmt.Sprintf("%s %s %d", k.Problem, withWorkers(k.Policy, k.Workers), k.Number)
}

// Kind is shared by runs that take about as long.
func (k Key) Kind() string { return k.Problem + " " + withWorkers(k.Policy, k.Workers) }

// withWorkers names a policy with this many workers, as if it were another one.
func withWorkers(policy string, workers int) string {
	if workers <= 1 {
		return policy
	}
	return fmt.Sprintf("%s, %d workers", policy, workers)
}

// weights are how long policies take in proportion to each other, roughly.
var weights = map[string]float64{"random": 0.3, "auto": 8, "2-bmsei-p": 4, "4-bmsei-p": 8, "2-bmsei": 8, "4-bmsei": 40}

// Weight guesses how long the run takes.
func (k Key) Weight() float64 {
	weight := 1.0
	if v, err := variant.Parse(k.Policy); err == nil && weights[v.Policy] > 0 {
		weight = weights[v.Policy]
	}
	switch {
	case strings.HasSuffix(k.Problem, "-large"):
		weight *= 40
	case strings.HasSuffix(k.Problem, "-tiny"):
		weight /= 5
	}
	return weight
}

// Folder is where runs are kept.
func Folder(dir string) *campaign.Folder[Key, Run] {
	return &campaign.Folder[Key, Run]{
		Dir: dir, KeyOf: Run.Key, Rounded: Run.rounded,
		Compare: func(a, b Run) int {
			return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Workers, b.Workers), cmp.Compare(a.Number, b.Number))
		},
		Check: func(r Run) error {
			if len(r.Curve) != curvePoints || r.Problem == "" || r.Policy == "" {
				return fmt.Errorf("not a run, or %d points of its curve, not %d", len(r.Curve), curvePoints)
			}
			return nil
		},
		Seconds: func(r Run) float64 { return r.Seconds },
	}
}

// curvePoints is the number of moments at which the regret is kept.
const curvePoints = 20

// At returns log10 regret with a fraction of the money spent, a multiple of 1/curvePoints.
func (r Run) At(part float64) float64 { return r.Curve[int(math.Round(part*curvePoints))-1] }

// Final is log10 regret when the study ended.
func (r Run) Final() float64 { return r.Curve[curvePoints-1] }

// wasted is Wasted, or NaN.
func (r Run) wasted() float64 {
	if r.Wasted == nil {
		return math.NaN()
	}
	return *r.Wasted
}

// rounded returns the run without meaningless digits.
func (r Run) rounded() Run {
	curve := make([]float64, len(r.Curve))
	for i, v := range r.Curve {
		curve[i] = decimals(v, 4)
	}
	var steps [][3]float64
	for _, s := range r.Steps {
		steps = append(steps, [3]float64{decimals(s[0], 5), decimals(s[1], 5), decimals(s[2], 4)})
	}
	r.Steps, r.Clock = steps, decimals(r.Clock, 5)
	r.Curve, r.Left, r.Seconds = curve, decimals(r.Left, 4), decimals(r.Seconds, 3)
	if r.Wasted != nil {
		w := decimals(*r.Wasted, 4)
		r.Wasted = &w
	}
	for i := range 2 {
		r.Values[i], r.Costs[i] = r.Values[i].rounded(), r.Costs[i].rounded()
	}
	return r
}

func decimals(v float64, n int) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', n, 64), 64)
	if err != nil {
		return v
	}
	return short
}
