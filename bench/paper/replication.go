package paper

import "math"

// Replication is one run of one policy on one problem: a line of the results.
type Replication struct {
	Problem string  `json:"problem"`
	Policy  string  `json:"policy"` // the name for policy.New
	Preset  string  `json:"preset"` // "paper" or "default"
	Budget  float64 `json:"budget"` // in the problem's unit of cost; the initial design is not charged to it
	Number  int     `json:"rep"`    // draws costs and design; from 0

	Best    float64   `json:"best"`    // f*, the largest value
	Design  float64   `json:"design"`  // the largest value of the initial design
	Values  []float64 `json:"values"`  // of the trials after the design, in their order; the last may go past the budget
	Costs   []float64 `json:"costs"`   // of the same trials
	Seconds float64   `json:"seconds"` // mean time of a suggestion, on one core
}

// Key is what no two lines of the results share.
type Key struct {
	Problem, Policy, Preset string
	Budget                  float64
	Number                  int
}

// Key returns the replication's key.
func (r Replication) Key() Key { return Key{r.Problem, r.Policy, r.Preset, r.Budget, r.Number} }

// leastRegret is the floor of a regret before its logarithm is taken. f* is not known more
// precisely.
const leastRegret = 1e-8

// LogRegret returns log10(f* − the best value found for that much money). A trial whose cost goes past it does not
// count.
func (r Replication) LogRegret(spent float64) float64 {
	best, sum := r.Design, 0.0
	for i, c := range r.Costs {
		if sum += c; sum > spent {
			break
		}
		best = math.Max(best, r.Values[i])
	}
	return math.Log10(math.Max(r.Best-best, leastRegret))
}
