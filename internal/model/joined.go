package model

import (
	"context"
	"math"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
)

// Where an earlier study is of the very same problem, its results are as good as this study's own, MATH.md (56). A trend uses only its posterior mean, which it
// takes to be as right far from results as next to them, and no looks. So where a trend is not proved, there is one more candidate: a model that holds the
// results of both studies, each on its own level of fidelity. It is judged by how likely the earlier results make this study's. The first trial, at the
// earlier study's best setting, mostly decides: the same value there is no accident.

// joined is a candidate of this kind for a quantity.
type joined struct {
	*candidate         // of the quantity with the observations of both studies; its density is the density of this study's targets, given the earlier targets
	earlier    int     // how many of the observations, the first, are the earlier study's
	unrelated  float64 // the log density of this study's targets in a study which has nothing to do with the earlier one, but for how much and how fast it varies
}

// mayJoin says whether the results of the earlier study may be added to the models: this study has levels, and few enough results for exact models. Without
// levels a trend is as good, after as few results (bench/NOTES.md, an earlier study).
func (s *State) mayJoin() bool { return s.Earlier.usable() && s.Levels != nil && len(s.X) <= ExactData }

// joinedWith returns a quantity with the observations of the earlier study before its own, and their number. Levels that were given up stay so.
func (f *Fitter) joinedWith(s *State, q quantity, givenUp int) (_ quantity, earlier int) {
	x, levels, targets := s.earlierOf(q.output, f.pace().parts[0]/2)
	both := q
	both.x, both.levels, both.targets = nil, nil, nil
	for i := range x {
		if q.levels == nil && levels[i] == 1 {
			both.x, both.targets = append(both.x, x[i]), append(both.targets, targets[i])
		} else if q.levels != nil && levels[i] >= s.Levels[givenUp] {
			both.add(x[i], levels[i], targets[i])
		}
	}
	earlier = len(both.x)
	all := maximise.Indices(both.x)
	both.x, both.targets = append(both.x, q.x...), append(both.targets, q.targets...)
	if q.levels != nil {
		both.levels = append(both.levels, q.levels...)
	}
	with := func(places []int) []int {
		list := all[:earlier:earlier]
		for _, i := range places {
			list = append(list, earlier+i)
		}
		return list
	}
	both.parts, both.known = parts{with(q.compared), with(q.searched), with(q.modelled)}, earlier+q.known
	return both, earlier
}

// earlierOf returns what the earlier study knows of a quantity: at most this many results, and about as many looks.
func (s *State) earlierOf(output, most int) (x [][]float64, levels, targets []float64) {
	e := s.Earlier
	var y []float64 // of results, and then of looks
	switch {
	case output == value:
		y = append(y, e.Y...)
		for _, l := range e.Looks {
			y = append(y, l.Y)
		}
	case output == logCost:
		y = append(y, e.LnCost...)
		for _, l := range e.Looks {
			y = append(y, l.LnCost-s.lnShare(l.Level))
		}
	case output >= further+len(s.Further):
		y = e.Aims[output-further-len(s.Further)].Y
	default:
		y = s.reported()[output-further].Earlier
	}
	for _, part := range [][2]int{{0, len(e.X)}, {len(e.X), len(e.X) + len(e.Looks)}} {
		var places []int
		ranks := make([]float64, part[1])
		for i := part[0]; i < min(part[1], len(y)); i++ {
			if math.IsNaN(y[i]) {
				continue
			}
			if places = append(places, i); i < len(e.X) {
				ranks[i] = e.Y[i]
			} else {
				ranks[i] = e.Looks[i-len(e.X)].Y
			}
		}
		for _, i := range sample(ranks, places, most) {
			if targets = append(targets, y[i]); i < len(e.X) {
				x, levels = append(x, e.X[i]), append(levels, 1)
			} else {
				x, levels = append(x, e.Looks[i-len(e.X)].X), append(levels, e.Looks[i-len(e.X)].Level)
			}
		}
	}
	return x, levels, targets
}

// join looks at each quantity that does not follow the earlier study yet. If the results of both studies together make this study's results clearly likelier, its
// model holds them all.
func (f *Fitter) join(ctx context.Context, s *State, list []quantity, plainly []float64, m *Fitted) {
	if !s.mayJoin() {
		return
	}
	both, all := make([]quantity, len(list)), []*joined(nil)
	for o, q := range list {
		givenUp := 0
		if o == value {
			givenUp = m.GivenUp
		}
		var earlier int
		if both[o], earlier = f.joinedWith(s, q, givenUp); m.follows(o) || earlier < leastEarlier || len(q.compared) == 0 {
			continue
		}
		for _, c := range f.candidates(&both[o]) {
			all = append(all, &joined{candidate: c, earlier: earlier})
		}
	}
	parallel.Each(context.WithoutCancel(ctx), len(all), f.Threads, func(i int) {
		if ctx.Err() == nil {
			all[i].fit(f, ctx, s)
		}
	})
	best := make([]*joined, len(list))
	for _, j := range all {
		if b := &best[j.of.output]; j.compared != nil && (*b == nil || j.density > (*b).density) {
			*b = j
		}
	}
	m.joined = make([]bool, len(list))
	for o, j := range best {
		if j == nil {
			continue
		}
		without := j.unrelated
		if q := &list[o]; s.judgesEarlier() {
			without = math.Max(without, creditable(plainly[o], maximise.Pick(q.targets, q.compared), s.usualSpread(o)))
		}
		gain := j.density - without
		if o == value {
			m.Gain = math.Max(m.Gain, Capped(gain))
		}
		if !(gain > proof) {
			continue
		}
		m.joined[o] = true
		if m.of[o] = f.extend(ctx, s, j.of, j.targets, j.compared); o == value {
			m.Warp, m.Values = j.warp, warped(j.warp, s.Y)
		}
	}
}

// fit fits the candidate and judges it.
func (j *joined) fit(f *Fitter, ctx context.Context, s *State) {
	q := j.of
	j.compared = q.fit(j.targets, q.compared, s.Dim, f.settings(ctx, s, q, j.kernel))
	h, slope := j.compared.Hyper(), j.warp.LogSlope(maximise.Pick(q.targets, q.compared[j.earlier:]))
	of := func(places []int) float64 {
		x, levels, y := q.pick(j.targets, places)
		return gp.NewAt(x, levels, y, j.compared.Standard(), h).LogDensity()
	}
	j.density = j.compared.LogDensity() - of(q.compared[:j.earlier]) + slope
	j.unrelated = of(q.compared[j.earlier:]) + slope
}
