// Package changeover learns what it costs to get ready for an evaluation, from what evaluations cost, MATH.md (72).
//
// An evaluation may say which part of its cost went into getting ready. Then the price is the mean of what was said. Otherwise only the whole
// cost is known. The price is then what makes the rest look most like the cost of evaluations for which all was ready. This is less certain,
// and the result says by how much.
package changeover

import (
	"math"
	"slices"
)

// Row is what an evaluation cost.
type Row struct {
	X       []float64 // X is its point, by which the costs of evaluations differ.
	Cost    float64   // Cost is the whole cost, less what is known of the price of getting ready.
	Setup   float64   // Setup is what went into getting ready, less what is known of it; NaN: it did not say.
	Changed []int     // Changed lists the prices to be learnt that it paid, each from 0.
}

// Price is what is known of a price.
type Price struct {
	Mean, SD float64
}

// How a price is learnt: values is the number of values that are tried, and rounds the number of rounds in which the prices are learnt one
// after the other. Only the latest rows are looked at, mostRows of them.
const (
	values   = 400
	rounds   = 6
	mostRows = 120
)

// The priors. Reports scatter by a tenth of a usual report, as if two reports had shown so. Logarithms of costs scatter by 0.3 around a linear
// function of the point, as if two costs had shown so.
const (
	reportScatter, reportWeight = 0.1, 2.0
	costScatter, costWeight     = 0.3, 2.0
)

// Learn returns what is known of this many prices. Before there is any row it is nothing: the mean is 0, and so is the standard deviation.
func Learn(rows []Row, prices int) []Price {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !(r.Cost > 0) })
	rows = rows[max(len(rows)-mostRows, 0):]
	list := make([]Price, prices)
	if len(rows) == 0 {
		return list
	}
	l := newLearner(rows)
	for k := range list {
		list[k].Mean = l.start(k)
	}
	count := rounds
	if prices == 1 { // which depends on no other
		count = 1
	}
	for range count {
		for k := range list {
			list[k] = l.learn(list, k)
		}
	}
	return list
}

type learner struct {
	rows   []Row
	silent []int       // the rows that did not say what went into getting ready
	rest   [][]float64 // turns logarithms of costs into what no linear function of the points explains
	usual  float64     // a usual cost: the mean of a price before anything is known
	noise  float64     // the variance of reports
}

func newLearner(rows []Row) *learner {
	l := &learner{rows: rows, rest: unexplained(rows)}
	costs := make([]float64, len(rows))
	said, n := 0.0, 0.0
	for i, r := range rows {
		costs[i] = r.Cost
		switch {
		case math.IsNaN(r.Setup):
			l.silent = append(l.silent, i)
		case len(r.Changed) > 0:
			said, n = said+math.Abs(r.Setup), n+1
		}
	}
	slices.Sort(costs)
	l.usual = costs[len(costs)/2]
	if n > 0 {
		l.noise = math.Pow(reportScatter*math.Max(said/n, 1e-3*l.usual), 2)
	}
	return l
}

// start is a first guess of a price: half of the mean of what was reported, or of the least cost that has it.
func (l *learner) start(k int) float64 {
	sum, n, least := 0.0, 0.0, math.Inf(1)
	for _, r := range l.rows {
		if !slices.Contains(r.Changed, k) {
			continue
		}
		if !math.IsNaN(r.Setup) {
			sum, n = sum+r.Setup/float64(len(r.Changed)), n+1
		}
		least = math.Min(least, r.Cost/float64(len(r.Changed)))
	}
	if n > 0 {
		return math.Max(sum/n, 0)
	}
	if math.IsInf(least, 1) {
		return l.usual
	}
	return least / 2
}

// learn returns what is known of one price, given the means of the others.
func (l *learner) learn(list []Price, k int) Price {
	most, reports := math.Inf(1), []float64(nil)
	for _, r := range l.rows {
		if !slices.Contains(r.Changed, k) {
			continue
		}
		others := 0.0
		for _, j := range r.Changed {
			if j != k {
				others += list[j].Mean
			}
		}
		if math.IsNaN(r.Setup) {
			most = math.Min(most, math.Max(r.Cost-others, leastOwn*r.Cost))
		} else {
			reports = append(reports, r.Setup-others)
		}
	}
	if math.IsInf(most, 1) && len(reports) == 0 {
		return Price{l.usual, l.usual} // nothing has shown it
	}
	noise := l.scatter(reports)
	low, high := 0.0, most
	if len(reports) > 0 { // which say much more
		mean, sd := meanOf(reports), math.Sqrt(noise/float64(len(reports)))
		low, high = math.Max(mean-6*sd, 0), math.Min(math.Max(mean+6*sd, 1e-9*l.usual), most)
		if low >= high {
			low = 0
		}
	}
	logs, tried := make([]float64, values), make([]float64, values)
	prices := make([]Price, len(list))
	copy(prices, list)
	for i := range tried {
		x := low + (high-low)*(float64(i)+0.5)/values
		prices[k].Mean = x
		v := -x / l.usual
		for _, y := range reports {
			v -= (y - x) * (y - x) / (2 * noise)
		}
		tried[i], logs[i] = x, v+l.logLikelihood(prices)
	}
	p := moments(tried, logs)
	p.SD = math.Sqrt(p.SD*p.SD + math.Pow((high-low)/values, 2)/12)
	if len(reports) > 0 {
		p.SD = math.Hypot(p.SD, math.Sqrt(noise)) // the next one scatters as well
	}
	return p
}

// leastOwn is the least fraction of a cost that is an evaluation's own.
const leastOwn = 0.02

// scatter is the variance of reports around their mean.
func (l *learner) scatter(reports []float64) float64 {
	sum, mean := reportWeight*l.noise, meanOf(reports)
	for _, y := range reports {
		sum += (y - mean) * (y - mean)
	}
	return sum / (reportWeight + float64(len(reports)))
}

func meanOf(list []float64) (mean float64) {
	for _, y := range list {
		mean += y / float64(len(list))
	}
	return mean
}

// logLikelihood is the logarithm of the density of the costs, given the prices, as far as it depends on them: under a linear model of the logarithms of the
// evaluations' own costs, with coefficients and variance integrated out.
func (l *learner) logLikelihood(prices []Price) float64 {
	if len(l.silent) == 0 {
		return 0
	}
	ln, v := make([]float64, len(l.rows)), 0.0
	for i, r := range l.rows {
		ln[i] = math.Log(r.own(prices))
	}
	for _, i := range l.silent {
		v -= ln[i] // dln c = dc/c
	}
	sum := costWeight * costScatter * costScatter
	for i, row := range l.rest {
		s := 0.0
		for j, w := range row {
			s += w * ln[j]
		}
		sum += s * ln[i]
	}
	return v - (costWeight+float64(len(l.rows)))/2*math.Log(sum)
}

// own is what an evaluation itself cost.
func (r Row) own(prices []Price) float64 {
	setup := r.Setup
	if math.IsNaN(setup) {
		setup = 0
		for _, k := range r.Changed {
			setup += prices[k].Mean
		}
	}
	return math.Max(r.Cost-setup, leastOwn*r.Cost)
}

// unexplained returns I − Φ(ΦᵀΦ + Λ)⁻¹Φᵀ, where Φ has a constant, which is free, and the coordinates of the points, whose coefficients have a normal prior.
func unexplained(rows []Row) [][]float64 {
	n, dim := len(rows), len(rows[0].X)
	features := make([][]float64, n)
	for i, r := range rows {
		features[i] = append([]float64{1}, r.X...)
	}
	gram := make([][]float64, dim+1)
	for a := range gram {
		gram[a] = make([]float64, dim+1)
		for b := range gram {
			for _, f := range features {
				gram[a][b] += f[a] * f[b]
			}
		}
		gram[a][a] += 1e-6
		if a > 0 {
			gram[a][a] += costScatter * costScatter // a coefficient of about 1
		}
	}
	inverse := invert(gram)
	rest := make([][]float64, n)
	for i := range rest {
		rest[i] = make([]float64, n)
		rest[i][i] = 1
		for j := range rest[i] {
			for a, fa := range features[i] {
				for b, fb := range features[j] {
					rest[i][j] -= fa * inverse[a][b] * fb
				}
			}
		}
	}
	return rest
}

// invert inverts a positive definite matrix by Gauss and Jordan. Its diagonal was raised, so no pivot vanishes.
func invert(m [][]float64) [][]float64 {
	n := len(m)
	inverse := make([][]float64, n)
	for i := range inverse {
		inverse[i] = make([]float64, n)
		inverse[i][i] = 1
	}
	for c := range n {
		pivot := m[c][c]
		for j := range n {
			m[c][j] /= pivot
			inverse[c][j] /= pivot
		}
		for i := range n {
			if i == c {
				continue
			}
			factor := m[i][c]
			for j := range n {
				m[i][j] -= factor * m[c][j]
				inverse[i][j] -= factor * inverse[c][j]
			}
		}
	}
	return inverse
}

// moments returns mean and standard deviation of values with these logarithms of densities.
func moments(x, logs []float64) Price {
	highest := slices.Max(logs)
	sum, mean, square := 0.0, 0.0, 0.0
	for i, v := range logs {
		w := math.Exp(v - highest)
		sum, mean = sum+w, mean+w*x[i]
	}
	mean /= sum
	for i, v := range logs {
		square += math.Exp(v-highest) * (x[i] - mean) * (x[i] - mean)
	}
	return Price{mean, math.Sqrt(square / sum)}
}
