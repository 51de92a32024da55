package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// table is the list of all trials.
type table struct {
	Columns []column
	Rows    []row
	Count   string        // of all
	States  []study.State // that occur, to choose from
}

type column struct {
	Name   string
	Number bool
}

type row struct {
	State study.State
	Best  bool
	Cells []cell
}

// cell is a text; in a column of numbers, with the number to sort it by, if there is one.
type cell struct {
	Text   string
	Number bool
	Sort   string
}

// longestNote bounds what a trial's note takes: it may be a program's whole complaint.
const longestNote = 300

func newTable(s *study.Study, r *study.Record, best advisor.Best) table {
	t := table{Count: say.Count(len(r.Trials), "trial"), Columns: []column{{"#", true}, {"state", false}, {s.Objective.Name, true}, {say.Axis("cost", s.Cost), true}}}
	for _, p := range s.Inputs() {
		t.Columns = append(t.Columns, column{p.Name, isNumeric(p)})
	}
	t.Columns = append(t.Columns, column{"note", false})
	for _, trial := range r.Trials {
		if !slices.Contains(t.States, trial.State) {
			t.States = append(t.States, trial.State)
		}
		t.Rows = append(t.Rows, newRow(s, trial, best))
	}
	return t
}

func isNumeric(p space.Param) bool { return p.Kind == space.KindFloat || p.Kind == space.KindInt }

func newRow(s *study.Study, t study.Trial, best advisor.Best) row {
	state, note := string(t.State), t.Note
	if why, _, not := strings.Cut(say.NotCounted(t), ":"); not {
		state += ", " + why
	}
	value, charged := cell{say.Nothing, true, ""}, cell{say.Nothing, true, ""}
	if t.State == study.Done {
		value = cell{say.Number(t.Value), true, sortKey(t.Value)}
	}
	if t.State.Ended() {
		charged = cell{say.Bare(s.Cost, t.Charged), true, sortKey(t.Charged)}
	}
	r := row{State: t.State, Best: t.Counts() && best.Has(t), Cells: []cell{{strconv.Itoa(t.Number), true, strconv.Itoa(t.Number)}, {Text: state}, value, charged}}
	for _, p := range s.Inputs() {
		v := t.Setting[p.Name]
		c := cell{Text: say.Value(v), Number: isNumeric(p)}
		if x, ok := v.Number(); ok && c.Number {
			c.Sort = sortKey(x)
		}
		r.Cells = append(r.Cells, c)
	}
	r.Cells = append(r.Cells, cell{Text: say.Short(note, longestNote)})
	return r
}

// sortKey is short: what looks the same may stand in any order.
func sortKey(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }

// markKey explains a mark of the chart of money.
type markKey struct {
	Picture *canvas
	Text    string
}

// markKeys explains those marks that occur.
func markKeys(steps []say.Step) (list []markKey) {
	seen := map[say.Mark]bool{}
	for _, t := range steps {
		seen[t.Mark] = true
	}
	seen[say.Better] = seen[say.Better] || seen[say.Best] // both are drawn alike
	for _, mark := range say.Marks {
		if seen[mark] && mark != say.Best {
			c := newCanvas(14, 14, "key", mark.String())
			c.mark(kindOf(mark), 7, 7, 4, "")
			list = append(list, markKey{c, mark.String()})
		}
	}
	return list
}
