package policy

import (
	"context"
	"errors"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/normal"
)

// A trial whose own forecast gives it next to no chance to beat the best value is not worth paying for. If cost-aware search
// finds only such points, the search is repeated without costs. If that finds none either, the study is over: whatever
// could be tried now would only scatter.

// ErrNoHope says that no setting has a fair chance to beat the best value.
var ErrNoHope = errors.New("no setting is likely to beat the best value")

func budgeted(b acq.Belief, _ *decision) *acq.Function { return acq.Budgeted(b) }

// hopeful returns a selector that also skips points whose chance to beat the best value is below the preset's.
func (p *policy) hopeful(t selector, d *decision) selector {
	if p.Preset.Worth <= 0 || p.noisy() {
		return t
	}
	best, widths := d.Y[highest(d.Y)], d.widths()
	t.hopeless = func(x []float64) bool {
		return p.predict(d.warp, d.belief, x, widths).chance(best) < p.Preset.Worth
	}
	return t
}

// chance returns the chance of a value above the given one.
func (p Prediction) chance(value float64) float64 {
	if p.ValueSD <= 0 {
		if p.Value > value {
			return 1
		}
		return 0
	}
	return normal.CDF((p.Value - value) / p.ValueSD)
}

// chooseHopeful chooses among the peaks found. If none is worth paying for, those of the improvement within the
// budget compete, whatever they cost.
func (p *policy) chooseHopeful(ctx context.Context, d *decision, t selector, found *maximise.Result) (maximise.Peak, error) {
	chosen, ok := t.best(found.Peaks, found.Top())
	if !ok && t.hopeless != nil {
		more := p.maximiseOneStep(ctx, mayFail(budgeted), d.belief, d, p.effort(d.Dim), t.seed)
		found.Searches, found.Evaluations = found.Searches+more.Searches, found.Evaluations+more.Evaluations
		for _, peak := range more.Peaks {
			peak.Value = t.value(peak.X)
			found.Peaks = append(found.Peaks, peak)
		}
		chosen, ok = t.best(found.Peaks, found.Top())
	}
	if !ok {
		return t.elsewhere(found.Peaks, found.Top())
	}
	return t.climb(t.slide(chosen)), nil
}
