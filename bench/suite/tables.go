package suite

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// section is a table under a heading, with a few words that explain it.
type section struct {
	heading, words string
	table          *show.Table
	left           int // columns of words
}

// sections are the tables of a part of the suite. For all problems together there are only the summaries.
func (g *grid) sections() []section {
	if g.whole {
		return g.summaries()
	}
	list := append(g.summaries(), g.details()...)
	if g.hasFidelities() {
		list = append(list, section{"Money", "The part of the money that " + g.against + " needs for the mean log10 regret that the other policy has at the end, with 95 % bootstrap intervals over the replications that both have. More: all of it is not enough.", g.money(), 1})
	}
	return list
}

func (g *grid) summaries() []section {
	list := []section{
		{"Overview", fmt.Sprintf("The policies by their distance from %s, the best first. %s Regret: log10 of the distance between f* and the reported best, "+
			"in units of the distance of a median setting; its mean is over the problems that the policy has played. Against %s: mean of the differences of log10 regret, pair by pair, in the replications that both have; below zero is better than %s. Brackets are 95 %% bootstrap "+
			"intervals over problems, for problems like these; and over replications, for these problems alone. Wasted: money after the design that went to trials whose own forecast gave less than one chance in 10,000 to beat the best, on noiseless problems.",
			g.against, g.aboutRanks(), g.against, g.against), g.overview(), 1},
		{"How studies went", "Means over problems: log10 regret with a quarter, half, three quarters and all of the money spent; how studies ended, and how long a suggestion took. Stopped early: nothing was worth its price, with more than 5 % of the money left.", g.course(), 1},
		{"Forecasts", "How often results fell into the central bands of 50, 80 and 95 % of their forecasts, in the first third of a study and after; and proper scores: " +
			"the continuous ranked probability score (small is good) and the mean logarithm of the density (large is good), of values in units of the regret's scale and of the logarithm of costs.", g.calibration(), 2},
		{"Chance to fit the budget", "The chance that was forecast, and how often trials did fit. In brackets: the number of trials.", g.fits(), 1},
	}
	if names, _ := g.columns(); len(names) > 1 {
		list = slices.Insert(list, 1, section{"Families", "Differences of log10 regret against " + g.against + " by family, and by kinds of problems across families: means of the problems' means, with 95 % bootstrap intervals over problems. Bold: not zero by Student's test over problems with Holm's correction over the table.", g.familyTable(), 1})
	}
	return list
}

func (g *grid) details() []section {
	return []section{
		{"Problem by problem: " + g.against, "The best of the other policies on each problem by its mean, and how far " + g.against + " is from it, in the replications that both have; above zero it is behind. " +
			"The other one was picked for its mean, so the comparison is a little unfair. Bold: behind by more than 0.15 with an interval above zero, or more than 3 % wasted.", g.reference(), 1},
		{"Problem by problem: pairs", "Mean paired difference of log10 regret against " + g.against + ", with 95 % bootstrap intervals over replications; bold where the interval excludes zero.",
			g.pairs(), 1},
		{"Problem by problem: regret", "Mean log10 regret over the replications that all policies have; the lowest is bold.", g.regrets("**"), 1},
		{"Problem by problem: rank", "Mean rank over the replications that all policies have, with 95 % bootstrap intervals.", g.ranksByProblem(), 1},
	}
}

// within writes an interval.
func within(i stats.Interval) string {
	if math.IsNaN(i.Mean) {
		return show.Missing
	}
	if math.IsNaN(i.Low) {
		return show.Fixed(i.Mean, 2) // a single run
	}
	return fmt.Sprintf("%s [%s, %s]", show.Fixed(i.Mean, 2), show.Fixed(i.Low, 2), show.Fixed(i.High, 2))
}

func percent(part float64) string {
	if math.IsNaN(part) {
		return show.Missing
	}
	return fmt.Sprintf("%.1f %%", 100*part)
}

// aboutRanks says what the mean ranks are over.
func (g *grid) aboutRanks() string {
	ranks, problems := g.meanRanks()
	if ranks == nil {
		return fmt.Sprintf("There are no mean ranks, since all of these policies have runs in common on only %d of the %d problems; --policies chooses fewer.", problems, len(g.rows))
	}
	return fmt.Sprintf("Mean rank over the %d problems on which all policies have runs in common, 1 being best.", problems)
}

// overview has a row for each policy, with the best against the reference first.
func (g *grid) overview() *show.Table {
	t := &show.Table{Header: []string{"policy", "log10 regret", "against " + g.against, "these problems alone", "pairs", "better : worse", "wasted"}}
	ranks, _ := g.meanRanks()
	if ranks != nil {
		t.Header = slices.Insert(t.Header, 1, "mean rank")
	}
	for _, i := range g.byDifference() {
		policy := g.policies[i]
		regret := g.average(policy, func(r Run) float64 { return r.Final() })
		if math.IsNaN(regret) {
			continue // nothing was run
		}
		cells := []string{policy, show.Fixed(regret, 2), show.Missing, show.Missing, show.Missing, show.Missing, percent(g.average(policy, Run.wasted))}
		if policy != g.against {
			groups, pairs := g.differences(policy)
			better, worse := g.decided(policy)
			cells[2], cells[3] = within(stats.Between(groups)), within(stats.Within(groups))
			cells[4], cells[5] = fmt.Sprint(pairs), fmt.Sprintf("%d : %d", better, worse)
		}
		if ranks != nil {
			cells = slices.Insert(cells, 1, within(ranks[i]))
		}
		t.Add(cells...)
	}
	return t
}

// decided counts the problems on which a policy is better or worse than the reference with an interval that excludes zero.
func (g *grid) decided(policy string) (better, worse int) {
	for _, r := range g.rows {
		switch i := stats.Bootstrap(r.differences(policy, g.against)); {
		case i.High < 0:
			better++
		case i.Low > 0:
			worse++
		}
	}
	return better, worse
}

// spare is the fraction of the budget that a study must have left to count as stopped early. With less, it could not pay for another
// trial.
const spare = 0.05

// course has a row for each policy.
func (g *grid) course() *show.Table {
	t := &show.Table{Header: []string{"policy", "25 %", "50 %", "75 %", "100 %", "trials", "money left", "stopped early", "exhausted", "seconds a suggestion"}}
	for _, policy := range g.policies {
		cells := []string{policy}
		for _, part := range []float64{0.25, 0.5, 0.75, 1} {
			cells = append(cells, show.Fixed(g.average(policy, func(r Run) float64 { return r.At(part) }), 2))
		}
		share := func(of func(Run) bool) string {
			return percent(g.average(policy, func(r Run) float64 {
				if of(r) {
					return 1
				}
				return 0
			}))
		}
		t.Add(append(cells, show.Fixed(g.average(policy, func(r Run) float64 { return float64(r.Trials) }), 1),
			percent(g.average(policy, func(r Run) float64 { return r.Left })),
			share(func(r Run) bool { return r.Ended == "not worth" && r.Left > spare }), share(func(r Run) bool { return r.Ended == "exhausted" }),
			show.Fixed(g.average(policy, func(r Run) float64 { return r.Seconds / float64(max(r.Trials, 1)) }), 3))...)
	}
	return t
}
