package suite

import (
	"slices"
	"strings"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
	"gonum.org/v1/gonum/stat"
)

// kinds are problems that rules were made for, across families. A problem says in its description what it is.
var kinds = []struct {
	name  string
	words []string
}{
	{"noisy values", []string{"noisy values", "noisy scores", "much noise", "with noise"}},
	{"costs go with values", []string{"good settings expensive", "good settings cheap", "the cost is the time that is minimised"}},
}

// columns are all problems, those of each family, and those of each kind. One problem alone is no column.
func (g *grid) columns() (names []string, columns []*grid) {
	add := func(name string, part *grid) {
		if len(part.rows) > 1 {
			names, columns = append(names, name), append(columns, part)
		}
	}
	add("all", g)
	for _, f := range g.families() {
		add(f.rows[0].Family, f)
	}
	for _, k := range kinds {
		part := *g
		part.rows = slices.DeleteFunc(slices.Clone(g.rows), func(r row) bool {
			return !slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(r.About, w) })
		})
		add(k.name, &part)
	}
	return names, columns
}

// familyTable has a row for each policy, and a column for all problems, for each family and for each kind.
func (g *grid) familyTable() *show.Table {
	names, columns := g.columns()
	t := &show.Table{Header: append([]string{"policy"}, names...)}
	var rows [][]string
	var p []float64 // of all cells, for Holm's correction
	for _, i := range g.byDifference() {
		policy := g.policies[i]
		if policy == g.against {
			continue
		}
		cells := []string{policy}
		for _, c := range columns {
			groups, _ := c.differences(policy)
			means := make([]float64, len(groups))
			for k, d := range groups {
				means[k] = stat.Mean(d, nil)
			}
			cells, p = append(cells, within(stats.Between(groups))), append(p, stats.PairedT(means))
		}
		rows = append(rows, cells)
	}
	corrected := stats.Holm(p)
	for i, cells := range rows {
		for k := range columns {
			if corrected[i*len(columns)+k] < 0.05 {
				cells[1+k] = "**" + cells[1+k] + "**"
			}
		}
		t.Add(cells...)
	}
	return t
}
