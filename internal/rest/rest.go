// Package rest says what the rest of a study's money would buy, so that the advisor can tell when to stop.
//
// Models go in, and a forecast of the best value, or of the front's hypervolume, comes out. Forecast simulates the rest of the study many
// times. A Rehearsal holds what all simulations share, and its method Walk makes one of them.
package rest

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/parallel"
)

// What the rest of the money would buy, MATH.md §10.
//
// The rest of the study is simulated many times (rehearsal.go): a cheap policy chooses points, and each outcome is drawn from
// the posterior given the outcomes drawn before it. That is the same as following the policy on a function drawn from the
// posterior. The best values at the end of the simulations are the forecast.

// Rest is a forecast of the best value after more money has been spent.
type Rest struct {
	// Best is the best value now. With several objectives this and all following values are hypervolumes of the front.
	Best float64

	// After has a forecast for each amount that was asked for.
	After []Outlook

	// Reach is where the front may be after the last amount, for every pair of several objectives.
	Reach []Reach
}

// Outlook is the best value that is expected once an amount has been spent.
type Outlook struct {
	// Money is the amount, from now on.
	Money float64

	// Low, Median and High are the quantiles of 10, 50 and 90 % of the best value.
	Low, Median, High float64

	// Gain is the expected improvement: the mean of the simulations. It is never negative.
	Gain float64

	// Same is the chance that the best value stays the same.
	Same float64
}

// gainSpread widens the band. The simulation is not the study: its policy searches less well, and the real function is no draw from any model.
// So each of its gains is multiplied by a log-normal factor with median 1 and this standard deviation of the logarithm. With it, the 80 %
// bands hold what they say on the tuning problems of the suite; see eke-bench rest. The mean of the gains needs no such factor.
const gainSpread = 0.9

// mostRests and fewestRests bound the number of simulations. There are fewer if each takes long.
const mostRests, fewestRests = 128, 48

// gainFactors are equally likely values of that factor.
func gainFactors() []float64 {
	const nodes = 7
	list := make([]float64, nodes)
	for i := range list {
		list[i] = math.Exp(gainSpread * normal.Quantile((float64(i)+0.5)/nodes))
	}
	return list
}

// Forecast forecasts the best value after each of the given amounts has been spent. The amounts must not fall. At most the given number of
// evaluations follow; 0 means any number.
func Forecast(ctx context.Context, m *model.Models, money []float64, trials int) (Rest, error) {
	r := NewRehearsal(m, money, trials)
	n := r.draws()
	gains := make([][]float64, n) // by draw and amount, standardised
	fronts := make([][][]float64, n)
	ties := m.Ties()
	parallel.Each(ctx, n, m.Threads, func(i int) {
		if gains[i] = make([]float64, len(money)); i%ties == 0 { // in the others, nothing is better than the best
			gains[i], fronts[i] = r.walked(i/ties, noRoot)
		}
	})
	if ctx.Err() != nil {
		return Rest{}, ctx.Err()
	}
	back := newUnwarp(m.Warp, m.Objective().Standard(), r.best)
	back.temper(slices.Min(m.Values))
	if most := m.Bound(0).Most; most != nil {
		back.most = *most
	}
	if r.front != nil { // volumes are as they are
		back = newUnwarp(gp.Warp{}, gp.Standard{Scale: 1}, r.best)
		back.most = r.front.ceiling()
	}
	out := Rest{Best: back.best}
	median := out.Best
	for k, amount := range money {
		column := make([]float64, n)
		for i, g := range gains {
			column[i] = g[k]
		}
		o := back.outlook(amount, column)
		median = math.Max(median, o.Median) // with noise, the next results often make the best look a little worse, but more money is not worse
		o.Median, o.High = median, math.Max(median, o.High)
		out.After = append(out.After, o)
	}
	if r.front != nil {
		out.Reach = r.front.reach(fronts)
	}
	return out, nil
}

// unwarp turns gains from the model's standardised units into the values' own. A transformation of the values is known only as far as there
// are values. Beyond the best value its inverse may rise without bounds. So it is continued at most as a straight line, no steeper than over
// all the values. Where a few results are far better than most, as after a handful of trials, the slope at the best value is mostly luck.
type unwarp struct {
	warp     gp.Warp
	standard gp.Standard
	from     float64 // the best value so far, standardised
	best     float64 // in its own units
	slope    float64 // of the inverse there
	most     float64 // the highest value that there can be; infinite: there is no such bound
	span     float64 // from the lowest value so far to the best, standardised: gains are not widened beyond it
}

func newUnwarp(w gp.Warp, std gp.Standard, best float64) unwarp {
	u := unwarp{warp: w, standard: std, from: best, best: model.Capped(w.From(std.From(best))), most: math.Inf(1), span: math.Inf(1)}
	u.slope = std.Scale * math.Exp(-w.LogSlope([]float64{u.best}))
	return u
}

// temper keeps forecasts near what was seen, given the lowest value so far, after the warp.
func (u *unwarp) temper(low float64) {
	if span := u.from - u.standard.To(low); span > 0 {
		u.span, u.slope = span, math.Min(u.slope, (u.best-model.Capped(u.warp.From(low)))/span)
	}
}

// value returns the value that lies a standardised gain above the best one.
func (u unwarp) value(gain float64) float64 {
	v := model.Capped(u.warp.From(u.standard.From(u.from + gain)))
	return math.Min(math.Min(v, model.Capped(u.best+u.slope*gain)), math.Max(u.most, u.best))
}

// outlook turns the gains of the simulations into a forecast.
func (u unwarp) outlook(money float64, gains []float64) Outlook {
	var values []float64
	mean, same := 0.0, 0.0
	for _, g := range gains {
		if g <= 0 {
			same++
		}
		mean += (u.value(g)/2 - u.best/2) / float64(len(gains)) // halved, so that nothing overflows
		for _, f := range gainFactors() {
			values = append(values, u.value(math.Min(f*g, math.Max(g, u.span))))
		}
	}
	slices.Sort(values)
	at := func(p float64) float64 { return values[min(int(p*float64(len(values))), len(values)-1)] }
	return Outlook{Money: money, Low: at(0.1), Median: at(0.5), High: at(0.9), Gain: model.Capped(2 * math.Max(mean, 0)), Same: same / float64(len(gains))}
}
