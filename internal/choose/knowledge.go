package choose

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/parallel"
)

// Where evaluations have noise, the result of a study is the tried point that the model takes for the best in the end. An evaluation is worth as much
// as it is expected to improve that result: it may show that another tried point is better, or turn out to be better itself. That is the knowledge
// gradient over the tried points (Scott, Frazier, Powell 2011), MATH.md (42). Unlike expected improvement, it values a second look at a doubtful best
// point and at its rivals for what they settle.

// How many candidates there are besides tried points: raw points, and in each of some rounds points around the best one.
const knowledgeRaw, knowledgeNear, knowledgeRounds = 256, 48, 4

// knowledge compares points by what they teach.
type knowledge struct {
	d      *model.Beliefs
	belief acq.Belief
	means  []float64 // at the data, standardised
	nu     float64
	fits   bool // count only as much as the chance that the cost fits
}

// newKnowledge returns the knowledge of a decision. tries is the number of evaluations that the money still buys in the end game,
// and 0 before.
func newKnowledge(d *model.Beliefs, tries float64) *knowledge {
	k := &knowledge{d: d, belief: d.Belief, nu: model.PricePower(tries), fits: tries > 0}
	std := d.Belief.Objective.Standard()
	for _, v := range d.Belief.Objective.Fitted() {
		k.means = append(k.means, std.To(v))
	}
	if len(d.Further) > 0 { // what does not meet the limits is no result
		for i, x := range d.X {
			if i < len(k.means) && !d.Meets(x) {
				k.means[i] = notTheBest
			}
		}
	}
	return k
}

// notTheBest is a mean that no evaluation makes the highest, standardised.
const notTheBest = -1e3

// value returns the logarithm of the knowledge gradient for the money.
func (k *knowledge) value(x []float64) float64 {
	mean, own, moves := k.belief.Objective.Moves(x)
	lnCost, sd := k.belief.LnCostAt(x)
	v := math.Log(expectedMaxGain(append(slices.Clone(k.means), mean), append(moves, own))) - k.nu*lnCost
	if k.fits {
		ln, _, _, _ := acq.LogFits(lnCost, sd, math.Log(k.belief.Remaining))
		v += ln
	}
	if f := k.belief.Fails; f != nil {
		v += f.Value.LogChance()(nil, x)
	}
	for _, l := range k.belief.Limits {
		v += l.LogChance()(nil, x)
	}
	return v
}

// expectedMaxGain returns E[max(aᵢ + bᵢZ)] − max a[:len-1], for a standard normal variable Z. The last of the lines is that of a point that is not known yet.
func expectedMaxGain(a, b []float64) float64 {
	order := maximise.Indices(a)
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(b[i], b[j]), cmp.Compare(a[i], a[j])) })
	var top []int      // the lines of the upper envelope, from left to right
	var from []float64 // where each begins
	for _, i := range order {
		start := math.Inf(-1)
		for len(top) > 0 {
			last := top[len(top)-1]
			if b[i] > b[last] { // or else it is parallel and higher
				if start = (a[last] - a[i]) / (b[i] - b[last]); start > from[len(from)-1] {
					break
				}
			}
			top, from = top[:len(top)-1], from[:len(from)-1]
			start = math.Inf(-1)
		}
		top, from = append(top, i), append(from, start)
	}
	// E max = the line at Z = 0, plus what the kinks add: (b_{k+1} − b_k)·h(−|z_k|)
	gain := 0.0
	for k := 1; k < len(top); k++ {
		ln, _ := normal.LogH(-math.Abs(from[k]))
		gain += (b[top[k]] - b[top[k-1]]) * math.Exp(ln)
	}
	known := slices.Max(a[:len(a)-1])
	return gain + math.Max(a[len(a)-1]-known, 0)
}

// Learning wraps a rule: in the last part of a noisy study's budget, it chooses the point that teaches most about which tried
// point is best. Until then it follows the given rule.
func Learning(simple Rule) Rule {
	return func(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
		out, err := simple(ctx, d)
		if err != nil || !d.IsNoisy() || !(d.Preset.Learn*d.Initial >= d.Belief.Remaining) || d.IsLarge() || d.IsLeveled() {
			return out, err
		}
		t := NewSelector(ctx, d, d.SeedFor(model.SeedKnowledge), nil)
		if best, evaluations := teaches(ctx, d, t, newKnowledge(d, out.LastTries), out.X); best.X != nil {
			out.X, out.Acquisition, out.Plan, out.Learns = best.X, best.Value, d.NewPlan(best.X), true
			out.Evaluations += evaluations
		}
		return out, nil
	}
}

// teaches returns the point that teaches the most for the money: of the point that one step would choose, raw points, tried ones, and others around the best.
func teaches(ctx context.Context, d *model.Beliefs, t Selector, k *knowledge, simple []float64) (best maximise.Peak, evaluations int) {
	rng := rand.New(rand.NewPCG(d.SeedFor(model.SeedKnowledge), 1))
	candidates := append(maximise.RawPoints(knowledgeRaw, d.Dim, d.SeedFor(model.SeedKnowledge)), simple)
	for _, kept := range d.Keeps() {
		candidates = append(candidates, d.Kept(candidates[:knowledgeRaw], kept)...)
	}
	candidates = append(candidates, d.X...)
	best.Value = math.Inf(-1)
	centre := d.Incumbent
	for range knowledgeRounds {
		for range knowledgeNear {
			candidates = append(candidates, model.NearPoint(centre, d.Objective().Hyper().Lengthscales, rng))
		}
		values := make([]float64, len(candidates))
		parallel.For(ctx, len(candidates), d.Threads, func() func(int) {
			return func(i int) {
				candidates[i] = t.Repaired(candidates[i])
				if values[i] = math.Inf(-1); t.IsFresh(candidates[i]) {
					values[i] = k.value(candidates[i])
				}
			}
		})
		if ctx.Err() != nil {
			break
		}
		evaluations += len(values)
		if i := model.Highest(values); values[i] > best.Value {
			best = maximise.Peak{X: candidates[i], Value: values[i]}
			centre = best.X
		}
		candidates = nil
	}
	return best, evaluations
}
