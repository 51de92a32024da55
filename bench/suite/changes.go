package suite

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// What it is worth to know the prices of changes: the default, which is told them, against the same policy that pays them and is not told, and learnt prices
// against known ones.

// The policies that are compared.
const (
	told     = "default"
	notTold  = "default-changes"
	knowsAll = "default@known" // where the default learns the prices
)

// The claim is about problems where changes take this part of the money of the policy that is not told.
const fewChanges, manyChanges = 0.3, 0.8

// ChangeReport reads the runs of some folders on the problems with prices of changes, and writes what it is worth to know the prices. Further policies are compared
// with one of them.
func ChangeReport(w io.Writer, folders []string, against, data string) error {
	var runs []Run
	for _, dir := range folders {
		list, err := Folder(dir).Read()
		if err != nil {
			return err
		}
		for _, r := range list {
			r.Workers = 0 // the number is a part of the problem
			runs = append(runs, r)
		}
	}
	g, err := newGrid(runs, Experiment{Set: Changes, Data: data}, against)
	if err != nil {
		return err
	}
	if len(g.rows) == 0 {
		return fmt.Errorf("there are no runs of the set %s", Changes)
	}
	fmt.Fprintf(w, "%s, which is told the prices, against %s, which is not. Money: the fraction with which it is as good as the other at the end.\n\n", told, notTold)
	g.toldTable().Text(w)
	fmt.Fprintf(w, "\nLearnt prices against known ones. More money: what learning needs for the worse of the two ends.\n\n")
	learnt, err := g.learntTable(data)
	if err != nil {
		return err
	}
	learnt.Text(w)
	if others := g.otherTable(); len(others.Rows) > 0 {
		fmt.Fprintf(w, "\nOther policies against %s.\n\n", g.against)
		others.Text(w)
	}
	return nil
}

// toldTable has a row for each problem, and for the problems that the claim is about.
func (g *grid) toldTable() *show.Table {
	t := &show.Table{Header: []string{"problem", "for", "pairs", "log10 regret", "changes took, not told", "told", "money"}}
	add := func(name, use string, rows []row) {
		if len(rows) == 0 {
			return
		}
		p := pairsOf(rows, told, notTold)
		t.Add(name, use, fmt.Sprint(p.count()), within(p.regret()), percent(p.mean(1, changed)), percent(p.mean(0, changed)), share(p.money()))
	}
	var claimed []row
	for _, r := range g.rows {
		p := pairsOf([]row{r}, told, notTold)
		if p.count() == 0 {
			continue
		}
		add(r.Name, setOf(r.Info), []row{r})
		if took := p.mean(1, changed); took >= fewChanges && took <= manyChanges {
			claimed = append(claimed, r)
		}
	}
	add(fmt.Sprintf("%d of 30–80 %%", len(claimed)), All, claimed)
	for _, validation := range []bool{false, true} {
		rows := slices.DeleteFunc(slices.Clone(claimed), func(r row) bool { return r.Validation != validation })
		if len(rows) > 0 {
			add(fmt.Sprintf("%d of these", len(rows)), setOf(rows[0].Info), rows)
		}
	}
	return t
}

// learntTable has a row for each problem whose prices are learnt, and for those with reports and without.
func (g *grid) learntTable(data string) (*show.Table, error) {
	t := &show.Table{Header: []string{"problem", "for", "pairs", "log10 regret", "more money"}}
	add := func(name, use string, rows []row) {
		if p := pairsOf(rows, told, knowsAll); p.count() > 0 {
			t.Add(name, use, fmt.Sprint(p.count()), within(p.regret()), share(p.more()))
		}
	}
	kinds := map[bool][]row{} // by whether trials report what they paid
	for _, r := range g.rows {
		task, err := problem.NewTask(r.Name, 0, data)
		if err != nil {
			return nil, err
		}
		if task.ChangesLearnt {
			kinds[task.ChangesReported] = append(kinds[task.ChangesReported], r)
			add(r.Name, setOf(r.Info), []row{r})
		}
	}
	add("with reports", All, kinds[true])
	add("without", All, kinds[false])
	return t, nil
}

// otherTable has the paired difference of any other policy from the reference.
func (g *grid) otherTable() *show.Table {
	t := &show.Table{Header: []string{"policy", "for", "problems", "pairs", "log10 regret, less " + g.against, "on these alone"}}
	for _, policy := range g.policies {
		if slices.Contains([]string{g.against, notTold, knowsAll}, policy) {
			continue
		}
		for _, part := range g.parts() {
			if groups, pairs := part.differences(policy); pairs > 0 {
				t.Add(policy, part.setName(), fmt.Sprint(len(groups)), fmt.Sprint(pairs), within(stats.Between(groups)), within(stats.Within(groups)))
			}
		}
	}
	return t
}

// pairs are the runs of two policies in the replications that both have, by problem.
type pairs [][][2]Run

func pairsOf(rows []row, a, b string) (list pairs) {
	for _, r := range rows {
		var group [][2]Run
		for _, n := range r.numbers(a, b) {
			group = append(group, [2]Run{r.runs[a][n], r.runs[b][n]})
		}
		if len(group) > 0 {
			list = append(list, group)
		}
	}
	return list
}

func (p pairs) count() (n int) {
	for _, group := range p {
		n += len(group)
	}
	return n
}

// regret is the mean difference of log10 regret at the end, the first less the second.
func (p pairs) regret() stats.Interval {
	var groups [][]float64
	for _, group := range p {
		var list []float64
		for _, pair := range group {
			list = append(list, pair[0].Final()-pair[1].Final())
		}
		groups = append(groups, list)
	}
	if p.count() == 1 {
		return stats.Bootstrap(groups[0])
	}
	return stats.Within(groups)
}

// changed is the part of the money that changes took.
func changed(r Run) float64 { return math.Min(r.Changed/(1-r.Left), 1) }

// mean is that of one of the two policies, over replications and then over problems.
func (p pairs) mean(which int, of func(Run) float64) (mean float64) {
	for _, group := range p {
		for _, pair := range group {
			mean += of(pair[which]) / float64(len(group)*len(p))
		}
	}
	return mean
}

// money is the fraction of the money with which the mean curve of the first is as low as the end of the second's.
func (p pairs) money() stats.Interval {
	return p.resampled(func(first, second []float64) float64 { return reached(first, end(second)) })
}

// more is how much more money the first needs than the second for the higher of their ends, as a fraction.
func (p pairs) more() stats.Interval {
	return p.resampled(func(first, second []float64) float64 {
		goal := math.Max(end(first), end(second))
		return reached(first, goal)/reached(second, goal) - 1
	})
}

// end is where a curve ends. Sums of the same numbers in another order are as good.
func end(curve []float64) float64 { return curve[len(curve)-1] + tieWithin }

// resampled returns a statistic of the two mean curves with its interval, over the replications of these problems.
func (p pairs) resampled(statistic func(first, second []float64) float64) stats.Interval {
	var sizes []int
	for _, group := range p {
		sizes = append(sizes, len(group))
	}
	return stats.ResampleGroups(sizes, func(drawn [][]int) []float64 {
		var curves [2][curvePoints]float64
		for g, indices := range drawn {
			for _, i := range indices {
				for which, run := range &p[g][i] {
					for k, v := range run.Curve {
						curves[which][k] += v / float64(len(indices)*len(p))
					}
				}
			}
		}
		return []float64{statistic(curves[0][:], curves[1][:])}
	})[0]
}
