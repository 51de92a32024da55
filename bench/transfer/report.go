package transfer

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// half and whole are the points of a curve where half of the money is spent, and all of it.
const half, whole = points/2 - 1, points - 1

// Report says, for each kind of copy, each problem and over all of them, how the regrets of studies that start from an earlier one compare with those
// of studies that start from nothing and have all the money. Differences are of log10 regrets, in the same replications;
// below zero the study with an earlier one is better.
func Report(w io.Writer, runs []Run) {
	for _, from := range Copies() {
		if compared := compare(runs, from); len(compared) > 0 {
			reportCopy(w, from, compared)
		}
	}
}

// comparison is of the studies of a problem that start from nothing with those that start from a copy.
type comparison struct {
	problem      string
	plain, copy  [points]float64 // mean curves
	middle, ends []float64       // differences with half of the money, and with all of it, to nothing with all
	followed     float64         // the fraction of the trials that were chosen by models which follow the copy
}

// compare compares the studies of each problem that were played both from nothing and from a copy.
func compare(runs []Run, from string) (out []comparison) {
	plains := map[Key]Run{}
	for _, r := range runs {
		if r.From == Nothing {
			plains[r.Key] = r
		}
	}
	of := map[string]*comparison{}
	for _, r := range runs {
		plain, ok := plains[Key{r.Problem, Nothing, r.Number}]
		if r.From != from || !ok {
			continue
		}
		c := of[r.Problem]
		if c == nil {
			c = &comparison{problem: r.Problem}
			of[r.Problem] = c
		}
		for i := range points {
			c.plain[i], c.copy[i] = c.plain[i]+plain.Curve[i], c.copy[i]+r.Curve[i]
		}
		c.middle, c.ends = append(c.middle, r.Curve[half]-plain.Curve[whole]), append(c.ends, r.Curve[whole]-plain.Curve[whole])
		c.followed += float64(r.Used) / float64(r.Trials)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		c := of[name]
		n := float64(len(c.ends))
		for i := range points {
			c.plain[i], c.copy[i] = c.plain[i]/n, c.copy[i]/n
		}
		c.followed /= n
		out = append(out, *c)
	}
	return out
}

// needed returns the fraction of the money with which the copy's mean reaches what nothing reaches with all.
func (c *comparison) needed() float64 {
	if i := slices.IndexFunc(c.copy[:], func(v float64) bool { return v <= c.plain[whole] }); i >= 0 {
		return float64(i+1) / points
	}
	return math.Inf(1)
}

func reportCopy(w io.Writer, from string, compared []comparison) {
	t := show.Table{Header: []string{from, "studies", "nothing, 100 %", "with it, 50 %", "difference", "money needed", "with it, 100 %", "difference", "followed"}}
	var middle, ends [][]float64
	var needed []float64
	for _, c := range compared {
		middle, ends, needed = append(middle, c.middle), append(ends, c.ends), append(needed, c.needed())
		t.Add(c.problem, fmt.Sprint(len(c.ends)), show.Fixed(c.plain[whole], 2), show.Fixed(c.copy[half], 2), interval(stats.Bootstrap(c.middle)), money(c.needed()),
			show.Fixed(c.copy[whole], 2), interval(stats.Bootstrap(c.ends)), percent(c.followed))
	}
	t.Text(w)
	slices.Sort(needed)
	halves, _ := slices.BinarySearch(needed, 0.5+1e-9)
	fmt.Fprintf(w, "\n%s, over %d problems, with 95 %% intervals over problems:\n", from, len(needed))
	fmt.Fprintf(w, "  with it and half of the money, minus nothing and all of it: %s\n", interval(stats.Between(middle)))
	fmt.Fprintf(w, "  with it, minus nothing, both with all of the money: %s\n", interval(stats.Between(ends)))
	fmt.Fprintf(w, "  money for the mean log regret that nothing reaches with all: median %s, at most half on %d problems\n\n", money(needed[len(needed)/2]), halves)
}

// money writes a part of the money.
func money(part float64) string {
	if math.IsInf(part, 1) {
		return "more than 100 %"
	}
	return percent(part)
}

func percent(v float64) string { return show.Fixed(100*v, 0) + " %" }

func interval(i stats.Interval) string {
	return fmt.Sprintf("%+.2f (%+.2f to %+.2f)", i.Mean, i.Low, i.High)
}
