package suite

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/stats"
)

// Any-time figures: how good what a policy would report is with each fraction of the money.
//
// The measure is normalised regret: how much worse the reported best is than the optimum, in units of how much worse a median setting is. It begins at 1,
// before there is anything to report. The optimum is problem.Task.Best, which no run of a policy has found: it is known, or comes from a search of its own or,
// for LCBench, from the statistics of the table. Only values at the highest fidelity count, and they count where the look or the evaluation that led to
// them has been paid.
//
// A mean is over replications, then over tasks, so that each task counts the same. Each policy has its own replications, as many as there are. There are two
// intervals, both of the bootstrap: over tasks, for tasks like these, and over replications, for these tasks alone. Replications of two policies
// are drawn apart, which is cautious where pairs are alike.

// measure is a scale on which means are taken, made of log10 regret.
type measure struct {
	of    func(log10 float64) float64
	begin float64 // of a median setting
}

var (
	normalised  = measure{func(log10 float64) float64 { return math.Pow(10, log10) }, 1}
	logarithmic = measure{func(log10 float64) float64 { return log10 }, 0}
)

// anytime is what the runs of some policies on some tasks say.
type anytime struct {
	policies []string
	against  int // the policy that others are compared with
	tasks    int // on which all policies have runs
	runs     []int

	curves, alone     [][]stats.Interval // by policy and point of the curve: over tasks, and for these tasks alone
	money, moneyAlone []stats.Interval   // by policy: the fraction of the money with which the reference has what the policy has at the end
	taskMoney         [][]float64        // the same by policy and task
}

// anytime compares the policies that have runs on half of the tasks or more, on the tasks on which all of them have.
func (g *grid) anytime(m measure) anytime {
	policies, rows := g.shared()
	a := anytime{policies: policies, against: slices.Index(policies, g.against), tasks: len(rows)}
	values := make([][][][curvePoints]float64, len(policies)) // by policy, task and replication
	var all []int                                             // replications of each policy on each task
	for i, policy := range policies {
		count := 0
		for _, r := range rows {
			var list [][curvePoints]float64
			for _, n := range r.numbers(policy) {
				var curve [curvePoints]float64
				for k, v := range r.runs[policy][n].Curve {
					curve[k] = m.of(v)
				}
				list = append(list, curve)
			}
			values[i], all, count = append(values[i], list), append(all, len(list)), count+len(list)
		}
		a.runs = append(a.runs, count)
	}
	if a.tasks == 0 {
		return a
	}
	means := make([][][curvePoints]float64, len(policies)) // by policy and task
	for i := range policies {
		for _, list := range values[i] {
			means[i] = append(means[i], meanCurve(list, nil))
		}
	}
	overTasks := stats.ResampleGroups([]int{a.tasks}, func(drawn [][]int) []float64 {
		curves := make([][curvePoints]float64, len(policies))
		for i := range policies {
			curves[i] = meanCurve(means[i], drawn[0])
		}
		return a.statistics(m, curves)
	})
	theseAlone := stats.ResampleGroups(all, func(drawn [][]int) []float64 {
		curves := make([][curvePoints]float64, len(policies))
		for i := range policies {
			each := make([][curvePoints]float64, a.tasks)
			for t := range each {
				each[t] = meanCurve(values[i][t], drawn[i*a.tasks+t])
			}
			curves[i] = meanCurve(each, nil)
		}
		return a.statistics(m, curves)
	})
	for i := range policies {
		a.curves = append(a.curves, overTasks[i*curvePoints:(i+1)*curvePoints])
		a.alone = append(a.alone, theseAlone[i*curvePoints:(i+1)*curvePoints])
	}
	if rest := len(policies) * curvePoints; a.against >= 0 {
		a.money, a.moneyAlone = overTasks[rest:], theseAlone[rest:]
		for i := range policies {
			var each []float64
			for t := range a.tasks {
				each = append(each, reachedFrom(m.begin, means[a.against][t][:], ended(means[i][t])))
			}
			a.taskMoney = append(a.taskMoney, each)
		}
	}
	return a
}

// statistics are the points of all curves, and the money that the reference needs for the end of each.
func (a anytime) statistics(m measure, curves [][curvePoints]float64) (list []float64) {
	for _, c := range curves {
		list = append(list, c[:]...)
	}
	if a.against >= 0 {
		for _, c := range curves {
			list = append(list, reachedFrom(m.begin, curves[a.against][:], ended(c)))
		}
	}
	return list
}

// ended is where a curve ends. Sums of the same numbers in another order are as good.
func ended(c [curvePoints]float64) float64 {
	end := c[curvePoints-1]
	return end + 1e-9*math.Abs(end)
}

// meanCurve returns the mean of the curves drawn; nil draws all.
func meanCurve(curves [][curvePoints]float64, drawn []int) (mean [curvePoints]float64) {
	count := len(drawn)
	if drawn == nil {
		count = len(curves)
	}
	for d := range count {
		i := d
		if drawn != nil {
			i = drawn[d]
		}
		for k, v := range curves[i] {
			mean[k] += v
		}
	}
	for k := range mean {
		mean[k] /= float64(count)
	}
	return mean
}

// shared returns the policies that have runs on half of the tasks or more, and the tasks on which all of these have.
func (g *grid) shared() (policies []string, rows []row) {
	for _, policy := range g.policies {
		played := 0
		for _, r := range g.rows {
			if len(r.runs[policy]) > 0 {
				played++
			}
		}
		if played > 0 && 2*played >= len(g.rows) {
			policies = append(policies, policy)
		}
	}
	for _, r := range g.rows {
		if !slices.ContainsFunc(policies, func(p string) bool { return len(r.runs[p]) == 0 }) {
			rows = append(rows, r)
		}
	}
	return policies, rows
}

// ranksAt returns the mean ranks of some policies with a fraction of the money spent, in the replications that all of them have, with intervals over tasks.
// It is empty if the policies have no replications in common.
func ranksAt(rows []row, policies []string, part float64) (list []stats.Interval) {
	groups := make([][][]float64, len(policies))
	for _, r := range rows {
		for i, list := range r.ranks(policies, func(run Run) float64 { return run.At(part) }) {
			if len(list) > 0 {
				groups[i] = append(groups[i], list)
			}
		}
	}
	for _, g := range groups {
		if len(g) > 0 {
			list = append(list, stats.Between(g))
		}
	}
	return list
}

// order returns the indices of the policies, the lowest end first.
func (a anytime) order() []int {
	order := make([]int, len(a.policies))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(a.curves[i][curvePoints-1].Mean, a.curves[j][curvePoints-1].Mean)
	})
	return order
}

// families returns the rows of each family, where there are several.
func (g *grid) families() (list []*grid) {
	var names []string
	for _, r := range g.rows {
		if !slices.Contains(names, r.Family) {
			names = append(names, r.Family)
		}
	}
	if len(names) < 2 {
		return nil
	}
	for _, name := range names {
		p := *g
		p.rows = slices.DeleteFunc(slices.Clone(g.rows), func(r row) bool { return r.Family != name })
		list = append(list, &p)
	}
	return list
}

// fullTrainings is what a policy's name has where it played the tasks of LCBench without a fidelity.
const fullTrainings = ", full trainings"

// joinFull adds runs of LCBench without a fidelity to those with one, as other policies: the tasks have the same values, costs, budget and optimum.
func (g *grid) joinFull(full *grid) {
	for _, f := range full.rows {
		if f.Family != problem.LCBenchFull {
			continue
		}
		name := strings.TrimSuffix(f.Name, "-full")
		i := slices.IndexFunc(g.rows, func(r row) bool { return r.Name == name })
		if i < 0 {
			continue
		}
		for policy, runs := range f.runs {
			g.rows[i].runs[policy+fullTrainings] = runs
			if !slices.Contains(g.policies, policy+fullTrainings) {
				g.policies = append(g.policies, policy+fullTrainings)
			}
		}
	}
	slices.Sort(g.policies)
}

// ahead is a policy that is ahead of the reference on a task beyond chance.
type ahead struct {
	problem, policy string
	by              stats.Interval // log10 regret of the reference less that of the policy, in the replications that both have
	runs            int
}

// ahead lists the tasks on which a policy is ahead of the reference with an interval that excludes zero, the largest distance first. Compared says
// how many pairs of a task and a policy were looked at: of these, one in forty may be listed by chance.
func (g *grid) ahead() (list []ahead, compared int) {
	for _, r := range g.rows {
		for _, policy := range g.policies {
			differences := r.differences(g.against, policy)
			if policy == g.against || len(differences) < 2 {
				continue
			}
			compared++
			if by := stats.Bootstrap(differences); by.Low > 0 {
				list = append(list, ahead{r.Name, policy, by, len(differences)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ahead) int { return cmp.Compare(b.by.Mean, a.by.Mean) })
	return list, compared
}
