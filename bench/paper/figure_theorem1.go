package paper

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/bench/show"
)

const (
	theorem1File  = "theorem1.png"
	theorem1Games = 40_000    // for one dot,
	theorem1Looks = 2_000_000 // if no more than this many small points are bought in them
)

// drawTheorem1 shows both parts: curves are exact, dots are games played.
func drawTheorem1(f *show.Folder) error {
	puc, err := theorem1Panel("Small points of deviation ε: EI per unit of cost goes wrong",
		func(e float64) shop { return shop{e, e} },
		func(e float64) float64 { return e * math.Sqrt(2*math.Log((shopBudget+e)/e)) })
	if err != nil {
		return err
	}
	ei, err := theorem1Panel("Small points of deviation 1 − ε: EI goes wrong",
		func(e float64) shop { return shop{e, 1 - e} },
		func(e float64) float64 {
			return (1 - e) * math.Sqrt(math.Log(float64(shop{e, 1 - e}.affordable()))/(math.Pi*math.Ln2))
		})
	if err != nil {
		return err
	}
	puc.Y.Max = 0.47
	ei.Y.Label.Text = ""
	bound := show.Entry{Label: "bound in the proof", Style: boundStyle()}
	return f.PNG(theorem1File, show.Panels{
		Plots: [][]*plot.Plot{{puc, ei}}, Width: 430, Height: 330,
		Heading: "Theorem 1: myopic policies can be arbitrarily worse than the best",
		Legend: []show.Entry{
			show.LineEntry("best policy, which lookahead finds (exact)", lookOf(ours).color, 2.2),
			show.DotEntry("EI-PUC, played", pucLook.color), show.DotEntry("EI, played", eiLook.color), bound,
		},
		Remarks: []string{
			"One point of value N(0, 1) costs the whole budget of 1.27; many small ones cost ε each. Dots are means of 40,000 games, EI-PUC's towards the right of fewer.",
		},
	}.Page())
}

var (
	pucLook = lookOf(Contender{"ei-puc", "paper"})
	eiLook  = lookOf(Contender{"ei", "paper"})
)

func boundStyle() draw.LineStyle {
	style := lookOf(Contender{"2-bmsei", "paper"}).line() // for its dashes
	style.Color, style.Width = show.Faint, 1
	return style
}

func theorem1Panel(title string, world func(epsilon float64) shop, bound func(epsilon float64) float64) (*plot.Plot, error) {
	p := show.NewPlot(title, "ε", "expected best value when the money is gone")
	p.X.Scale = plot.InvertedScale{Normalizer: plot.LogScale{}} // towards 0 to the right
	p.X.Tick.Marker = plot.ConstantTicks{{Value: 0.3, Label: "0.3"}, {Value: 0.1, Label: "0.1"}, {Value: 0.03, Label: "0.03"},
		{Value: 0.01, Label: "0.01"}, {Value: 0.003, Label: "0.003"}, {Value: 0.001, Label: "0.001"}}
	var fine, best, proved []float64
	for e := 0.3; e > 0.00099; e *= 0.99 {
		fine = append(fine, e)
		best, proved = append(best, world(e).optimal()), append(proved, bound(e))
	}
	var coarse, puc, ei []float64
	for i, e := range []float64{0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001} {
		w := world(e)
		byPUC, _ := w.play(true, min(theorem1Looks/w.affordable(), theorem1Games), uint64(i))
		byEI, _ := w.play(false, theorem1Games, uint64(i)+100)
		coarse, puc, ei = append(coarse, e), append(puc, byPUC), append(ei, byEI)
	}
	optimum, err := show.Line(fine, best, lookOf(ours).line())
	if err != nil {
		return nil, err
	}
	dashed, err := show.Line(fine, proved, boundStyle())
	if err != nil {
		return nil, err
	}
	pucDots, err := show.Dots(coarse, puc, pucLook.color, 3.4)
	if err != nil {
		return nil, err
	}
	eiDots, err := show.Dots(coarse, ei, eiLook.color, 3.4)
	if err != nil {
		return nil, err
	}
	p.Add(dashed, optimum, pucDots, eiDots)
	p.X.Min, p.X.Max = 0.00095, 0.32
	p.Y.Min, p.Y.Max = 0, 1.1*slices.Max(best)
	return p, nil
}
