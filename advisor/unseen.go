package advisor

import (
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Looks may mislead about a choice. A value that learns slowly and ends best, such as a robust loss, looks bad at every low fidelity, and is
// never evaluated in full. No model can know better, as long as nothing was seen of it at the highest fidelity. So whoever asks for the best
// setting is told of such values. Evaluating each of them in full unasked was tried, and cost more than it gained.

// onlyLooked says which values of choices were never evaluated in full, beside the choices of the best setting; "" if there are none, or if too
// little was evaluated in full for that to mean anything.
func onlyLooked(s *study.Study, r *study.Record, best space.Setting) string {
	full := 0
	for range r.EachResult() {
		full++
	}
	if s.Fidelity == nil || full < leastFull {
		return ""
	}
	var names []string
	for _, p := range s.Parameters {
		if _, exists := best[p.Name]; !exists || p.Kind != space.KindChoice {
			continue
		}
		for _, v := range p.Values {
			if o := (option{name: p.Name, value: v}); !o.wasEvaluated(r) {
				names = append(names, o.String())
			}
		}
	}
	return say.OnlyLooked(s, names)
}

// wasEvaluated says whether a full evaluation of the option has begun, or all looks at it failed or broke a limit.
func (o option) wasEvaluated(r *study.Record) bool {
	looks, bad := 0, 0
	for _, t := range r.Trials {
		switch {
		case !o.isIn(t.Setting) || isLost(t):
		case !t.Look:
			return true
		case isBad(t):
			bad++
			fallthrough
		default:
			looks++
		}
	}
	for _, k := range r.Known {
		if o.isIn(k.Setting) && !k.Look {
			return true
		}
	}
	return looks > 0 && bad == looks
}
