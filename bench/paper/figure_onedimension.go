package paper

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/eke-bo/eke/bench/show"
)

const oneDimensionFile = "one-dimension.gif"

// The two policies compared: the default path, and EI-PUC with the same models.
var (
	oneDimensionPolicies = []string{"ei-puc", "4-bmsei-p"}
	oneDimensionNames    = []string{"EI-PUC", "B-MS-EI, 4 steps ahead"}
	oneDimensionColors   = []color.RGBA{lookOf(Contender{"ei-puc-cc", "paper"}).color, lookOf(ours).color}
)

const oneDimensionHeading = "One dimension: EI per unit of cost against planning under the budget"

var oneDimensionRemarks = []string{
	"Objective, cost and acquisition (for B-MS-EI the value of the best path that begins there, under the fantasy budget), each with what is believed; triangles: what",
	"the plan would try next. An invented problem, chosen because the two differ on it. The four points at the start are free; a look that cannot be paid does not count.",
}

// drawOneDimension writes the walk as a moving picture, and a few steps of it as a still.
func drawOneDimension(f *show.Folder) error {
	walks, err := bothWalks()
	if err != nil {
		return err
	}
	return drawWalks(f, walks)
}

func bothWalks() (walks [][]sight, err error) {
	for _, name := range oneDimensionPolicies {
		seen, err := walkHills(name)
		if err != nil {
			return nil, err
		}
		walks = append(walks, seen)
	}
	return walks, nil
}

func drawWalks(f *show.Folder, walks [][]sight) error {
	if err := drawWalkStill(f, walks); err != nil {
		return err
	}
	return drawWalkMoving(f, walks)
}

// drawWalkMoving draws one frame per step and one column per policy. A policy without money stands
// still.
func drawWalkMoving(f *show.Folder, walks [][]sight) error {
	var frames []image.Image
	steps := max(len(walks[0]), len(walks[1]))
	for i := range steps {
		rows := make([][]*plot.Plot, 3)
		for w, seen := range walks {
			column, err := sightPanels(seen[min(i, len(seen)-1)], w, min(i, len(seen)-1), true)
			if err != nil {
				return err
			}
			for r := range rows {
				rows[r] = append(rows[r], column[r])
			}
		}
		show.LabelOutside(rows)
		figure := show.Panels{Plots: rows, Width: 360, Height: 155, Legend: sightLegend(), Heading: oneDimensionHeading}
		frames = append(frames, figure.Page().Image(96))
	}
	const pause, end = 150, 500 // hundredths of a second
	out := gif.GIF{Image: show.Paletted(frames), Delay: slices.Repeat([]int{pause}, steps)}
	out.Delay[steps-1] = end
	var content bytes.Buffer
	if err := gif.EncodeAll(&content, &out); err != nil {
		return err
	}
	return f.Write(oneDimensionFile, content.Bytes())
}

// drawWalkStill shows the first step, one half-way and the end, EI-PUC above B-MS-EI.
func drawWalkStill(f *show.Folder, walks [][]sight) error {
	var rows [][]*plot.Plot
	for w, seen := range walks {
		three := make([][]*plot.Plot, 3)
		for _, i := range []int{0, len(seen) / 2, len(seen) - 1} {
			column, err := sightPanels(seen[i], w, i, i == 0)
			if err != nil {
				return err
			}
			for r := range three {
				three[r] = append(three[r], column[r])
			}
		}
		show.LabelOutside(three)
		rows = append(rows, three...)
	}
	return f.PNG("one-dimension.png", show.Panels{
		Plots: rows, Width: 290, Height: 128, Heading: oneDimensionHeading, Legend: sightLegend(), Remarks: oneDimensionRemarks,
	}.Page())
}

func sightLegend() []show.Entry {
	truth := show.Entry{Label: "truth", Style: boundStyle()}
	return []show.Entry{truth, show.LineEntry("believed, with 95 % band", show.Faint, 1.6), show.DotEntry("evaluated", show.Ink), show.DotEntry("next", chosenColor)}
}

var chosenColor = color.RGBA{0xe8, 0x8a, 0x00, 0xff}

// sightPanels returns the three plots of a step, top to bottom. named says whether to show the policy's name.
func sightPanels(s sight, walker, step int, named bool) ([]*plot.Plot, error) {
	title := fmt.Sprintf("step %d: %.1f of %.0f spent, best %.2f", step+1, s.spent, hillBudget, s.belief.Best)
	if s.over {
		title = fmt.Sprintf("the end: %.1f of %.0f spent, best %.2f", s.spent, hillBudget, s.belief.Best)
	}
	if named {
		title = oneDimensionNames[walker] + " – " + title
	}
	value, cost := func(x float64) float64 { v, _ := hills(x); return v }, func(x float64) float64 { _, c := hills(x); return c }
	top := sightPlot{show.NewPlot(title, "", "objective"), oneDimensionColors[walker], -0.75, 1.65}
	middle := sightPlot{show.NewPlot("", "", "cost"), oneDimensionColors[walker], 0, 4.2}
	bottom := sightPlot{show.NewPlot("", "x", "acquisition"), oneDimensionColors[walker], 0, 1.12}
	objectiveAt := func(x, z float64) float64 { m, sd := s.belief.Objective.PosteriorSD([]float64{x}); return m + z*sd }
	costAt := func(x, z float64) float64 {
		m, sd := s.belief.LnCost.PosteriorSD([]float64{x})
		return math.Exp(m + z*sd)
	}
	for _, err := range []error{
		top.believed(objectiveAt, value), top.evaluated(s.x, s.y),
		middle.believed(costAt, cost), middle.evaluated(s.x, s.cost),
		bottom.maximised(s),
	} {
		if err != nil {
			return nil, err
		}
	}
	list := []*plot.Plot{top.Plot, middle.Plot, bottom.Plot}
	for i, p := range []sightPlot{top, middle, bottom} {
		p.frame(i == 2)
		if !s.over {
			if err := p.next(s.chosen, []float64{value(s.chosen), cost(s.chosen), 1}[i], i == 2); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
