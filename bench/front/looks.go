package front

import (
	"math"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Looks lists problems with a fidelity, each twice: with cheap looks, and with full evaluations alone. They are for what looks are worth, and not among those to be won.
func Looks() []Recipe {
	return []Recipe{
		{"branin-currin-looks", false, cheaper(true, branins)},
		{"branin-currin-full", false, cheaper(false, branins)},
		{"lcbench-167149-looks", false, cheaper(true, lcEpochs("167149"))},
		{"lcbench-167149-full", false, cheaper(false, lcEpochs("167149"))},
	}
}

// cheaper leaves the fidelity out of a problem, unless looks are taken.
func cheaper(looks bool, of func() (Problem, error)) func(uint64) (Problem, error) {
	return func(uint64) (Problem, error) {
		p, err := of()
		if !looks {
			p.Fidelity = nil
		}
		return p, err
	}
}

// at returns the fidelity of a setting.
func at(f *study.Fidelity, s space.Setting) float64 {
	if v, ok := s[f.Name].Number(); ok {
		return v
	}
	return f.Max
}

// branins is braninCurrin with its fidelity, which costs 0.05 + z^1.5 (Kandasamy et al. 2017).
func branins() (Problem, error) {
	p, err := unit(2, []float64{18, 6}, 59.405, 15, braninCurrin, rising)(1)
	f := &study.Fidelity{Name: "z", Min: 0.1, Max: 1}
	p.Fidelity, p.Evaluate = f, func(s space.Setting) ([]float64, float64, []float64) {
		x := make([]float64, len(p.Params))
		for i, q := range p.Params {
			x[i], _ = s[q.Name].Number()
		}
		z := at(f, s)
		return braninCurrinAt(x, z), rising(x) * (0.05 + math.Pow(z, 1.5)) / 1.05, nil
	}
	return p, err
}

// lcEpochs sets errors against the seconds of training, both after this many epochs.
func lcEpochs(id string) func() (Problem, error) {
	return func() (Problem, error) {
		t, err := problem.LCBenchTrainings(id, true, "")
		if err != nil {
			return Problem{}, err
		}
		last := len(t.Params) - 1
		epochs := t.Params[last]
		f := &study.Fidelity{Name: epochs.Name, Min: epochs.Min, Max: epochs.Max, Log: true}
		p := Problem{Params: t.Params[:last], Worst: []float64{math.Inf(1), math.Inf(1)}, Budget: 12, Fidelity: f, Evaluate: func(s space.Setting) ([]float64, float64, []float64) {
			full := space.Setting{f.Name: space.Int(int64(math.Round(at(f, s))))}
			for name, v := range s {
				if name != f.Name {
					full[name] = v
				}
			}
			seconds, accuracy, _ := t.Train(full)
			return []float64{100 - accuracy, seconds}, seconds / t.Mean, nil
		}}
		return p, p.complete(4000, 1)
	}
}
