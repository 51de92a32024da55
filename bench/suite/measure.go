package suite

import (
	"math"

	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/student"
)

// Bands says how good forecasts were: where results fell in their forecast distributions, and proper
// scores.
type Bands struct {
	Counts [7]int  `json:"n"`     // between the bandEdges, from below the 2.5 % quantile to above the 97.5 % one
	CRPS   float64 `json:"crps"`  // sum of continuous ranked probability scores: values in units of the problem's scale, costs of their logarithm
	Log    float64 `json:"score"` // sum of the logarithms of the densities, in the same units; the larger the better
}

// bandEdges are the quantiles that bound the central bands of 50, 80 and 95 %.
var bandEdges = [6]float64{0.025, 0.1, 0.25, 0.75, 0.9, 0.975}

// The range of standard deviations of a usable forecast, in the units of Bands. Below, scores are rounding errors. Above, nothing
// is known.
const leastSD, mostSD = 1e-9, 1e3

// add adds a forecast and its result. The forecast's central 80 % are as wide as those of a normal distribution with the standard
// deviation sd. It is one, or Student's t distribution with three degrees of freedom.
func (b *Bands) add(mean, sd, came float64, tails bool) {
	if !(math.Abs(mean) < mostSD && sd < mostSD) { // NaN, too
		mean, sd = came, mostSD
	}
	sd = math.Max(sd, leastSD)
	score := normalScore
	if tails {
		sd *= normal.Quantile(0.9) / student.Quantile(0.9)
		score = studentScore
	}
	z := (came - mean) / sd
	p, density, crps := score(z)
	bin := 0
	for bin < len(bandEdges) && p > bandEdges[bin] {
		bin++
	}
	b.Counts[bin]++
	b.CRPS += sd * crps
	b.Log += math.Max(density, -1e6) - math.Log(sd)
}

// normalScore returns, for a standard normal forecast and its result, the chance of a lower one, the logarithm of the density, and the
// continuous ranked probability score (T. Gneiting, A. Raftery, Strictly Proper Scoring Rules, Prediction, and Estimation, 2007, eq. 21).
func normalScore(z float64) (p, logDensity, crps float64) {
	p = normal.CDF(z)
	return p, -z*z/2 - math.Log(2*math.Pi)/2, z*(2*p-1) + 2*normal.PDF(z) - 1/math.Sqrt(math.Pi)
}

// studentScore does the same for Student's t distribution with three degrees of freedom (A. Jordan, F. Krüger, S. Lerch, Evaluating
// Probabilistic Forecasts with scoringRules, 2019).
func studentScore(z float64) (p, logDensity, crps float64) {
	p = student.CDF(z)
	density := student.PDF(z)
	return p, math.Log(density), z*(2*p-1) + density*(3+z*z) - 3*math.Sqrt(3)/(2*math.Pi)
}

// plus returns the sum of two.
func (b Bands) plus(c Bands) Bands {
	for i, n := range c.Counts {
		b.Counts[i] += n
	}
	b.CRPS, b.Log = b.CRPS+c.CRPS, b.Log+c.Log
	return b
}

// N is the number of forecasts.
func (b Bands) N() (n int) {
	for _, c := range b.Counts {
		n += c
	}
	return n
}

// Held returns what part of the results fell into the central bands of 50, 80 and 95 %.
func (b Bands) Held() [3]float64 {
	n := float64(b.N())
	half := b.Counts[3]
	eighty := half + b.Counts[2] + b.Counts[4]
	return [3]float64{float64(half) / n, float64(eighty) / n, float64(eighty+b.Counts[1]+b.Counts[5]) / n}
}

func (b Bands) rounded() Bands {
	b.CRPS, b.Log = decimals(b.CRPS, 4), decimals(b.Log, 3)
	return b
}

// fitEdges are the bounds of the ranges of chances to fit that are counted together.
var fitEdges = []float64{0.2, 0.5, 0.8, 0.95, 0.99}

// oddsEdges are those of the chances to beat the best.
var oddsEdges = []float64{0.02, 0.1, 0.3, 0.7, 0.9}

// addFit adds a chance to fit the budget, and whether the trial did.
func addFit(fits [][3]int, chance float64, did bool) { addChance(&fits, fitEdges, chance, did) }

// addChance adds a chance of something, and whether it came, to a list, which may be nil at first.
func addChance(list *[][3]int, edges []float64, chance float64, did bool) {
	if *list == nil {
		*list = make([][3]int, len(edges)+1)
	}
	bin := 0
	for bin < len(edges) && chance > edges[bin] {
		bin++
	}
	(*list)[bin][0]++
	(*list)[bin][1] += int(math.Round(1000 * chance))
	if did {
		(*list)[bin][2]++
	}
}

// hopeless is the chance to beat the best below which a trial's money was wasted.
const hopeless = 1e-4
