package acq

import "math"

// setup is what it costs to get ready for the current point, and the sensitivities to it.
type setup struct {
	amount, sd float64
	grad       []float64
	own        float64 // what the evaluation itself costs, at the median
	ownSD      float64 // the standard deviation of its logarithm
	dPrice     float64 // the sensitivity of the term to the amount, beside that of the log-cost, where failures have prices of their own
}

// setSetup asks what it costs to get ready for x.
func (f *Function) setSetup(withGrad bool, x []float64) {
	if f.belief.Setup == nil || f.cost == nil {
		return
	}
	s := &f.setup
	if s.dPrice = 0; !withGrad {
		s.amount, s.sd = f.belief.Setup(nil, x)
		return
	}
	s.grad = append(s.grad[:0], make([]float64, len(x))...)
	s.amount, s.sd = f.belief.Setup(s.grad, x)
}

// charge adds what it costs to get ready to the moments of the log-cost. discharge goes back: it turns sensitivities to these moments into
// sensitivities to the moments of the evaluation's own cost, and adds the gradient that comes from the amount.
func (f *Function) charge() {
	s, c := &f.setup, f.cost
	if f.belief.Setup == nil {
		return
	}
	s.own, s.ownSD = math.Exp(c.mean), c.sd
	c.mean, c.sd = AddSetup(c.mean, c.sd, s.amount, s.sd)
}

func (f *Function) discharge(grad []float64, factor float64) {
	s, c := &f.setup, f.cost
	if f.belief.Setup == nil || s.amount == 0 && s.sd == 0 {
		return
	}
	whole := s.own + s.amount
	part := s.own / whole
	// mean' = ln whole; sd'² = (part·sd)² + (s.sd/whole)²
	own, ready := part*part*s.ownSD*s.ownSD/c.sd, s.sd*s.sd/(whole*whole)/c.sd
	dAmount := c.dMean/whole - c.dSD*(own+ready)/whole + s.dPrice
	c.dMean, c.dSD = c.dMean*part+c.dSD*(own*(1-part)-ready*part), c.dSD*part*part*s.ownSD/c.sd
	c.sd = s.ownSD
	for j, g := range s.grad {
		grad[j] += factor * dAmount * g
	}
}
