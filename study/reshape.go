package study

import (
	"encoding/json"

	"github.com/eke-bo/eke/space"
)

// reshaped takes over a definition with other parameters. Every setting gets its point in the new space, with the defaults of
// parameters that are new. What the new parameters do not allow stays on record, but outside of what is searched.
func (r *Record) reshaped(e Event) error {
	var s Study
	if err := json.Unmarshal(e.Definition, &s); err != nil {
		return refuse("the definition cannot be read: %v", err)
	}
	sp, err := s.Space()
	if err != nil {
		return refuse("the parameters cannot be used: %v", err)
	}
	for i := range r.Trials {
		t := &r.Trials[i]
		t.Setting, t.Point, t.Outside = Refit(sp, t.Setting, t.Point)
		t.Look = s.IsLook(t.Setting)
		t.Plan = nil // its points are of the old space
	}
	for i := range r.Known {
		k := &r.Known[i]
		k.Setting, k.Point, k.Outside = Refit(sp, k.Setting, k.Point)
		k.Look = s.IsLook(k.Setting)
	}
	for i := range r.Queue {
		q := &r.Queue[i]
		q.Setting, q.Point, q.Outside = Refit(sp, q.Setting, q.Point)
	}
	r.Definition, r.Shaped = e.Definition, e.Seq
	return nil
}

// Refit returns a setting, and its point, as a space has them. A parameter that the setting lacks gets its default. If the space
// does not allow the setting, it is returned as it was, and outside is true.
func Refit(sp *space.Space, setting space.Setting, point []float64) (_ space.Setting, _ []float64, outside bool) {
	full := sp.Complete(setting)
	place, err := sp.Encode(full)
	if err != nil {
		return setting, point, true
	}
	return full, place, false
}
