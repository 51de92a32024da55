package insight

import (
	"fmt"
	"slices"

	"github.com/eke-bo/eke/space"
)

// Axis is one parameter's values, from one end to the other.
type Axis struct {
	Parameter string        `json:"parameter"`     // Parameter is its name.
	Kind      space.Kind    `json:"kind"`          // Kind says what values it takes.
	Log       bool          `json:"log,omitempty"` // Log says that equal ratios are equally far apart.
	Values    []space.Value `json:"values"`        // Values are those that were looked at, from one end to the other.
	At        space.Value   `json:"at,omitzero"`   // At is the value of the setting that is cut through; none: the parameter does not exist there.

	from   int         // its first coordinate
	places [][]float64 // the coordinates of each value
}

// axis lays out a parameter: all its values if there are at most n of them, or n evenly spread ones.
func (i *Insight) axis(name string, centre []float64, n int) (Axis, error) {
	params := i.space.Params()
	k := slices.IndexFunc(params, func(p space.Param) bool { return p.Name == name })
	if k < 0 {
		return Axis{}, fmt.Errorf("the study has no parameter %q", name)
	}
	p := params[k]
	from, to, _ := i.space.Coordinates(name)
	if from == to {
		return Axis{}, fmt.Errorf("%q has a single value", name)
	}
	// A space of this parameter alone knows its values; that it exists is not its concern.
	p.When = nil
	alone, err := space.New([]space.Param{p})
	if err != nil {
		return Axis{}, err
	}
	a := Axis{Parameter: name, Kind: p.Kind, Log: p.Log, At: i.space.Decode(centre)[name], from: from}
	points, few := alone.Enumerate(n)
	if !few {
		if p.Kind == space.KindChoice {
			return Axis{}, fmt.Errorf("%q has more than %d values, which have no order", name, n)
		}
		for step := range n {
			points = append(points, alone.Snap(nil, []float64{float64(step) / float64(n-1)}))
		}
		points = slices.CompactFunc(points, slices.Equal)
	}
	for _, x := range points {
		a.Values, a.places = append(a.Values, alone.Decode(x)[name]), append(a.places, x)
	}
	return a, nil
}

// put returns a point like another, with the axis' k-th value.
func (a *Axis) put(x []float64, k int) []float64 {
	x = slices.Clone(x)
	copy(x[a.from:], a.places[k])
	return x
}
