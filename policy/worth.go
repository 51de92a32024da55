package policy

import (
	"context"
	"errors"
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
)

// A trial whose own forecast gives it next to no chance to beat the best value is not worth paying for, and the more of the budget it
// takes, the likelier it must be to win. On the suite's tuning problems, cheap long shots do find new regions, and dear ones are not
// missed; bench/NOTES.md has the figures. If cost-aware search finds only such points, the search is repeated without costs. If that
// finds none either, the study is over: whatever could be tried now would only scatter.

// ErrNoHope says that no setting has a fair chance to beat the best value.
var ErrNoHope = errors.New("no setting is likely enough to beat the best value")

func budgeted(b acq.Belief, _ *decision) *acq.Function { return acq.Budgeted(b) }

// hopeful returns a selector that also skips points whose chance to beat the best value is too small for their price. Where looks may come
// first, the price of an evaluation at the top says little.
func (p *policy) hopeful(t selector, d *decision) selector {
	if p.Preset.Worth <= 0 || p.noisy() {
		return t
	}
	beats, budget := p.beats(d), math.Max(d.Initial, d.Remaining)
	t.hopeless = func(x []float64) bool {
		least := p.Preset.Worth
		if d.Levels == nil {
			lnCost, _ := d.belief.LnCostAt(x)
			least = math.Max(least, p.Preset.Stake*math.Exp(lnCost)/budget)
		}
		return beats(x) < least
	}
	return t
}

// beats returns the chance that a point's value is above the best observed one.
func (p *policy) beats(d *decision) func(x []float64) float64 {
	best, widths := d.values[highest(d.values)], d.widths()
	return func(x []float64) float64 { return p.chance(d.belief, x, best, widths[0]) }
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
	if !ok && ctx.Err() != nil {
		t.hopeless = nil // a search that was cut short cannot say that there is nothing better
		return t.choose(found.Peaks, found.Top())
	}
	if !ok {
		return t.elsewhere(found.Peaks, found.Top())
	}
	return t.climb(t.slide(chosen)), nil
}
