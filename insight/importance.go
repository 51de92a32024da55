package insight

import (
	"context"
	"math"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Importance is what one parameter does to value and cost.
type Importance struct {
	Parameter string `json:"parameter"` // Parameter is its name.
	Value     Share  `json:"value"`     // Value is its part in how the value varies.
	Cost      Share  `json:"cost"`      // Cost is its part in how the cost's logarithm varies: a factor is a factor, cheap or expensive.

	// Also is its part in how the other objectives of a study with several vary, by name.
	Also map[string]Share `json:"also,omitempty" doc:"The same for the other objectives of a study with several, by name."`
}

// Share is a parameter's part in how much the model varies over all settings, a Sobol index: First by itself, Total
// together with others.
type Share struct {
	First     float64   `json:"first"`               // First is what the parameter explains by itself.
	Total     float64   `json:"total"`               // Total is what it explains by itself and together with others.
	Direction Direction `json:"direction,omitempty"` // Direction is where the model goes as the parameter grows; empty for choices.
}

// Direction is where the model goes as a parameter grows, on the slice through the best setting.
type Direction string

const (
	Rises  Direction = "rises"  // Rises goes up.
	Falls  Direction = "falls"  // Falls goes down.
	Peaks  Direction = "peaks"  // Peaks is highest inside.
	Dips   Direction = "dips"   // Dips is lowest inside.
	Flat   Direction = "flat"   // Flat hardly moves.
	Varies Direction = "varies" // Varies goes up and down more than once.
)

// importance asks the models about all settings, and the slices for directions.
func (i *Insight) importance(ctx context.Context) (list []Importance) {
	var spans []policy.Span
	for _, p := range i.advisor.Study().Parameters { // of a fidelity, slices tell
		if from, to, _ := i.space.Coordinates(p.Name); from < to {
			spans = append(spans, policy.Span{From: from, To: to})
			list = append(list, Importance{Parameter: p.Name})
		}
	}
	value, cost, also := i.models.Sensitivity(ctx, spans, i.advisor.Snap)
	if value == nil || cost == nil {
		return nil
	}
	for k := range list {
		list[k].Value = Share{First: value[k].First, Total: value[k].Total}
		list[k].Cost = Share{First: cost[k].First, Total: cost[k].Total}
		for j, shares := range also {
			if list[k].Also == nil {
				list[k].Also = map[string]Share{}
			}
			list[k].Also[i.advisor.Study().Objectives[j+1].Name] = Share{First: shares[k].First, Total: shares[k].Total}
		}
	}
	i.directions(list)
	return list
}

// directions fills in where values and cost go along each ordered slice.
func (i *Insight) directions(list []Importance) {
	along := func(of func(study.Expected) float64, set func(*Importance, Direction)) {
		curves := make([][]float64, len(i.Slices))
		for s, slice := range i.Slices {
			for _, p := range slice.Points {
				curves[s] = append(curves[s], of(p))
			}
		}
		most := widest(curves)
		for k := range list {
			for s, slice := range i.Slices {
				if slice.Parameter == list[k].Parameter && slice.Kind != space.KindChoice {
					set(&list[k], direction(curves[s], most))
				}
			}
		}
	}
	along(func(p study.Expected) float64 { return p.Value }, func(m *Importance, d Direction) { m.Value.Direction = d })
	along(func(p study.Expected) float64 { return math.Log(math.Max(p.CostMedian, math.SmallestNonzeroFloat64)) }, func(m *Importance, d Direction) { m.Cost.Direction = d })
	if len(list) == 0 {
		return
	}
	for name := range list[0].Also {
		along(func(p study.Expected) float64 { return p.Also[name].Value }, func(m *Importance, d Direction) {
			share := m.Also[name]
			share.Direction = d
			m.Also[name] = share
		})
	}
}

// direction tells the shape of a curve. Moves below a twentieth of its own range are ripples, and a range below a
// thirtieth of the widest one, or in the last digits, is flat.
func direction(y []float64, widest float64) Direction {
	lo, hi := extremes(y)
	if !(hi-lo > math.Max(widest/30, 1e-9*math.Max(math.Abs(lo), math.Abs(hi)))) {
		return Flat
	}
	var turns []float64 // the signs of the moves that are no ripples
	from := y[0]
	for _, v := range y {
		last := 0.0
		if len(turns) > 0 {
			last = turns[len(turns)-1]
		}
		switch move := v - from; {
		case move*last > 0:
			from = v // further in the same direction
		case math.Abs(move) > (hi-lo)/20:
			turns, from = append(turns, math.Copysign(1, move)), v
		}
	}
	switch {
	case len(turns) == 1 && turns[0] > 0:
		return Rises
	case len(turns) == 1:
		return Falls
	case len(turns) == 2 && turns[0] > 0:
		return Peaks
	case len(turns) == 2:
		return Dips
	}
	return Varies
}

func widest(curves [][]float64) (widest float64) {
	for _, y := range curves {
		lo, hi := extremes(y)
		widest = math.Max(widest, hi-lo)
	}
	return widest
}

func extremes(y []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range y {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	return lo, hi
}
