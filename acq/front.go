package acq

import (
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/front"
)

// Front makes improvement the improvement of several objectives: the gain in the hypervolume of the front, MATH.md (60). Best and Luck do not matter then.
type Front struct {
	// Models are the models of all objectives but the first.
	Models []*gp.Model

	// Boxes are what the front does not dominate, in the objectives' own units, the first objective first.
	Boxes []front.Box

	// Whole says, by objective, whether it takes whole numbers only. Nil means that none does.
	Whole []bool
}

// Believe returns the front with the models of its objectives conditioned on what they expect of an evaluation on a level of fidelity. Nil stays nil.
func (f *Front) Believe(level float64, x []float64) *Front {
	return f.with(func(m *gp.Model) *gp.Model {
		learnt, _, _ := m.At(level).Believe(x)
		return learnt.At(1)
	})
}

// with returns the front with other models. Nil stays nil.
func (f *Front) with(other func(*gp.Model) *gp.Model) *Front {
	if f == nil {
		return nil
	}
	more := Front{Boxes: f.Boxes, Whole: f.Whole}
	for _, m := range f.Models {
		more.Models = append(more.Models, other(m))
	}
	return &more
}

// gain is the expected gain in hypervolume, with scratch memory for one goroutine.
type gain struct {
	*front.Gainer
	mean, sd, dMean, dSD []float64 // by objective
}

func newGain(f *Front, objectives int) *gain {
	list := make([]float64, 4*objectives)
	return &gain{front.NewGainer(f.Boxes, f.Whole), list[:objectives], list[objectives : 2*objectives], list[2*objectives : 3*objectives], list[3*objectives:]}
}

// of returns its logarithm at the current moments, and sets the sensitivities to them.
func (g *gain) of(f *Function) float64 {
	for k, o := range f.objectives {
		g.mean[k], g.sd[k] = o.mean, o.sd
	}
	v := g.Log(g.mean, g.sd, g.dMean, g.dSD)
	for k, o := range f.objectives {
		o.dMean, o.dSD = g.dMean[k], g.dSD[k]
	}
	return v
}
