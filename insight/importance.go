package insight

import (
	"context"
	"math"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
)

// Importance is what one parameter does to value and cost.
type Importance struct {
	Parameter string `json:"parameter"` // Parameter is its name.
	Value     Share  `json:"value"`     // Value is its part in how the value varies.
	Cost      Share  `json:"cost"`      // Cost is its part in how the cost's logarithm varies: a factor is a factor, cheap or expensive.
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
	value, cost := i.models.Sensitivity(ctx, spans, i.advisor.Snap)
	if value == nil || cost == nil {
		return nil
	}
	for k := range list {
		list[k].Value = Share{First: value[k].First, Total: value[k].Total}
		list[k].Cost = Share{First: cost[k].First, Total: cost[k].Total}
	}
	i.directions(list)
	return list
}

// directions fills in where value and cost go along each ordered slice.
func (i *Insight) directions(list []Importance) {
	var values, costs [][]float64
	for _, s := range i.Slices {
		var value, cost []float64
		for _, p := range s.Points {
			value, cost = append(value, p.Value), append(cost, math.Log(math.Max(p.CostMedian, math.SmallestNonzeroFloat64)))
		}
		values, costs = append(values, value), append(costs, cost)
	}
	value, cost := widest(values), widest(costs)
	for k := range list {
		for s, slice := range i.Slices {
			if slice.Parameter == list[k].Parameter && slice.Kind != space.KindChoice {
				list[k].Value.Direction = direction(values[s], value)
				list[k].Cost.Direction = direction(costs[s], cost)
			}
		}
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
