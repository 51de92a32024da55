package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/show"
)

// race is one problem under one budget. Figures and tables compare contenders within a race.
type race struct {
	problem string
	budget  float64
	part    part
	runs    map[Contender][]Replication // by number
}

// part is how a race's budget compares with the paper's.
type part int

const (
	full part = iota
	half
	other
)

// races sorts results into races, in the paper's order of problems, with the full budget first. If lines have equal keys,
// the last one counts.
func races(results []Replication) []race {
	unique := map[Key]Replication{}
	for _, r := range results {
		r.Preset = presetShown(r)
		unique[r.Key()] = r
	}
	var list []race
	for _, r := range unique {
		at := slices.IndexFunc(list, func(k race) bool { return k.problem == r.Problem && k.budget == r.Budget })
		if at < 0 {
			at = len(list)
			list = append(list, race{r.Problem, r.Budget, partOf(r), map[Contender][]Replication{}})
		}
		c := r.Key().contender()
		list[at].runs[c] = append(list[at].runs[c], r)
	}
	for _, k := range list {
		for _, runs := range k.runs {
			slices.SortFunc(runs, func(a, b Replication) int { return cmp.Compare(a.Number, b.Number) })
		}
	}
	slices.SortFunc(list, func(a, b race) int {
		return cmp.Or(cmp.Compare(rankOfProblem(a.problem), rankOfProblem(b.problem)), cmp.Compare(a.problem, b.problem),
			cmp.Compare(a.part, b.part), cmp.Compare(b.budget, a.budget))
	})
	return list
}

// presetShown is the replication's preset, except that uniform points are the same in both.
func presetShown(r Replication) string {
	if r.Policy == "random" {
		return "paper"
	}
	return r.Preset
}

func rankOfProblem(name string) int {
	if i := slices.Index(problem.Names(), name); i >= 0 {
		return i
	}
	return len(problem.Names())
}

// ldaBudget is the paper's budget for LDA, in hours. The problem itself cannot be made without its
// data.
const ldaBudget = 100

func partOf(r Replication) part {
	whole := 0.0
	if p, err := problem.New(r.Problem, 0, ""); err == nil {
		whole = p.Budget
	} else if r.Problem == "lda" {
		whole = ldaBudget
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	switch {
	case near(r.Budget, whole):
		return full
	case near(2*r.Budget, whole):
		return half
	}
	return other
}

// mainRaces returns one race per problem: the one with the paper's budget or, if there is none, the one with the largest
// budget that is not half of it.
func mainRaces(list []race) []race {
	var chosen []race
	for _, k := range list { // sorted: full, then half, then other budgets from large to small
		last := len(chosen) - 1
		if k.part != half && (last < 0 || chosen[last].problem != k.problem) {
			chosen = append(chosen, k)
		}
	}
	return chosen
}

// halfRaces returns those with half of the paper's budget.
func halfRaces(list []race) []race {
	return slices.DeleteFunc(slices.Clone(list), func(k race) bool { return k.part != half })
}

// wholeRaces returns the others.
func wholeRaces(list []race) []race {
	return slices.DeleteFunc(slices.Clone(list), func(k race) bool { return k.part == half })
}

var problemTitles = map[string]string{
	"dropwave": "Dropwave", "alpine1": "Alpine1", "ackley": "Ackley", "shekel5": "Shekel5",
	"lda": "LDA", "cnn": "CNN", "boston": "RF-Boston", "robot": "Robot pushing",
}

// title names the race for people.
func (k race) title() string {
	title := cmp.Or(problemTitles[k.problem], k.problem)
	switch k.part {
	case half:
		return title + ", half budget"
	case other:
		return fmt.Sprintf("%s, budget %s", title, show.Number(k.budget))
	}
	return title
}

// finals returns log10 regrets when the money is gone.
func finals(runs []Replication) []float64 {
	list := make([]float64, len(runs))
	for i, r := range runs {
		list[i] = r.LogRegret(r.Budget)
	}
	return list
}
