package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// Some settings crash, run out of memory, or are cut at a limit. Such an evaluation has no value, and a made-up value would bend the model of
// the values around it. Instead, a model says whether an evaluation has a value at all, MATH.md (19). It is a Gaussian process f that is above zero
// where evaluations have values; only its sign is seen. With its mean and variance, the chance of a value at x is
//
//	P(x) = Φ(μ(x) / √(1 + σ²(x))).
//
// Lengthscales and the height of f are those under which the signs are likeliest. If f is high, its edge is sharp; if f is high and its lengthscales are long, its edge is
// almost a plane, and failures teach along all of it. If f is low, settings may fail now and then. A corner where everything fails is avoided, and failures
// among good evaluations are soon forgiven.

// The prior of the hyperparameters of f. A lengthscale is expected to be labelReach times the root of the dimension. The height of f, which is
// its standard deviation, is expected to be usualHeight. reachSpread and heightReach are the standard deviations of the logarithms of the two.
// The height is also the prior mean of f, so where nothing was tried an evaluation has a value with a chance of 84 %.
const labelReach, reachSpread, usualHeight, heightReach = 0.6, 0.8, 300, 3

// mostLabels is the number of evaluations of each kind that are labelled.
const mostLabels = 60

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

// labels returns evaluations of each kind, at most this many.
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

// fit returns the model of the labels under which they are likeliest. One lengthscale is sought for all coordinates, with the height, and then one for each.
func (l labelled) fit(dim int) (best gp.Hyper, most float64) {
	usual := labelReach * math.Sqrt(float64(dim))
	signs := gp.NewSigns(l.x, l.labels)
	score := func(h gp.Hyper) float64 {
		v := signs.Evidence(h)
		for _, length := range h.Lengthscales {
			z := math.Log(length/usual) / reachSpread
			v -= z * z / 2
		}
		z := math.Log(math.Sqrt(h.Outputscale)/usualHeight) / heightReach
		return v - z*z/2
	}
	most = math.Inf(-1)
	better := func(lengthscales []float64, height float64) bool {
		h := gp.Hyper{Lengthscales: lengthscales, Outputscale: height * height, Mean: height}
		v := score(h)
		if v <= most {
			return false
		}
		best, most = h, v
		return true
	}
	for _, factor := range []float64{1, 0.4, 2.5} {
		same := make([]float64, dim)
		for j := range same {
			same[j] = factor * usual
		}
		for _, height := range []float64{1, 10, 100, 1000} {
			better(same, height)
		}
	}
	for _, step := range []float64{2.5, 1.5} {
		for j := range dim + 1 { // the last is the height
			for _, factor := range []float64{step, 1 / step} {
				for range 4 { // as far as it helps
					lengths, height := slices.Clone(best.Lengthscales), math.Sqrt(best.Outputscale)
					if j == dim {
						height = math.Min(height*factor, mostHeight)
					} else if lengths[j] *= factor; lengths[j] < usual/50 || lengths[j] > usual*50 {
						break
					}
					if !better(lengths, height) {
						break
					}
				}
			}
		}
	}
	return best, most
}

func (l labelled) model(h gp.Hyper) (*gp.Model, *gp.Signs) {
	signs := gp.NewSigns(l.x, l.labels)
	m, _ := signs.Fit(h)
	return m, signs
}

// fluke is the chance that an evaluation fails for reasons unrelated to its setting.
const fluke = 0.01

// withoutFluke returns the evaluations without the failure that the others make least likely, if that failure was probably a fluke and so says nothing
// about its setting. A second failure nearby makes both credible. It returns the hyperparameters, too.
func (l labelled) withoutFluke(dim int) (labelled, gp.Hyper) {
	hyper, score := l.fit(dim)
	_, signs := l.model(hyper)
	at, least := -1, 0.2 // where the others do not say that it should have worked, it is no fluke
	for i, p := range signs.LeftOut(hyper.Mean) {
		if l.labels[i] < 0 && p < least {
			at, least = i, p
		}
	}
	if at < 0 {
		return l, hyper
	}
	rest := labelled{slices.Delete(slices.Clone(l.x), at, at+1), slices.Delete(slices.Clone(l.labels), at, at+1)}
	if other, without := rest.fit(dim); without+math.Log(fluke) > score {
		return rest, other
	}
	return l, hyper
}

// mostHeight is the largest height: beyond, edges are as sharp as anybody can see.
const mostHeight = 1e5

// newFails returns the model of which evaluations fail and what failures cost, given the model of the costs, and nil without failures.
func (s *State) newFails(lnCost *gp.Model) *acq.Fails {
	if len(s.Failed) == 0 {
		return nil
	}
	labels, hyper := s.labels(mostLabels).withoutFluke(s.Dim)
	m, _ := labels.model(hyper)
	f := &acq.Fails{Value: acq.Limit{Model: m}, Slope: 1}
	f.Shift, f.Slope = s.failurePrices(lnCost)
	return f
}

// What a failure costs: often a small part of what a value would cost, such as the time to run out of memory, or all of it. Its logarithm is a
// straight line in the logarithm of the expected cost of a value, MATH.md (47).

// The standard deviations of a failure's log-cost around the line, of the line's height, which is 0 before any is known, and of its slope, which is 1.
const failureSpread, heightSpread, slopeSpread = 0.5, 2, 0.5

// paidFor is the logarithm of what a failure cost. NaN stands for a cost that is not known.
func (s *State) paidFor(failure int) float64 {
	if failure < len(s.FailedCost) {
		return s.FailedCost[failure]
	}
	return s.Failed[failure].LnCost
}

// failurePrices returns the line.
func (s *State) failurePrices(lnCost *gp.Model) (shift, slope float64) {
	var at, over []float64 // the expected log-costs, and how far what was paid lies above them
	for i, e := range s.Failed {
		if paid := s.paidFor(i); !math.IsNaN(paid) {
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

// mostLost is a fraction. Once failures have taken more than this fraction of the money spent, no trial is chosen that is expected to lose more than
// this fraction of its price to failing, unless nothing else may beat the best value. Next to a wall of failures one more try always seems worth it, and
// half of the money would go into failures. True chances near an edge are a little below the stated chances.
const mostLost = 0.1

// LeastChance is the chance of a value that a trial must have: the least by money and, after two failures in a row, that of a safe trial, however cheap
// failures are. A value next to the edge tells where to go on, and a third failure does not. It is 0 while no evaluation so far would have met it, since then a
// risk has to be taken.
func (d *Beliefs) LeastChance() float64 {
	if d.Fails != nil && d.FailedInRow >= mostInRow-1 {
		return d.ifMet(math.Max(d.LeastByMoney(), 1-mostLost))
	}
	return d.LeastByMoney()
}

// LeastByMoney is 0 while failures have taken little of the money. Otherwise it is higher if failures are dearer.
func (d *Beliefs) LeastByMoney() float64 {
	if d.Fails == nil || len(d.X) == 0 || d.lost() < mostLost*(d.Initial-d.Remaining) {
		return 0
	}
	lnCost, sd := d.Belief.LnCost.PosteriorSD(d.Incumbent)
	price, _, _ := acq.LogExpectedCost(lnCost, sd)
	ratio := math.Exp(d.Fails.Shift+(d.Fails.Slope-1)*price) * (1 - mostLost)
	return d.ifMet(ratio / (mostLost + ratio))
}

// ifMet returns the chance if an evaluation so far would have met it, and otherwise 0.
func (d *Beliefs) ifMet(least float64) float64 {
	if works := d.Belief.Works(); slices.ContainsFunc(d.X, func(x []float64) bool { return works(x) > least }) {
		return least
	}
	return 0
}

// A point that is likelier to fail than not is not tried if at least certainty failures lie within closeBy of it, in lengthscales of f, and no value is nearer
// than clearly times the distance of the certainty-th nearest failure. A single failure may be a fluke. The best settings are often next to an edge, and the
// search for the edge goes on between failures and values.
const closeBy, certainty, clearly = 0.1, 2, 5

// After mostInRow failures in a row, nothing is tried within nextTo of any failure, in diagonals of the cube, until something has a value. Otherwise, if
// failures are cheap, the search for the edge between a failure and a value would never end.
const mostInRow, nextTo = 3, 0.03

// SureToFail returns a function that says whether a point is likelier to fail than not, is close to several failures, and is much nearer to
// them than to any value. It is nil if there is no such point. If failures cost next to nothing, the gain for the price is the same however
// small the chance of a value is. Without this rule the same setting would be tried for ever.
func (d *Beliefs) SureToFail() func(x []float64) bool {
	if len(d.Failed) < certainty || d.Paper || d.Fails == nil {
		return nil
	}
	failed, complete, works := d.Failures(), d.complete(), d.Belief.Works()
	lengths := d.Fails.Value.Model.Hyper().Lengthscales
	distance := func(x, y []float64) (sum float64) {
		for j, length := range lengths {
			sum += (x[j] - y[j]) * (x[j] - y[j]) / (length * length)
		}
		return math.Sqrt(sum)
	}
	diagonal := math.Sqrt(float64(d.Dim))
	return func(x []float64) bool {
		if d.FailedInRow >= mostInRow && slices.ContainsFunc(failed, func(y []float64) bool { return floats.Distance(x, y, 2) < nextTo*diagonal }) {
			return true
		}
		near := make([]float64, len(failed))
		for i, y := range failed {
			near[i] = distance(x, y)
		}
		slices.Sort(near)
		within := near[certainty-1]
		return within < closeBy && works(x) < 0.5 && !slices.ContainsFunc(complete, func(y []float64) bool { return distance(x, y) < clearly*within })
	}
}

// lost is the money that failures have taken. A failed look, and a failure whose cost is not known, count as if an evaluation at the top had failed.
func (d *Beliefs) lost() (sum float64) {
	for i, f := range d.Failed {
		paid := d.paidFor(i)
		if math.IsNaN(paid) {
			mean, sd := d.Belief.LnCostAt(f.X)
			expected, _, _ := acq.LogExpectedCost(mean, sd)
			paid = d.Fails.Shift + d.Fails.Slope*expected
		}
		sum += math.Exp(paid)
	}
	return sum
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
