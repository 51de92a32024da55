package advisor

import "github.com/eke-bo/eke/study"

// DefaultPolicy takes the trial that is expected to improve the most for its price. Nothing else was better on the suite's problems,
// docs/RESULTS.md, and it is the simplest and fastest.
const DefaultPolicy = "log-ei-puc"

// Pick is the policy that was chosen for a study.
type Pick struct {
	Name string // Name is the policy's name.
	Why  string // Why says why it was chosen.
}

// Pick says which policy chooses the next trial. It resolves the policy "auto".
func (a *Advisor) Pick(*study.Record) Pick {
	if name := a.study.Policy.Name; name != "auto" && name != "" {
		return Pick{name, "the study says so"}
	}
	return Pick{DefaultPolicy, "the most improvement for the money"}
}
