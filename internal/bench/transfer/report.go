package transfer

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/bench/show"
	"github.com/eke-bo/eke/internal/bench/stats"
)

// half and whole are the points of a curve where half of the money is spent, and all of it.
const half, whole = points/2 - 1, points - 1

// Report says, for each problem and over all of them, how the regrets of studies that start from earlier ones compare with those of studies that
// start from nothing and have all the money. Differences are of log10 regrets, in the same replications; below zero the
// study with an earlier one is better.
func Report(w io.Writer, runs []Run) {
	byKey := map[Key]Run{}
	problems := map[string][]int{}
	for _, r := range runs {
		byKey[r.Key] = r
		if r.From == Nothing {
			problems[r.Problem] = append(problems[r.Problem], r.Number)
		}
	}
	t := show.Table{Header: []string{"problem", "studies", "nothing, 100 %", "shifted, 50 %", "difference", "money needed", "followed", "unrelated, 100 %", "difference", "followed"}}
	var all [2][][]float64
	var needed []float64
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		var d [2][]float64
		var finals [3][]float64
		var curve [2][points]float64
		var used [2]float64
		for _, n := range problems[name] {
			plain, shift, other := byKey[Key{name, Nothing, n}], byKey[Key{name, Shifted, n}], byKey[Key{name, Unrelated, n}]
			if shift.Curve == nil || other.Curve == nil {
				continue
			}
			finals[0], finals[1], finals[2] = append(finals[0], plain.Curve[whole]), append(finals[1], shift.Curve[half]), append(finals[2], other.Curve[whole])
			d[0], d[1] = append(d[0], shift.Curve[half]-plain.Curve[whole]), append(d[1], other.Curve[whole]-plain.Curve[whole])
			for i := range points {
				curve[0][i], curve[1][i] = curve[0][i]+plain.Curve[i], curve[1][i]+shift.Curve[i]
			}
			used[0], used[1] = used[0]+float64(shift.Used)/float64(shift.Trials), used[1]+float64(other.Used)/float64(other.Trials)
		}
		n := float64(len(d[0]))
		if n == 0 {
			continue
		}
		need := slices.IndexFunc(curve[1][:], func(v float64) bool { return v <= curve[0][whole] })
		money := "more than 100 %"
		if need >= 0 {
			money = show.Fixed(100*float64(need+1)/points, 0) + " %"
			needed = append(needed, float64(need+1)/points)
		} else {
			needed = append(needed, math.Inf(1))
		}
		all[0], all[1] = append(all[0], d[0]), append(all[1], d[1])
		t.Add(name, fmt.Sprint(n), mean(finals[0]), mean(finals[1]), interval(stats.Bootstrap(d[0])), money, percent(used[0]/n), mean(finals[2]), interval(stats.Bootstrap(d[1])), percent(used[1]/n))
	}
	t.Text(w)
	if len(needed) == 0 {
		return
	}
	slices.Sort(needed)
	fmt.Fprintf(w, "\nover %d problems, with 95 %% intervals over problems:\n", len(needed))
	fmt.Fprintf(w, "  a shifted one and half of the money, minus nothing and all of it: %s\n", interval(stats.Between(all[0])))
	fmt.Fprintf(w, "  money for the mean log regret that nothing reaches with all: median %s, at most half on %d problems\n",
		percent(needed[len(needed)/2]), len(needed)-len(slices.DeleteFunc(slices.Clone(needed), func(v float64) bool { return v <= 0.5 })))
	fmt.Fprintf(w, "  an unrelated one, minus nothing, both with all of the money: %s\n", interval(stats.Between(all[1])))
}

func mean(v []float64) string {
	sum := 0.0
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return show.Fixed(sum, 2)
}

func percent(v float64) string { return show.Fixed(100*v, 0) + " %" }

func interval(i stats.Interval) string {
	return fmt.Sprintf("%+.2f (%+.2f to %+.2f)", i.Mean, i.Low, i.High)
}
