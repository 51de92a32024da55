package suite

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// Several workers against one. With equal money they have the same number of evaluations and know less when they choose; in equal time they have spent
// more. The time is that of Play's clock, in units of what one worker needs to spend the budget: W workers have spent it after about 1/W.

// atTime is log10 regret at a time of Play's clock.
func (r Run) atTime(clock float64) float64 {
	log10 := 0.0 // a median setting's
	for _, s := range r.Steps {
		if s[1] > clock {
			break
		}
		log10 = s[2]
	}
	return log10
}

// crowd is a policy with several workers, and the same with one.
type crowd struct {
	one, many string // as policies of the grid
	workers   int
}

// crowds lists the policies that have runs with several workers and with one.
func (g *grid) crowds() (list []crowd) {
	for _, many := range g.policies {
		for _, one := range g.policies {
			var workers int
			if rest, found := strings.CutPrefix(many, one); found {
				if _, err := fmt.Sscanf(rest, ", %d workers", &workers); err == nil && many == withWorkers(one, workers) {
					list = append(list, crowd{one, many, workers})
				}
			}
		}
	}
	return list
}

// workersTable compares each policy with itself.
func (g *grid) workersTable() *show.Table {
	t := &show.Table{Header: []string{"policy", "workers", "tasks", "pairs", "one, equal money", "many", "log10 difference", "one, equal time", "many", "log10 difference", "time for the end of one"}}
	for _, c := range g.crowds() {
		var rows []row
		pairs := 0
		for _, r := range g.rows {
			numbers := r.timed(c)
			if len(numbers) > 0 {
				rows, pairs = append(rows, r), pairs+len(numbers)
			}
		}
		if pairs == 0 {
			continue
		}
		cells := []string{c.one, fmt.Sprint(c.workers), fmt.Sprint(len(rows)), fmt.Sprint(pairs)}
		for _, at := range []func(Run) float64{Run.Final, func(r Run) float64 { return r.atTime(1 / float64(c.workers)) }} {
			one, many, difference := c.compare(rows, at)
			cells = append(cells, show.Fixed(one, 3), show.Fixed(many, 3), within(difference))
		}
		t.Add(append(cells, share(c.time(rows)))...)
	}
	return t
}

// timed returns the replications that both have, with the moments at which their best changed.
func (r row) timed(c crowd) []int {
	return slices.DeleteFunc(r.numbers(c.one, c.many), func(n int) bool { return len(r.runs[c.one][n].Steps) == 0 || len(r.runs[c.many][n].Steps) == 0 })
}

// compare returns mean normalised regrets, and the mean of paired differences of log10 regret: above zero, many workers are worse.
func (c crowd) compare(rows []row, at func(Run) float64) (one, many float64, difference stats.Interval) {
	var ones, manys []float64
	var groups [][]float64
	for _, r := range rows {
		var a, b, d []float64
		for _, n := range r.timed(c) {
			x, y := at(r.runs[c.one][n]), at(r.runs[c.many][n])
			a, b, d = append(a, normalised.of(x)), append(b, normalised.of(y)), append(d, y-x)
		}
		ones, manys, groups = append(ones, stat.Mean(a, nil)), append(manys, stat.Mean(b, nil)), append(groups, d)
	}
	return stat.Mean(ones, nil), stat.Mean(manys, nil), stats.Between(groups)
}

// time returns the time after which many workers have the mean normalised regret that one has at the end, with an interval over tasks.
func (c crowd) time(rows []row) stats.Interval {
	points := curvePoints * c.workers // of the time that one worker needs
	curves, goals := make([][]float64, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		curves[i] = make([]float64, points)
		numbers := r.timed(c)
		for _, n := range numbers {
			goals[i] += normalised.of(r.runs[c.one][n].Final()) / float64(len(numbers))
			for k := range curves[i] {
				curves[i][k] += normalised.of(r.runs[c.many][n].atTime(float64(k+1)/float64(points))) / float64(len(numbers))
			}
		}
	}
	return stats.Resample(len(rows), func(drawn []int) float64 {
		goal, curve := 0.0, make([]float64, points)
		for _, i := range drawn {
			goal += goals[i]
			for k, v := range curves[i] {
				curve[k] += v
			}
		}
		return reachedFrom(float64(len(drawn)), curve, goal+1e-9*math.Abs(goal))
	})
}
