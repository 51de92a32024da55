package results

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/study"
)

// columnsBefore and columnsAfter stand around the columns of the parameters.
var (
	columnsBefore = []string{"trial", "state", "value", "cost", "beyond"}
	columnsAfter  = []string{"reserved", "asked", "started", "finished", "wall", "thinking", "runner", "exit", "note", "look", "forgotten"}
)

// WriteCSV writes trials as CSV (RFC 4180), with one row for each trial and one column for each parameter and metric. A missing value is an
// empty field. Numbers are exact: they read back as the same floats. Texts that a spreadsheet would take for formulas begin with an
// apostrophe; fromCSV takes it away.
func WriteCSV(w io.Writer, s *study.Study, trials []study.Trial) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := slices.Clone(columnsBefore)
	for _, p := range s.Inputs() {
		row = append(row, columnOf(p.Name))
	}
	metrics := study.MetricNames(trials)
	for _, name := range metrics {
		row = append(row, metricColumn(name))
	}
	if len(s.Limits) > 0 {
		row = append(row, violatesColumn)
	}
	if resumes(s) {
		row = append(row, resumesColumn)
	}
	if len(s.Changeover) > 0 {
		row = append(row, changeColumns...)
	}
	_ = out.Write(Harmless(append(row, columnsAfter...))) // Error has the first error
	for _, t := range trials {
		_ = out.Write(Harmless(csvRow(s, t, metrics)))
	}
	out.Flush()
	return out.Error()
}

// Spreadsheets take a text that begins like this for a formula, and may run it. Some take the wide forms as well.
const formulas = "=+-@\t\r\n＝＋－＠"

// Harmless makes the fields of a row texts and numbers for a spreadsheet, by an apostrophe before fields that it would take for formulas.
func Harmless(row []string) []string {
	for i, text := range row {
		if isFormula(text) {
			row[i] = "'" + text
		}
	}
	return row
}

// isFormula reports whether a text begins like a formula and is not a number, apart from apostrophes before it: a text that has some
// gets another one, so that fromCSV knows which to take away.
func isFormula(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "'"))
	return err != nil && first != utf8.RuneError && strings.ContainsRune(formulas, first)
}

// fromCSV returns the text of a field that WriteCSV may have written.
func fromCSV(field string) string {
	if text, ok := strings.CutPrefix(field, "'"); ok && isFormula(field) {
		return text
	}
	return field
}

// isExport reports whether a CSV file with these columns is one that WriteCSV wrote. Older ones lack the last two, and are files like any others.
func isExport(columns []string) bool {
	before, after := len(columnsBefore), len(columns)-len(columnsAfter)
	return before <= after && slices.Equal(columns[:before], columnsBefore) && slices.Equal(columns[after:], columnsAfter)
}

// metricColumn returns the name of a metric's column in a table.
func metricColumn(name string) string { return "metric." + name }

// parameterColumn is the name of a parameter's column where its own name would be that of another one.
func parameterColumn(name string) string { return "parameter." + name }

// ownColumns are the columns that tables have beside those of parameters and metrics.
var ownColumns = slices.Concat(columnsBefore, columnsAfter, changeColumns, []string{resumesColumn})

// columnOf keeps a parameter's column apart from the others, whose names may be read in any case.
func columnOf(parameter string) string {
	isOwn := func(column string) bool { return strings.EqualFold(column, parameter) }
	if strings.HasPrefix(parameter, metricColumn("")) || slices.ContainsFunc(ownColumns, isOwn) || isOwn(violatesColumn) {
		return parameterColumn(parameter)
	}
	return parameter
}

// FrontColumns are the columns of a front, with those of what the models expect if it is asked for. An objective or a parameter whose name is that of another column,
// which may be read in any case, gets the name that it has in an export.
func FrontColumns(s *study.Study, expected bool) []string {
	own, expectations := []string{"trial", "cost"}, []string{}
	if expected {
		for _, o := range s.Objectives {
			expectations = append(expectations, "expected."+o.Name)
		}
	}
	own = append(own, expectations...)
	isOwn := func(name string) bool {
		return strings.HasPrefix(name, metricColumn("")) || strings.HasPrefix(name, parameterColumn("")) || slices.ContainsFunc(own, func(column string) bool { return strings.EqualFold(column, name) })
	}
	columns := []string{"trial"}
	for _, o := range s.Objectives {
		column := o.Name
		if isOwn(column) {
			column = metricColumn(column)
		}
		columns = append(columns, column)
	}
	own = append(own, columns...)
	columns = append(append(columns, "cost"), expectations...)
	for _, p := range s.Inputs() {
		column := p.Name
		if isOwn(column) {
			column = parameterColumn(column)
		}
		columns = append(columns, column)
	}
	return columns
}

// violatesColumn lists the limits that a trial violates. Only studies with limits have it.
const violatesColumn = "violates"

// resumesColumn is the trial that a trial went on from. Only studies that resume have it.
const resumesColumn = "resumes"

// changeColumns are the part of the cost that went into changes, and the place. Only studies with a changeover have them.
var changeColumns = []string{"setup", "place"}

func resumes(s *study.Study) bool { return s.Fidelity != nil && s.Fidelity.Resume }

func csvRow(s *study.Study, t study.Trial, metrics []string) []string {
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
	row := []string{strconv.Itoa(t.Number), string(t.State), exact(t.Value, t.State == study.Done), exact(t.Charged, t.State.Ended()),
		strconv.FormatBool(t.Beyond)}
	for _, p := range s.Inputs() {
		row = append(row, t.Setting[p.Name].String()) // empty if there is none
	}
	for _, name := range metrics {
		x, given := t.Metrics[name]
		row = append(row, exact(x, given))
	}
	if len(s.Limits) > 0 {
		row = append(row, strings.Join(t.Violates, " "))
	}
	if resumes(s) {
		from := ""
		if t.Resumes > 0 && !t.Lost {
			from = strconv.Itoa(t.Resumes)
		}
		row = append(row, from)
	}
	if len(s.Changeover) > 0 {
		setup := ""
		if t.Setup != nil {
			setup = exact(*t.Setup, true)
		}
		row = append(row, setup, t.At())
	}
	exit := ""
	if t.Exit != nil {
		exit = cmp.Or(t.Exit.Signal, strconv.Itoa(t.Exit.Code))
	}
	return append(row, exact(t.Reserved, t.State.Open()), when(t.Asked), when(t.Started), when(t.Finished), exact(t.Wall, t.Wall > 0),
		exact(t.Thinking, t.Thinking > 0), t.Runner, exit, t.Note, strconv.FormatBool(t.Look), strconv.FormatBool(t.Forgotten))
}
