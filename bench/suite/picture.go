package suite

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// pictured is a policy as the picture for the documents shows it.
type pictured struct {
	policy, label string
	color         color.RGBA
}

// The policies in the picture, best first. The documents speak of these; the tables have all.
var (
	amongAll = []pictured{
		{"default", "eke's default", ours},
		{"log-ei-puc", "log-ei-puc", others[0]},
		{"gittins", "gittins", others[2]},
		{"ei-puc", "ei-puc", others[1]},
		{"ei-puc-cc", "ei-puc-cc", others[4]},
		{"4-bmsei-p@v0", "the first default", others[3]},
		{"tpe", "Optuna's TPE", show.Faint},
	}
	amongLooks = []pictured{
		{"default", "with looks", ours},
		{"default-looks", "without looks", others[0]},
		{"hyperband", "Hyperband", others[2]},
		{"asha", "ASHA", others[1]},
	}
)

// problemNames are how the picture calls the problems with fidelities.
var problemNames = map[string]string{
	"branin-fidelity": "Branin", "currin-fidelity": "Currin", "hartmann6-fidelity": "Hartmann-6", "borehole-fidelity": "Borehole", "park-fidelity": "Park",
	"gp2-fidelity": "process, 2 dimensions", "gp4-fidelity": "process, 4 dimensions", "gp6-fidelity": "process, 6 dimensions",
	"gp2-blank": "process, low levels blank", "gp2-misleading": "process, low levels mislead",
	"cnn-fidelity": "convolutional network", "spirals-live": "network of the quickstart",
}

// picture sums the results up: regret against money on the left, and on the right how far the others are behind or, with fidelities, how
// much money looks need. It has no Draw if fewer than two of its policies have runs in common.
func (g *grid) picture() (show.Page, error) {
	list := amongAll
	if g.hasFidelities() {
		list = amongLooks
	}
	list = slices.DeleteFunc(slices.Clone(list), func(p pictured) bool { return !slices.Contains(g.policies, p.policy) })
	if len(list) < 2 || list[0].policy != g.against {
		return show.Page{}, nil
	}
	curves, remark, err := g.meanCurves(list)
	if curves == nil || err != nil {
		return show.Page{}, err
	}
	right, more := g.behind, "Right: the mean of paired differences, with its 95 % interval over problems."
	if g.hasFidelities() {
		right, more = g.moneyRows, "Right: with its 95 % interval over replications. An arrow: all of the money may not be enough."
	}
	rows, err := right(list)
	if err != nil {
		return show.Page{}, err
	}
	var legend []show.Entry
	for _, p := range list {
		legend = append(legend, show.Entry{Label: p.label, Style: p.style()})
	}
	return show.Panels{Plots: [][]*plot.Plot{{curves, rows.Plot}}, Width: 400, Height: 270, Legend: legend, Remarks: []string{remark, more}}.Page(), nil
}

func (p pictured) style() draw.LineStyle {
	width := vg.Length(1.5)
	if p.color == ours {
		width = 2.6
	}
	return draw.LineStyle{Color: p.color, Width: width}
}

// meanCurves shows regret against money: the mean over problems, in the replications that all the policies have.
func (g *grid) meanCurves(list []pictured) (p *plot.Plot, remark string, err error) {
	var policies []string
	for _, entry := range list {
		policies = append(policies, entry.policy)
	}
	var problems, runs int
	sums := make([][curvePoints]float64, len(list))
	for _, r := range g.rows {
		numbers := r.numbers(policies...)
		if len(numbers) == 0 {
			continue
		}
		problems, runs = problems+1, runs+len(numbers)
		for i, policy := range policies {
			for _, n := range numbers {
				for k, v := range r.runs[policy][n].Curve {
					sums[i][k] += v / float64(len(numbers))
				}
			}
		}
	}
	if problems == 0 {
		return nil, "", nil
	}
	p = show.NewPlot("Regret against money", "fraction of the budget spent", "log10 regret, mean over problems")
	for i, entry := range slices.Backward(list) {
		x, y := []float64{0}, []float64{0} // the regret of a median setting
		for k, sum := range sums[i] {
			x, y = append(x, float64(k+1)/curvePoints), append(y, sum/float64(problems))
		}
		l, err := show.Line(x, y, entry.style())
		if err != nil {
			return nil, "", err
		}
		p.Add(l)
	}
	p.X.Min, p.X.Max = 0, 1
	return p, fmt.Sprintf("Left: the %d replications of %d problems that all of these policies have played. 1 lower is a tenth of the distance to the best possible value.", runs, problems), nil
}

// behind shows how far the other policies are behind the first.
func (g *grid) behind(list []pictured) (*show.Rows, error) {
	var labels []string
	for _, entry := range list[1:] {
		labels = append(labels, entry.label)
	}
	r := show.NewRows("Behind "+list[0].label, "log10 regret minus that of "+list[0].label, labels)
	if err := r.Upright(0); err != nil {
		return nil, err
	}
	for i, entry := range list[1:] {
		groups, _ := g.differences(entry.policy)
		d := stats.Between(groups)
		if err := r.Interval(i, d.Mean, d.Low, d.High, entry.color); err != nil {
			return nil, err
		}
	}
	r.X.Min, r.X.Max = r.X.Min-0.1, r.X.Max+0.1
	r.X.Padding = 2 // as beside it
	return r, nil
}

// moneyRows shows for each problem what fraction of the money the first policy needs to match the second, the least on top.
func (g *grid) moneyRows(list []pictured) (*show.Rows, error) {
	problems := slices.Clone(g.rows)
	needed := map[string]stats.Interval{}
	for _, r := range problems {
		needed[r.Name], _ = r.needed(list[0].policy, list[1].policy)
	}
	slices.SortStableFunc(problems, func(a, b row) int { return cmp.Compare(needed[a.Name].Mean, needed[b.Name].Mean) })
	var labels []string
	for _, r := range problems {
		labels = append(labels, cmp.Or(problemNames[r.Name], r.Name))
	}
	rows := show.NewRows("Money needed to match full evaluations", "fraction of the budget that looks need", labels)
	if err := rows.Upright(1); err != nil {
		return nil, err
	}
	const beyond = 1.12 // where the picture ends
	for i, r := range problems {
		d := needed[r.Name]
		if math.IsInf(d.High, 1) {
			if err := rows.Arrow(i, min(d.Low, beyond-0.1), beyond, 0.02, ours); err != nil {
				return nil, err
			}
			d.High = beyond
		}
		if math.IsInf(d.Mean, 1) {
			continue // the arrow says it
		}
		if err := rows.Interval(i, d.Mean, d.Low, d.High, ours); err != nil {
			return nil, err
		}
	}
	rows.X.Min, rows.X.Max = 0, beyond
	rows.X.Padding = 2 // as beside it
	return rows, nil
}
