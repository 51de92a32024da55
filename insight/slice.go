package insight

import (
	"fmt"
	"slices"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Slice tells how value and cost change along one parameter while all others are held. Where the parameter brings others
// into existence, these have the middle of their range.
type Slice struct {
	Axis                    // Axis has the values of the parameter.
	Points []study.Expected `json:"points"` // Points has what is expected at each of them.
}

// slicePoints is how finely a slice is cut.
const slicePoints = 61

// Slice cuts through a setting along a parameter that exists there.
func (i *Insight) Slice(parameter string, at space.Setting) (Slice, error) {
	if i.models == nil {
		return Slice{}, ErrNotEnough
	}
	centre, err := i.space.Encode(at)
	if err != nil {
		return Slice{}, err
	}
	a, err := i.axis(parameter, centre, slicePoints)
	if err != nil {
		return Slice{}, err
	}
	if a.At.IsZero() {
		return Slice{}, fmt.Errorf("%q does not exist under this setting", parameter)
	}
	return i.slice(a, centre), nil
}

// slices are those through the best setting.
func (i *Insight) slices() (list []Slice) {
	for _, p := range i.space.Params() {
		if a, err := i.axis(p.Name, i.centre, slicePoints); err == nil && !a.At.IsZero() {
			list = append(list, i.slice(a, i.centre))
		}
	}
	return list
}

func (i *Insight) slice(a Axis, centre []float64) Slice {
	points := make([][]float64, len(a.Values))
	for k := range points {
		points[k] = i.space.Snap(nil, a.put(centre, k))
	}
	return Slice{a, i.expected(points)}
}

func (i *Insight) expected(points [][]float64) []study.Expected {
	list := make([]study.Expected, len(points))
	for k, p := range i.advisor.Predict(i.models, points) {
		list[k] = i.advisor.Expected(p)
	}
	return list
}

// Heat is what the models expect over two parameters, all others held at the best setting. Rows belong to A's
// values, columns to B's.
type Heat struct {
	A          Axis          `json:"a"`           // A is the parameter of the rows.
	B          Axis          `json:"b"`           // B is the parameter of the columns.
	At         space.Setting `json:"at"`          // At is the setting that the map goes through, the setting of the best result.
	Value      [][]float64   `json:"value"`       // Value is the mean of the value.
	ValueSD    [][]float64   `json:"value_sd"`    // ValueSD is the standard deviation of the value.
	CostMedian [][]float64   `json:"cost_median"` // CostMedian is the median of the cost.
	Exists     [][]bool      `json:"exists"`      // Exists is false where one of the two parameters does not exist; the figures are then those without it.
}

// mostHeat bounds a heat map's side: a browser asks for these.
const mostHeat = 256

// Heat maps two parameters on a grid of n × n values, fewer where a parameter has fewer.
func (i *Insight) Heat(a, b string, n int) (Heat, error) {
	switch {
	case i.models == nil:
		return Heat{}, ErrNotEnough
	case a == b:
		return Heat{}, fmt.Errorf("a heat map needs two parameters, not %q twice", a)
	case n < 2 || n > mostHeat:
		return Heat{}, fmt.Errorf("a heat map of %d × %d; give from 2 to %d", n, n, mostHeat)
	}
	var err error
	h := Heat{At: i.Through}
	if h.A, err = i.axis(a, i.centre, n); err != nil {
		return Heat{}, err
	}
	if h.B, err = i.axis(b, i.centre, n); err != nil {
		return Heat{}, err
	}
	points, some := make([][]float64, len(h.B.Values)), false
	for r := range h.A.Values {
		exists := make([]bool, len(points))
		for c := range points {
			points[c] = i.space.Snap(nil, h.B.put(h.A.put(i.centre, r), c))
			setting := i.space.Decode(points[c])
			exists[c] = !setting[a].IsZero() && !setting[b].IsZero()
			some = some || exists[c]
		}
		h.row(i.expected(points), exists)
	}
	if !some {
		return Heat{}, fmt.Errorf("%q and %q do not exist together around the best setting", a, b)
	}
	return h, nil
}

func (h *Heat) row(list []study.Expected, exists []bool) {
	value, sd, cost := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for c, e := range list {
		value[c], sd[c], cost[c] = e.Value, e.ValueSD, e.CostMedian
	}
	h.Value, h.ValueSD = append(h.Value, value), append(h.ValueSD, sd)
	h.CostMedian, h.Exists = append(h.CostMedian, cost), append(h.Exists, exists)
}

// Axis is one parameter's values, from one end to the other.
type Axis struct {
	Parameter string        `json:"parameter"`     // Parameter is its name.
	Kind      space.Kind    `json:"kind"`          // Kind says what values it takes.
	Log       bool          `json:"log,omitempty"` // Log says that equal ratios are equally far apart.
	Values    []space.Value `json:"values"`        // Values are the values that were looked at, from one end to the other.
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
