package policy

import (
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/student"
)

// A forecast is of what will be observed, so it includes the noise of the models, and of models that are not quite right. They take
// their hyperparameters for certain, although few data say little about many of them, and they are asked about points
// where they hope for too much. So forecasts follow Student's t distribution with three degrees of freedom, and they are wider while
// data are few. Its scale was chosen on the suite's tuning problems, MATH.md (18). Decisions go by the models as they are: with the heavier
// tails they explore more than is good.

// forecastScale is the scale of the forecasts of values and log-costs, in standard deviations of models with many data, and
// missingData the number of observations that each hyperparameter counts for as missing.
var forecastScale, missingData = [2]float64{0.5, 0.42}, [2]float64{4, 6}

// asNormal turns the scale of Student's t distribution into the standard deviation of the normal distribution with the same
// central 80 %.
var asNormal = student.Quantile(0.9) / tenth

// predict asks the models about a point. They predict values after the warp.
func (p *policy) predict(w gp.Warp, b acq.Belief, x []float64, widths [2]width) Prediction {
	mean, sd := b.Objective.PosteriorSD(x)
	ln, lnSD := b.LnCostAt(x)
	return p.forecast(w, b, x, mean, sd, ln, lnSD, widths)
}

// forecast returns the prediction for a point where the models have these means and standard deviations.
func (p *policy) forecast(w gp.Warp, b acq.Belief, x []float64, mean, sd, ln, lnSD float64, widths [2]width) Prediction {
	if !p.Preset.Tails {
		return newPrediction(w, x, mean, sd, ln, lnSD, b.Remaining)
	}
	sd, near := plainScale(b.Objective, 0, sd)
	lnSD, lnNear := plainScale(b.LnCost, 1, lnSD)
	sd, lnSD = sd*asNormal*widths[0].of(near), lnSD*asNormal*widths[1].of(lnNear)
	out := newPrediction(w, x, mean, sd, ln, lnSD, b.Remaining)
	if variance := math.Min(lnSD*lnSD, 1); variance < lnSD*lnSD { // the mean of a wider log-normal says nothing
		out.Cost = capped(math.Exp(ln + variance/2))
		out.CostSD = capped(out.Cost * math.Sqrt(math.Expm1(variance)))
	}
	if b.Remaining > 0 {
		out.Fits = student.CDF((math.Log(b.Remaining) - ln) / lnSD * asNormal)
	}
	return out
}

// chance returns the chance, by the forecast of a point, that its value is above another one. Both are values after the warp, where
// forecasts are symmetric.
func (p *policy) chance(b acq.Belief, x []float64, value float64, w width) float64 {
	mean, sd := b.Objective.PosteriorSD(x)
	below := normal.CDF
	if p.Preset.Tails {
		var near float64
		sd, near = plainScale(b.Objective, 0, sd)
		sd, below = sd*w.of(near), student.CDF
	}
	return below((mean - value) / math.Max(sd, 1e-300))
}

// plainScale returns the scale of a model's forecast where it has that standard deviation, before it learns from errors, and the part of
// its square that the model's noise accounts for. A datum leaves a variance of about the noise at its own point, so it counts twice there.
func plainScale(m *gp.Model, output int, sd float64) (scale, near float64) {
	noise := noiseSD(m)
	if noise > 0 {
		r := sd / noise
		near = (1 + math.Min(r*r, 1)) / (1 + r*r)
	}
	return math.Hypot(sd, noise) * widening(m, output) / asNormal, near
}

// widening returns the factor of a model's standard deviations in forecasts.
func widening(m *gp.Model, output int) float64 {
	hyperparameters := float64(m.Dim() + 2)
	data := math.Max(float64(m.Len()), 2*hyperparameters) // with fewer, the models themselves say that they know nothing
	return forecastScale[output] * asNormal * math.Sqrt(1+missingData[output]*hyperparameters/data)
}

// noiseSD returns the standard deviation of a model's noise.
func noiseSD(m *gp.Model) float64 { return m.Standard().Scale * math.Sqrt(m.Hyper().Noise) }
