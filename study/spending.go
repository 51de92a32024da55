package study

// Spending is where the money of the trials that have ended went. Terminal, report, HTTP and page all show these sums.
type Spending struct {
	Results float64 `json:"results" doc:"What the trials cost that returned a value at the highest fidelity."`         // Results is what full trials cost that returned a value.
	Looks   float64 `json:"looks" doc:"What the looks cost that returned a value: trials below the highest fidelity."` // Looks is what the looks cost that returned a value.
	Lost    float64 `json:"lost" doc:"What all other trials cost, such as those that failed or were over budget."`     // Lost is what all other trials cost.
}

// Spending adds up what the trials cost.
func (r *Record) Spending() (s Spending) {
	for _, t := range r.Trials {
		switch {
		case !t.State.Ended():
		case t.HasCounted(): // a result beyond a limit is a result
			s.Results += t.Charged
		case t.Look && t.State == Done && t.IsEvidence() && !t.Beyond:
			s.Looks += t.Charged
		default:
			s.Lost += t.Charged
		}
	}
	return s
}

// recently is how many recent trials tell the price of the next ones: few, since policies turn to expensive settings late.
const recently = 10

// Price is what recent full trials have cost on average. Looks cost less, and do not say what the rest of the money buys. Without a full
// trial that has a value and a cost, nobody knows.
func (r *Record) Price() (each float64, known bool) {
	sum, n := 0.0, 0
	for i := len(r.Trials) - 1; i >= 0 && n < recently; i-- {
		if t := r.Trials[i]; t.State == Done && !t.Look && t.Charged > 0 {
			sum, n = sum+t.Charged, n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}
