package advisor

import "github.com/eke-bo/eke/study"

// DefaultPolicy weighs what a trial may gain against its price, and lowers the price of money as long as there is some left. On the suite's
// problems it has the best mean rank, docs/RESULTS.md, and it is as fast as the simplest.
const DefaultPolicy = "gittins-d"

// simplePolicy takes the trial that is expected to improve the most for its price. It is the default where values have noise, since the index takes
// them for certain, and where there are several fidelities, since looks are compared by improvement for the money.
const simplePolicy = "log-ei-puc"

// Pick is the policy that was chosen for a study.
type Pick struct {
	Name string // Name is the policy's name.
	Why  string // Why says why it was chosen.
}

// Pick says which policy chooses the next trial. It resolves the policy "auto". The record may be nil.
func (a *Advisor) Pick(r *study.Record) Pick {
	if name := a.study.Policy.Name; name != "auto" && name != "" {
		return Pick{name, "the study says so"}
	}
	if a.study.Fidelity != nil || a.study.Noisy || r != nil && a.hasNoise(r) {
		return Pick{simplePolicy, "the most improvement for the money"}
	}
	return Pick{DefaultPolicy, "what it may gain is the most worth its price"}
}
