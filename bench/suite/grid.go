package suite

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/stats"
)

// grid is the runs, sorted by problem and policy. Tables and pictures compare them.
type grid struct {
	policies []string
	rows     []row
	against  string // the policy that others are compared with
	whole    bool   // tuning and validation problems together
}

// row is one problem.
type row struct {
	problem.Info
	runs map[string]map[int]Run // by policy and number of the replication
}

// newGrid sorts the runs of the experiment's problems and policies. If it names no policies, all take part. Runs whose print is not
// that of the problem are left out.
func newGrid(runs []Run, e Experiment, against string) (*grid, error) {
	problems, err := e.Problems()
	if err != nil {
		return nil, err
	}
	g := &grid{against: against}
	for _, label := range e.Policies {
		for _, n := range e.workers() {
			g.policies = append(g.policies, withWorkers(label, n))
		}
	}
	runs = slices.Clone(runs)
	for i, r := range runs {
		runs[i].Policy = withWorkers(r.Policy, r.Workers)
	}
	if len(g.policies) == 0 {
		all := map[string]bool{}
		for _, r := range runs {
			all[r.Policy] = true
		}
		g.policies = slices.Sorted(maps.Keys(all))
	}
	if !slices.Contains(g.policies, against) && len(g.policies) > 0 {
		g.against = g.policies[0]
	}
	byProblem := map[string][]Run{}
	for _, r := range runs {
		if slices.Contains(g.policies, r.Policy) {
			byProblem[r.Problem] = append(byProblem[r.Problem], r)
		}
	}
	for _, info := range problems {
		list := byProblem[info.Name]
		if len(list) == 0 {
			continue
		}
		print := printOf(info.Name, list, e.Data)
		r := row{info, map[string]map[int]Run{}}
		for _, run := range list {
			if run.Print != print {
				continue
			}
			if r.runs[run.Policy] == nil {
				r.runs[run.Policy] = map[int]Run{}
			}
			r.runs[run.Policy][run.Number] = run
		}
		g.rows = append(g.rows, r)
	}
	return g, nil
}

// printOf returns the print of the problem as it is now, if any run has it, and otherwise that of most runs.
func printOf(name string, runs []Run, data string) string {
	count := map[string]int{}
	for _, r := range runs {
		count[r.Print]++
	}
	if len(count) == 1 {
		return runs[0].Print
	}
	if task, err := problem.NewTask(name, 0, data); err == nil && count[fingerprint(task)] > 0 {
		return fingerprint(task)
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return count[a] - count[b] })
}

// parts returns the tuning problems and the validation problems, and before them, where there are both, all of them.
func (g *grid) parts() []*grid {
	var list []*grid
	for _, validation := range []bool{false, true} {
		if p := g.part(validation); len(p.rows) > 0 {
			list = append(list, p)
		}
	}
	if len(list) == 2 {
		all := *g
		all.whole = true
		list = append([]*grid{&all}, list...)
	}
	return list
}

// part returns the rows of the tuning or of the validation problems.
func (g *grid) part(validation bool) *grid {
	p := *g
	p.rows = slices.DeleteFunc(slices.Clone(g.rows), func(r row) bool { return r.Validation != validation })
	return &p
}

// numbers returns the replications that all of the policies have.
func (r row) numbers(policies ...string) []int {
	if len(policies) == 0 {
		return nil
	}
	var list []int
	for number := range r.runs[policies[0]] {
		if !slices.ContainsFunc(policies, func(p string) bool { _, ok := r.runs[p][number]; return !ok }) {
			list = append(list, number)
		}
	}
	slices.Sort(list)
	return list
}

// tieWithin is the largest difference of log10 regrets that counts as none. It may be rounding of
// the results.
const tieWithin = 1e-4

// ranks returns, for each policy, its ranks in the replications that all have, by log10 regret at some moment.
func (r row) ranks(policies []string, at func(Run) float64) [][]float64 {
	list := make([][]float64, len(policies))
	for _, number := range r.numbers(policies...) {
		finals := make([]float64, len(policies))
		for i, p := range policies {
			finals[i] = at(r.runs[p][number])
		}
		for i, rank := range stats.Ranks(finals, tieWithin) {
			list[i] = append(list[i], rank)
		}
	}
	return list
}

// differences returns the log10 regret of a policy minus that of another, in the replications that both have. Below zero, the first
// is better.
func (r row) differences(policy, against string) (list []float64) {
	for _, number := range r.numbers(policy, against) {
		list = append(list, r.runs[policy][number].Final()-r.runs[against][number].Final())
	}
	return list
}

// meanRanks returns the mean rank of each policy over the problems that all have runs on, with intervals over problems, and
// how many problems these are. If they are fewer than half of the problems, it returns no ranks: they would say nothing of the others.
func (g *grid) meanRanks() (list []stats.Interval, problems int) {
	groups := make([][][]float64, len(g.policies))
	for _, r := range g.rows {
		ranks := r.ranks(g.policies, Run.Final)
		if len(ranks) == 0 || len(ranks[0]) == 0 {
			continue
		}
		problems++
		for i := range ranks {
			groups[i] = append(groups[i], ranks[i])
		}
	}
	if 2*problems < len(g.rows) {
		return nil, problems
	}
	for i := range groups {
		list = append(list, stats.Between(groups[i]))
	}
	return list, problems
}

// byDifference returns the indices of the policies, with the lowest mean difference from the reference first. Policies that share no
// replication with it come last.
func (g *grid) byDifference() []int {
	order := make([]int, len(g.policies))
	means := make([]float64, len(g.policies))
	for i, policy := range g.policies {
		order[i] = i
		if groups, _ := g.differences(policy); len(groups) > 0 {
			means[i] = stats.Between(groups).Mean
		} else {
			means[i] = math.Inf(1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(means[a], means[b]) })
	return order
}

// differences returns the paired differences of a policy, a group for each problem that has any, and the number of pairs.
func (g *grid) differences(policy string) (groups [][]float64, pairs int) {
	for _, r := range g.rows {
		if d := r.differences(policy, g.against); len(d) > 0 {
			groups, pairs = append(groups, d), pairs+len(d)
		}
	}
	return groups, pairs
}

// all calls visit with every run of a policy.
func (g *grid) all(policy string, visit func(Run)) {
	for _, r := range g.rows {
		for _, number := range r.numbers(policy) {
			visit(r.runs[policy][number])
		}
	}
}

// average returns the mean over problems of a policy's mean over replications. NaN is left out; without any numbers the
// result is NaN.
func (g *grid) average(policy string, of func(Run) float64) float64 {
	sum, problems := 0.0, 0.0
	for _, r := range g.rows {
		if mean := r.average(policy, of); !math.IsNaN(mean) {
			sum, problems = sum+mean, problems+1
		}
	}
	return sum / problems
}

// average returns a policy's mean over replications.
func (r row) average(policy string, of func(Run) float64) float64 {
	sum, runs := 0.0, 0.0
	for _, n := range r.numbers(policy) {
		if v := of(r.runs[policy][n]); !math.IsNaN(v) {
			sum, runs = sum+v, runs+1
		}
	}
	return sum / runs
}
