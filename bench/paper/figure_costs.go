package paper

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/show"
)

const costsFile = "costs.png"

// costSamples is the number of uniform points for each problem of the supplement's figure. There are fewer for the
// problem where an evaluation grows a forest five times.
var costSamples = []struct {
	problem string
	unit    string
	points  int
}{
	{"lda", "hours", 4000},
	{"boston", "times the default forest", 160},
	{"robot", "distance pushed + 0.1", 2000},
}

// drawCosts writes the supplement's histograms, which show how much costs differ over the box. Problems without their data
// are left out.
func drawCosts(f *show.Folder) error {
	var plots []*plot.Plot
	for _, s := range costSamples {
		p, err := problem.New(s.problem, 0, "")
		if err != nil {
			continue
		}
		panel, err := costPanel(problemTitles[s.problem], s.unit, uniformCosts(p, s.points))
		if err != nil {
			return err
		}
		plots = append(plots, panel)
	}
	return f.PNG(costsFile, show.Panels{
		Plots: [][]*plot.Plot{plots}, Width: 290, Height: 230, Heading: "What an evaluation costs",
		Remarks: []string{"share of points drawn uniformly from the box; the dashed line is the mean"},
	}.Page())
}

// uniformCosts returns the costs of points drawn uniformly, the same ones every time.
func uniformCosts(p *problem.Problem, n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 0x636f737473))
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, p.Dim)
		for j := range points[i] {
			points[i][j] = rng.Float64()
		}
	}
	costs := make([]float64, n)
	workers := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < n; i += workers {
				_, costs[i] = p.Evaluate(points[i])
			}
		})
	}
	wait.Wait()
	return costs
}

// costPanel draws a histogram of shares with the mean.
func costPanel(title, unit string, costs []float64) (*plot.Plot, error) {
	p := show.NewPlot(title, "cost, "+unit, "share of points")
	bins := max(16, min(40, int(math.Sqrt(float64(len(costs))))))
	h, err := plotter.NewHist(plotter.Values(costs), bins)
	if err != nil {
		return nil, err
	}
	mean := 0.0
	for _, c := range costs {
		mean += c / float64(len(costs))
	}
	highest := 0.0
	for i := range h.Bins {
		h.Bins[i].Weight /= float64(len(costs))
		highest = max(highest, h.Bins[i].Weight)
	}
	h.FillColor, h.LineStyle.Color, h.LineStyle.Width = show.Transparent(lookOf(Contender{"ei-puc-cc", "paper"}).color, 0.75), show.Hair, 0.5
	style := boundStyle()
	style.Color = show.Ink
	average, err := show.Line([]float64{mean, mean}, []float64{0, 1.08 * highest}, style)
	if err != nil {
		return nil, err
	}
	p.Add(h, average)
	p.X.Min, p.X.Max = 0, slices.Max(costs)
	p.Y.Min, p.Y.Max = 0, 1.08*highest
	return p, nil
}
