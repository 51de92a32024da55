package report

import (
	"math"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// fanRoom is how much of the scale the forecast may add beyond the values seen, as a part of their range. Early forecasts may reach
// far beyond it.
const fanRoom = 0.6

// withFan returns the ends of the values that are shown, with room for a forecast.
func withFan(best, worst float64, rest *advisor.Rest) []float64 {
	if rest == nil {
		return []float64{best, worst}
	}
	room := fanRoom * math.Abs(best-worst)
	better := math.Max(math.Min(rest.Better, best+room), best-room)
	return []float64{best, worst, better}
}

// fan draws what the rest of the money is expected to buy, ahead of the best value so far: the band that holds it with eight chances
// in ten, and its middle.
func (f frame) fan(c *canvas, s *study.Study, spent float64, rest *advisor.Rest) {
	if rest == nil {
		return
	}
	inside := func(v float64) float64 { return math.Max(math.Min(f.y.at(v), f.bottom), f.top) }
	x := func(money float64) float64 { return math.Min(f.x.at(spent+money), f.right) }
	middle := []float64{x(0), inside(rest.Best)}
	outline := []float64{x(0), inside(rest.Best)}
	for _, o := range rest.Fan {
		middle = append(middle, x(o.Money), inside(o.Median))
		outline = append(outline, x(o.Money), inside(o.Worse))
	}
	for i := len(rest.Fan) - 1; i >= 0; i-- {
		outline = append(outline, x(rest.Fan[i].Money), inside(rest.Fan[i].Better))
	}
	c.open("value")
	c.path("band", outline, true, restText(s, rest))
	c.close()
	c.path("ahead", middle, false, "")
}

func restText(s *study.Study, r *advisor.Rest) string {
	return say.Rest(s, say.Outlook{Left: r.Left, Best: r.Best, Worse: r.Worse, Median: r.Median, Better: r.Better})
}
