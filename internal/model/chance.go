package model

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
)

// Some settings crash, run out of memory, or are cut at a limit. Such an evaluation has no value, and to make one up would bend the model of
// the values around it. Instead there is a model of whether an evaluation has a value at all, MATH.md (19): a Gaussian process of
// labels, 1 for a value and −1 for a failure, that expects 1 where nothing was tried. With its mean and variance, the chance of a value at x is
//
//	P(x) = Φ((α·μ(x) + β) / √(1 + α²σ²(x))).
//
// Lengthscales, noise, α and β are those under which the labels are likeliest, each by a model of all others (least-squares classification; Rasmussen and Williams
// 2006, §6.5). So the model learns along which parameters there is an edge, how sharp it is, and how far its own chances can be trusted. A corner where everything
// fails is avoided, and failures among good evaluations are soon forgiven.

// expectedLabel is the label where nothing was tried.
const expectedLabel = 1

// labelReach is the lengthscale of labels that is expected, times the root of the dimension, and reachSpread the standard deviation of its logarithm. Where settings
// begin to fail is mostly an edge.
const labelReach, reachSpread = 0.3, 0.7

// labelNoises are the variances of the labels' noise that are tried: from edges that are exact to settings that fail now and then.
var labelNoises = []float64{1e-3, 1e-2, 0.05, 0.25}

// The values of α and β that are tried, and what is expected of them: the mean and the standard deviation of ln α, and the standard deviation of β.
var (
	sharpnesses = []float64{0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8, 11, 16}
	biases      = []float64{-1, -0.6, -0.3, -0.1, 0, 0.1, 0.3, 0.6, 1}
)

const usualSharpness, sharpnessSpread, biasSpread = 4, 0.7, 0.4

// mostLabels is the number of evaluations of each kind that are labelled, and mostJudged how many of each kind hyperparameters are judged by.
const mostLabels, mostJudged = 150, 50

// labelled are evaluations and whether they had values.
type labelled struct {
	x      [][]float64
	labels []float64
}

func (l *labelled) add(points [][]float64, label float64, most int) {
	for i := range min(len(points), most) {
		l.x, l.labels = append(l.x, points[i*len(points)/min(len(points), most)]), append(l.labels, label)
	}
}

// labels returns evaluations of each kind, at most so many.
func (s *State) labels(most int) (l labelled) {
	var looks [][]float64
	for _, look := range s.Looks {
		if !look.Step { // a value on the way does not show whether the evaluation succeeded in the end
			looks = append(looks, look.X)
		}
	}
	l.add(s.complete(), 1, most)
	l.add(looks, 1, most)
	l.add(s.Failures(), -1, most)
	return l
}

// model returns the model of the labels.
func (l labelled) model(lengthscales []float64, noise float64) *gp.Model {
	return gp.New(l.x, l.labels, gp.Standard{Scale: 1}, gp.Hyper{Lengthscales: slices.Clone(lengthscales), Outputscale: 1, Noise: noise, Mean: expectedLabel})
}

// link turns what a model of labels says into a chance.
type link struct{ sharpness, bias float64 }

// score is the logarithm of how likely labels are by what is said about each from all others.
func (k link) score(labels, mean, variance []float64) (sum float64) {
	for i, label := range labels {
		v, _ := normal.LogCDF(label * (k.sharpness*mean[i] + k.bias) / math.Sqrt(1+k.sharpness*k.sharpness*variance[i]))
		sum += v
	}
	z, b := math.Log(k.sharpness/usualSharpness)/sharpnessSpread, k.bias/biasSpread
	return sum - z*z/2 - b*b/2
}

// bestLink returns the likeliest link, and how likely the labels are with it. Without biases only the sharpness is sought.
func bestLink(m *gp.Model, labels, biases []float64) (best link, score float64) {
	mean, variance := m.LeaveOneOut()
	score = math.Inf(-1)
	for _, a := range sharpnesses {
		for _, b := range biases {
			if v := (link{a, b}).score(labels, mean, variance); v > score {
				best, score = link{a, b}, v
			}
		}
	}
	return best, score
}

// fitLabels returns the lengthscales and the noise under which labels are likeliest. One lengthscale is sought for all coordinates, with the noise, and then one for each.
func fitLabels(l labelled, dim int) (lengthscales []float64, noise float64) {
	usual := labelReach * math.Sqrt(float64(dim))
	score := func(lengthscales []float64, noise float64) float64 {
		_, v := bestLink(l.model(lengthscales, noise), l.labels, biases[len(biases)/2:len(biases)/2+1])
		for _, length := range lengthscales {
			z := math.Log(length/usual) / reachSpread
			v -= z * z / 2
		}
		return v
	}
	best := math.Inf(-1)
	for _, factor := range []float64{1, 0.5, 0.25, 2} {
		for _, n := range labelNoises {
			same := make([]float64, dim)
			for j := range same {
				same[j] = factor * usual
			}
			if v := score(same, n); v > best {
				best, lengthscales, noise = v, same, n
			}
		}
	}
	for step := 2.0; step > 1.3; step = math.Sqrt(step) {
		for j := range lengthscales {
			for _, factor := range []float64{step, 1 / step} {
				for range 4 { // as far as it helps
					other := slices.Clone(lengthscales)
					if other[j] *= factor; other[j] < usual/50 || other[j] > usual*50 {
						break
					}
					v := score(other, noise)
					if v <= best {
						break
					}
					best, lengthscales = v, other
				}
			}
		}
		for _, n := range labelNoises {
			if v := score(lengthscales, n); v > best {
				best, noise = v, n
			}
		}
	}
	return lengthscales, noise
}

// newFails returns the model of which evaluations fail and what failures cost, given the model of the costs, and nil without failures.
func (s *State) newFails(lnCost *gp.Model) *acq.Fails {
	if len(s.Failed) == 0 {
		return nil
	}
	lengthscales, noise := fitLabels(s.labels(mostJudged), s.Dim)
	all := s.labels(mostLabels)
	m := all.model(lengthscales, noise)
	k, _ := bestLink(m, all.labels, biases)
	f := &acq.Fails{Value: acq.Limit{Model: m, Least: -k.bias / k.sharpness, SD: 1 / k.sharpness}, Slope: 1}
	f.Shift, f.Slope = s.failurePrices(lnCost)
	return f
}

// What a failure costs: often a small part of what a value would, such as the time to run out of memory, or all of it. Its logarithm is a straight line
// in that of the expected cost of a value, MATH.md (47).

// The standard deviations of a failure's log-cost around the line, of the line's height, which is 0 before any is known, and of its slope, which is 1.
const failureSpread, heightSpread, slopeSpread = 0.5, 2, 0.5

// failurePrices returns the line.
func (s *State) failurePrices(lnCost *gp.Model) (shift, slope float64) {
	var at, over []float64 // the expected log-costs, and how far what was paid lies above them
	for i, e := range s.Failed {
		paid := e.LnCost
		if i < len(s.FailedCost) {
			paid = s.FailedCost[i]
		}
		if !math.IsNaN(paid) {
			mean, sd := lnCost.PosteriorSD(e.X)
			expected, _, _ := acq.LogExpectedCost(mean, sd)
			at, over = append(at, expected), append(over, paid-expected)
		}
	}
	if len(at) == 0 {
		return 0, 1
	}
	n, centre := float64(len(at)), 0.0
	for _, v := range at {
		centre += v / n
	}
	const known = 1 / (failureSpread * failureSpread)
	height, tilt := 0.0, 0.0
	squares := 1 / (slopeSpread * slopeSpread)
	for i, v := range over {
		height += known * v / (n*known + 1/float64(heightSpread*heightSpread))
		tilt += known * v * (at[i] - centre)
		squares += known * (at[i] - centre) * (at[i] - centre)
	}
	tilt = math.Min(math.Max(tilt/squares, -1), 0.5)
	return height - tilt*centre, 1 + tilt
}

// Where several evaluations failed within a small part of a lengthscale, and none succeeded, nothing is to be found by trying again.
const wallPart, wallFailures = 0.1, 2

// Walled returns a function, for one goroutine, that says whether a point is that close to several failures, or too likely to fail; nil without failures.
func (d *Beliefs) Walled() func(x []float64) bool {
	if d.Fails == nil {
		return nil
	}
	scales, failures := d.Fails.Value.Model.Hyper().Lengthscales, d.Failures()
	near := func(x []float64, points [][]float64) (n int) {
		for _, p := range points {
			sum := 0.0
			for j, l := range scales {
				sum += (p[j] - x[j]) / l * (p[j] - x[j]) / l
			}
			if sum <= wallPart*wallPart {
				n++
			}
		}
		return n
	}
	const rounding = 0.02
	least, works := (1-rounding)*d.LeastChance(), d.Belief.Works()
	return func(x []float64) bool {
		return works(x) < least || near(x, failures) >= wallFailures && near(x, d.X) == 0
	}
}

// mostLost is the largest fraction of a trial's expected price that may be lost to its failing. Next to a wall there is always something to gain for whoever goes on
// trying, and half of the money would go into failures.
const mostLost = 0.3

// LeastChance is the least chance of a value for which a trial is worth a risk: the dearer failures are, the higher. It is 0 where nothing failed, and where no
// evaluation so far would have been worth it: then somebody has to take a risk.
func (d *Beliefs) LeastChance() float64 {
	if d.Fails == nil || len(d.X) == 0 {
		return 0
	}
	lnCost, sd := d.Belief.LnOwnCostAt(d.Incumbent)
	price, _, _ := acq.LogExpectedCost(lnCost, sd)
	ratio := math.Exp(d.Fails.Shift+(d.Fails.Slope-1)*price) * (1 - mostLost)
	least, works := ratio/(mostLost+ratio), d.Belief.Works()
	if !slices.ContainsFunc(d.X, func(x []float64) bool { return works(x) > least }) {
		return 0
	}
	return least
}

// withPending returns the chances with the evaluations under way, of which the model expects what it says already.
func withPending(f *acq.Fails, points [][]float64) *acq.Fails {
	if f == nil || len(points) == 0 {
		return f
	}
	more := *f
	for _, x := range points {
		more.Value.Model, _, _ = more.Value.Model.Believe(x)
	}
	return &more
}

// pricesOf returns what to expect of the prices of points whose costs are expected to be these if they have values.
func pricesOf(f *acq.Fails, points [][]float64, costs []float64) []float64 {
	if f == nil {
		return costs
	}
	works := f.Value.LogChance()
	list := make([]float64, len(costs))
	for i, x := range points {
		v, _, _ := f.LogPrice(works(nil, x), math.Log(costs[i]))
		list[i] = math.Exp(v)
	}
	return list
}
