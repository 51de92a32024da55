package advisor

import (
	"slices"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Looks may mislead about a choice. A value that learns slowly and ends best, such as a robust loss, looks bad at every low fidelity, and is
// never evaluated in full. No model can know better, as long as nothing was seen of it at the highest fidelity. So whoever asks for the best
// setting is told of such values. Evaluating each of them in full unasked was tried, and cost more than it gained. Without a fidelity, money may end
// before each value was tried.

// untried says which values of choices were never evaluated, or never in full, beside the choices of the best setting; "" if there are none, or if
// too little was evaluated for that to mean anything. An earlier study may be why values were not tried, and several objectives have no one best setting.
func untried(s *study.Study, r *study.Record, best space.Setting) string {
	full := 0
	for range r.EachResult() {
		full++
	}
	inDesign := full < leastResults(s) && r.Ledger.Spent <= r.Ledger.Total/4 // which takes no more than a quarter of the budget
	if full < leastFull || inDesign || s.Fidelity == nil && (r.Earlier != nil || s.Several()) {
		return ""
	}
	var names []string // of the values
	var first []string // what to ask for, to have the first of them evaluated
	var sp *space.Space
	for _, p := range s.Parameters {
		if _, exists := best[p.Name]; !exists || p.Kind != space.KindChoice {
			continue
		}
		for _, v := range p.Values {
			o := option{name: p.Name, value: v}
			if o.wasEvaluated(r) {
				continue
			}
			if sp == nil { // looking for settings that meet constraints takes time
				var err error
				if sp, err = s.Space(); err != nil {
					return ""
				}
			}
			part := space.Setting{}
			addNeeds(s, p, best, part)
			part[p.Name] = v
			if _, err := sp.Hold(part); err != nil {
				continue
			}
			if names = append(names, o.String()); len(names) == 1 {
				first = assignments(s, part)
			}
		}
	}
	if r.MayAsk() != nil {
		first = nil
	}
	return say.Untried(s, names, first)
}

// addNeeds adds to a part of the best setting what a parameter needs in order to exist.
func addNeeds(s *study.Study, p space.Param, best, part space.Setting) {
	for _, c := range p.When {
		if i := slices.IndexFunc(s.Parameters, func(p space.Param) bool { return p.Name == c.Param }); i >= 0 {
			addNeeds(s, s.Parameters[i], best, part)
			part[c.Param] = best[c.Param]
		}
	}
}

// assignments writes a part of a setting as arguments of a command.
func assignments(s *study.Study, part space.Setting) (list []string) {
	for _, p := range s.Parameters {
		if v, given := part[p.Name]; given {
			list = append(list, option{name: p.Name, value: v}.String())
		}
	}
	return list
}

// wasEvaluated says whether a full evaluation of the option has begun, or all looks at it failed or broke a limit.
func (o option) wasEvaluated(r *study.Record) bool {
	looks, bad := 0, 0
	for _, t := range r.Trials {
		switch {
		case !o.isIn(t.Setting) || isLost(t) || !t.IsEvidence():
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
		if o.isIn(k.Setting) && !k.Look && !k.Forgotten && !k.Outside {
			return true
		}
	}
	return looks > 0 && bad == looks
}
