package advisor

import (
	"fmt"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// DefaultPolicy takes what is expected to improve the most for its price.
const DefaultPolicy = "log-ei-puc"

// Pick is the policy that was chosen for a study.
type Pick struct {
	Name string // Name is the policy's name.
	Why  string // Why says why it was chosen.
}

// Pick says which policy chooses the next trial. It resolves the policy "auto": as far ahead as pays. Planning
// takes tenths of a second, which is nothing where a trial takes minutes and much where it takes milliseconds; in
// many dimensions or with many observations a plan of several steps is guesswork at a high price.
func (a *Advisor) Pick(r *study.Record) Pick {
	if name := a.study.Policy.Name; name != "auto" && name != "" {
		return Pick{name, "the study says so"}
	}
	tried, seconds := a.experience(r)
	switch {
	case tried > 400:
		return Pick{"ei-puc-cc", "with more than 400 trials planning ahead costs more than it brings"}
	case a.space.Dim() > 12:
		return Pick{"ei-puc-cc", fmt.Sprintf("in %d dimensions plans of several steps are guesswork", a.space.Dim())}
	case seconds > 0 && seconds < 0.1:
		return Pick{"ei-puc-cc", "trials take " + say.Duration(seconds) + ", less than planning would"}
	default:
		return Pick{DefaultPolicy, "plans four tries ahead under the budget"}
	}
}

// experience is how many settings have been tried, here or elsewhere, and how long that takes on average; 0 where the cost is not wall time. Then
// the time is nobody's business: the same outcomes must give the same trials on a slower machine.
func (a *Advisor) experience(r *study.Record) (tried int, seconds float64) {
	lost, timed := a.lost(r), 0.0
	tried = len(r.Known)
	for _, trial := range r.Trials {
		if lost[trial.Number] {
			continue
		}
		tried++
		if trial.State == study.Done && r.Measured {
			seconds, timed = seconds+trial.Charged, timed+1
		}
	}
	return tried, seconds / max(timed, 1)
}
