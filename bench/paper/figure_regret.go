package paper

import (
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// The paper's figures 2 and 3: log10 regret against money, with one panel per problem. A curve is the mean over the replications,
// and its band is the 95 % t-interval.

const (
	shownFrom   = 0.2 // the first part of the budget is left out, as in the paper
	curvePoints = 81
	bandsFrom   = 4 // replications: with fewer, the interval covers the whole panel
)

// regretCurve is one contender in one race.
type regretCurve struct{ money, mean, low, high []float64 }

func newRegretCurve(runs []Replication, budget float64) regretCurve {
	var c regretCurve
	regrets := make([]float64, len(runs))
	for i := range curvePoints {
		money := budget * (shownFrom + (1-shownFrom)*float64(i)/(curvePoints-1))
		if i == curvePoints-1 {
			money = budget // not a rounding error less
		}
		for j, r := range runs {
			regrets[j] = r.LogRegret(money)
		}
		mean, halfWidth := stats.Interval95(regrets)
		if math.IsNaN(halfWidth) {
			halfWidth = 0 // a single run has no band
		}
		c.money, c.mean = append(c.money, money), append(c.mean, mean)
		c.low, c.high = append(c.low, mean-halfWidth), append(c.high, mean+halfWidth)
	}
	return c
}

// regretPanel draws those of the looks that ran, and returns nil if none did.
func regretPanel(k race, shown []look) (*plot.Plot, error) {
	p := show.NewPlot(k.title(), "money spent", "log10 regret")
	var bands, lines []plot.Plotter
	lowest, highest, room := extent(k, shown)
	for _, l := range shown {
		runs := k.runs[l.Contender]
		if len(runs) == 0 {
			continue
		}
		c := newRegretCurve(runs, k.budget)
		shade, err := show.Band(c.money, clamped(c.low, lowest-room, highest+room), clamped(c.high, lowest-room, highest+room), l.color, 0.16)
		if err != nil {
			return nil, err
		}
		curve, err := show.Line(c.money, c.mean, l.line())
		if err != nil {
			return nil, err
		}
		if len(runs) >= bandsFrom {
			bands = append(bands, shade)
		}
		lines = append(lines, curve)
	}
	if len(lines) == 0 {
		return nil, nil
	}
	p.Add(bands...) // below all lines
	p.Add(lines...)
	p.X.Min, p.X.Max = shownFrom*k.budget, k.budget
	margin := 0.03 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	return p, nil
}

// extent returns the lowest and the highest value of the curves, and how far bands may reach beyond them:
// with few replications, bands would be wider than the panel.
func extent(k race, shown []look) (lowest, highest, room float64) {
	lowest, highest = math.Inf(1), math.Inf(-1)
	for _, l := range shown {
		if runs := k.runs[l.Contender]; len(runs) > 0 {
			mean := newRegretCurve(runs, k.budget).mean
			lowest, highest = min(lowest, slices.Min(mean)), max(highest, slices.Max(mean))
		}
	}
	return lowest, highest, max(0.6*(highest-lowest), 0.1)
}

func clamped(v []float64, low, high float64) []float64 {
	list := make([]float64, len(v))
	for i := range v {
		list[i] = min(max(v[i], low), high)
	}
	return list
}

// regretFigure draws the races with a legend of all contenders in any of them. ok is false if there is nothing
// to draw.
func regretFigure(list []race, shown []look, heading string) (figure show.Panels, ok bool, err error) {
	var plots []*plot.Plot
	for _, k := range list {
		p, err := regretPanel(k, shown)
		if err != nil {
			return show.Panels{}, false, err
		}
		if p != nil {
			plots = append(plots, p)
		}
	}
	if len(plots) == 0 {
		return show.Panels{}, false, nil
	}
	columns := show.ColumnsFor(len(plots))
	figure = show.Panels{Plots: show.InRows(plots, columns), Width: 228, Height: 205, Heading: heading}
	switch columns {
	case 1:
		figure.Width, figure.Height = 640, 400
	case 2:
		figure.Width, figure.Height = 420, 330
	case 3:
		figure.Width, figure.Height = 290, 240
	}
	show.LabelOutside(figure.Plots)
	for _, l := range shown {
		if slices.ContainsFunc(list, func(k race) bool { return len(k.runs[l.Contender]) > 0 }) {
			figure.Legend = append(figure.Legend, show.Entry{Label: l.label, Style: l.line()})
		}
	}
	return figure, true, nil
}

// fourStep are the contenders of the main figure; the supplement's has all.
func fourStep() []look {
	return slices.DeleteFunc(slices.Clone(looks), func(l look) bool { return l.twice })
}

const regretRemark = "mean over replications of log10(f* − best found), with 95 % bands from four replications on; initial design not charged"

// drawRegret writes the paper's figure, the supplement's figure of two steps ahead, and one file per
// problem.
func drawRegret(f *show.Folder, list []race) error {
	list = mainRaces(list)
	anyTwice := slices.ContainsFunc(contendersIn(list), func(c Contender) bool { return lookOf(c).twice })
	for _, v := range []struct {
		name, heading string
		shown         []look
		vector        bool
		wanted        bool
	}{
		{"regret", "Regret against money", fourStep(), true, true},
		{"regret-n2", "Regret against money, two and four steps ahead", looks, false, anyTwice},
	} {
		if !v.wanted {
			continue
		}
		figure, ok, err := regretFigure(list, v.shown, v.heading)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		figure.Remarks = []string{regretRemark}
		if err := f.PNG(v.name+".png", figure.Page()); err != nil {
			return err
		}
		if v.vector {
			if err := f.SVG(v.name+".svg", figure.Page()); err != nil {
				return err
			}
		}
	}
	for _, k := range list {
		figure, ok, err := regretFigure([]race{k}, fourStep(), "")
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := f.PNG("regret-"+k.problem+".png", figure.Page()); err != nil {
			return err
		}
	}
	return nil
}
