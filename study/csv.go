package study

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"
)

// columnsBefore and columnsAfter stand around those of the parameters.
var (
	columnsBefore = []string{"trial", "state", "value", "cost", "beyond"}
	columnsAfter  = []string{"reserved", "asked", "started", "finished", "wall", "thinking", "runner", "exit", "note"}
)

// WriteCSV writes trials as CSV (RFC 4180), with one row for each trial and one column for each parameter. A missing value is an
// empty field. Numbers are exact: they read back as the same floats.
func WriteCSV(w io.Writer, s *Study, trials []Trial) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := slices.Clone(columnsBefore)
	for _, p := range s.Parameters {
		row = append(row, columnOf(p.Name))
	}
	_ = out.Write(append(row, columnsAfter...)) // Error has the first error
	for _, t := range trials {
		_ = out.Write(s.csvRow(t))
	}
	out.Flush()
	return out.Error()
}

// columnOf keeps a parameter's column apart from the others.
func columnOf(parameter string) string {
	if slices.Contains(columnsBefore, parameter) || slices.Contains(columnsAfter, parameter) {
		return "parameter." + parameter
	}
	return parameter
}

func (s *Study) csvRow(t Trial) []string {
	exact := func(x float64, given bool) string {
		if !given {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	when := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	row := []string{strconv.Itoa(t.Number), string(t.State), exact(t.Value, t.State == Done), exact(t.Charged, t.State.Ended()),
		strconv.FormatBool(t.Beyond)}
	for _, p := range s.Parameters {
		row = append(row, t.Setting[p.Name].String()) // empty if there is none
	}
	exit := ""
	if t.Exit != nil {
		exit = cmp.Or(t.Exit.Signal, strconv.Itoa(t.Exit.Code))
	}
	return append(row, exact(t.Reserved, t.State.Open()), when(t.Asked), when(t.Started), when(t.Finished), exact(t.Wall, t.Wall > 0),
		exact(t.Thinking, t.Thinking > 0), t.Runner, exit, t.Note)
}
