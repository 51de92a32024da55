package problem

// formula is a problem in closed form, whose costs are waves.
type formula struct {
	box    box
	value  func(x []float64) float64 // in the problem's own units
	best   []float64                 // the maximiser x*
	around []float64                 // the x* of the costs, where it differs from best; nil otherwise
	beta0  float64                   // base frequency of the costs
	budget float64
}

// problem gives the formula the costs of a replication.
func (f formula) problem(replication uint64) *Problem {
	return f.priced(drawWaves(replication, f.beta0, f.centre()))
}

// centre returns the x* of the costs.
func (f formula) centre() []float64 {
	if f.around != nil {
		return f.around
	}
	return f.best
}

// priced gives the formula the costs w.
func (f formula) priced(w waves) *Problem {
	return &Problem{
		Dim:        len(f.box),
		Budget:     f.budget,
		Best:       f.value(f.best),
		BestAt:     f.box.unit(f.best),
		BestSource: known,
		Evaluate: func(unit []float64) (value, cost float64) {
			x := f.box.at(unit)
			return f.value(x), w.at(x)
		},
	}
}
