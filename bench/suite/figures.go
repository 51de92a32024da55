package suite

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// onePanel is a picture of one plot of rows.
func onePanel(r *show.Rows) show.Page {
	return show.Panels{Plots: [][]*plot.Plot{{r.Plot}}, Width: 640, Height: r.Height()}.Page()
}

// rankFigure shows mean ranks, the best on top.
func (g *grid) rankFigure() (show.Page, error) {
	ranks, _ := g.meanRanks()
	if ranks == nil {
		return show.Page{}, nil
	}
	order := g.byDifference()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranks[a].Mean, ranks[b].Mean) })
	var labels []string
	for _, i := range order {
		labels = append(labels, g.policies[i])
	}
	r := show.NewRows("", "mean rank, with 95 % interval over replications and problems", labels)
	for place, i := range order {
		if err := r.Interval(place, ranks[i].Mean, ranks[i].Low, ranks[i].High, g.color(g.policies[i])); err != nil {
			return show.Page{}, err
		}
	}
	return onePanel(r), nil
}

// differenceFigure shows paired differences over all problems.
func (g *grid) differenceFigure() (show.Page, error) {
	var labels []string
	var differences []stats.Interval
	for _, policy := range g.policies {
		if groups, pairs := g.differences(policy); policy != g.against && pairs > 0 {
			labels, differences = append(labels, policy), append(differences, stats.Between(groups))
		}
	}
	r := show.NewRows("", "log10 regret less that of "+g.against+"; above zero is worse", labels)
	if err := r.Upright(0); err != nil {
		return show.Page{}, err
	}
	for i, d := range differences {
		if err := r.Interval(i, d.Mean, d.Low, d.High, g.color(labels[i])); err != nil {
			return show.Page{}, err
		}
	}
	return onePanel(r), nil
}

// forest shows a policy's paired differences problem by problem. ok is false if there are none.
func (g *grid) forest(policy string) (r *show.Rows, ok bool, err error) {
	var labels []string
	var differences []stats.Interval
	for _, row := range g.rows {
		if d := row.differences(policy, g.against); len(d) > 0 {
			labels, differences = append(labels, row.Name), append(differences, stats.Bootstrap(d))
		}
	}
	r = show.NewRows(policy, "log10 regret less that of "+g.against, labels)
	if err := r.Upright(0); err != nil {
		return nil, false, err
	}
	for i, d := range differences {
		c := g.color(policy)
		if !(d.Low > 0 || d.High < 0) {
			c = show.Faint // not clearly different from zero
		}
		if err := r.Interval(i, d.Mean, d.Low, d.High, c); err != nil {
			return nil, false, err
		}
	}
	return r, len(labels) > 0, nil
}

// forestFigure shows all policies, two side by side.
func (g *grid) forestFigure() (show.Page, error) {
	var plots []*plot.Plot
	var tallest *show.Rows
	for _, policy := range g.policies {
		if policy == g.against {
			continue
		}
		r, ok, err := g.forest(policy)
		if err != nil {
			return show.Page{}, err
		}
		if ok {
			plots = append(plots, r.Plot)
			if tallest == nil || r.Height() > tallest.Height() {
				tallest = r
			}
		}
	}
	if tallest == nil {
		return show.Page{}, nil
	}
	return show.Panels{Plots: show.InRows(plots, min(len(plots), 2)), Width: 420, Height: tallest.Height()}.Page(), nil
}

// wasteFigure shows what part of the money after the design went to hopeless trials: a dot for each problem, and the mean.
func (g *grid) wasteFigure() (show.Page, error) {
	r := show.NewRows("", "part of the money wasted; dots are problems, the bar is their range, the large dot their mean", g.policies)
	if err := r.Upright(wastePart); err != nil {
		return show.Page{}, err
	}
	r.X.Min = 0
	for i, policy := range g.policies {
		var parts []float64
		for _, row := range g.rows {
			if w := row.average(policy, Run.wasted); !math.IsNaN(w) {
				parts = append(parts, w)
			}
		}
		if len(parts) == 0 {
			continue
		}
		if err := r.Points(i, parts, show.Transparent(g.color(policy), 0.5)); err != nil {
			return show.Page{}, err
		}
		if err := r.Interval(i, stat.Mean(parts, nil), slices.Min(parts), slices.Max(parts), g.color(policy)); err != nil {
			return show.Page{}, err
		}
	}
	return onePanel(r), nil
}
