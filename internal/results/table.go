// Package results reads results that were obtained elsewhere, and fits them to a study. It also writes the exports that it reads.
//
// A file becomes a Table, whatever its form: CSV, JSON, an export of eke, an Optuna database or an Optuna journal. Match finds out which
// column is which parameter, the value and the cost, and makes a result of each row. A row that the study does not allow is refused,
// with the reason.
package results

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Table is what a file says.
type Table struct {
	Form    string   // what kind of file it is, in words
	Columns []string // in the order of the file
	Rows    []Row
	Goal    string            // minimize or maximize, if the file says so
	Goals   map[string]string // of each column with an objective, if there are several
}

// Row is one result.
type Row struct {
	Where string                 // where it is in the file, such as "line 3"
	Cells map[string]space.Value // by column; what is missing is not there

	before float64 // what the trials cost that its trial went on from
	blanks bool    // an empty text is a missing cell
}

// of returns what the row says of a parameter.
func (r Row) of(p space.Param, column string) (v space.Value, ok bool) {
	if v, ok = r.Cells[column]; !ok && r.blanks && column != "" && len(p.When) == 0 && slices.Contains(p.Values, space.String("")) {
		return space.String(""), true
	}
	return v, ok
}

// whole returns what a setting has cost in all. An export says of each trial what it was charged itself.
func (r Row) whole(charged float64, column string) float64 {
	if column != asCost {
		return charged // somebody says what it cost
	}
	return math.Min(charged+r.before, study.MaxAmount)
}

// legs adds up what trials of an export cost that go on from each other.
type legs map[string]float64 // what was paid up to the end of a trial, by its number

// add notes a trial, and returns what was paid before it. One that goes on from another comes after it.
func (l legs) add(number, resumes, charged string) (before float64) {
	before = l[resumes]
	if cost, err := strconv.ParseFloat(charged, 64); err == nil && cost >= 0 && cost <= study.MaxAmount && number != "" {
		l[number] = before + cost
	}
	return before
}

// key is the same for rows with equal cells, and for no others.
func (r Row) key() string {
	var text []byte
	for _, column := range slices.Sorted(maps.Keys(r.Cells)) {
		text = fmt.Appendf(text, "%q %q ", column, r.Cells[column].String())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// add notes a cell, and its column.
func (t *Table) add(r *Row, column string, v space.Value) {
	if v.IsZero() {
		return
	}
	if !slices.Contains(t.Columns, column) {
		t.Columns = append(t.Columns, column)
	}
	r.Cells[column] = v
}

// MaxFile is the size of the largest file that is read, in bytes.
const MaxFile = 256 << 20

var sqliteMagic = []byte("SQLite format 3\x00")

// IsDatabase reports whether a file that begins like this is an SQLite database.
func IsDatabase(head []byte) bool { return bytes.HasPrefix(head, sqliteMagic) }

// Read reads a file that is text. from names the study in it, if it has several.
func Read(raw []byte, from string) (*Table, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	switch trimmed := bytes.TrimSpace(raw); {
	case len(trimmed) == 0:
		return nil, fault.New(fault.BadRequest, "give a CSV or JSON file, or an Optuna database", "the file is empty")
	case bytes.IndexByte(raw, 0) >= 0: // such as a spreadsheet, or text of two bytes a letter
		return nil, fault.New(fault.BadRequest, "give a CSV or JSON file in UTF-8, or an Optuna database or journal; a spreadsheet can be saved as CSV", "the file is not text")
	case isJournal(trimmed):
		return readJournal(trimmed, from)
	case trimmed[0] == '{' || trimmed[0] == '[':
		return readJSON(trimmed)
	}
	return readCSV(raw)
}

// ReadDatabase reads a study of an Optuna database.
func ReadDatabase(ctx context.Context, db *sql.DB, from string) (*Table, error) {
	return readOptuna(ctx, db, from)
}

// readCSV reads a table with a header, separated by commas, semicolons or tabs. An empty field is a missing one.
func readCSV(raw []byte) (*Table, error) {
	in := csv.NewReader(bytes.NewReader(raw))
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	header, _, _ := strings.Cut(string(raw), "\n")
	for _, separator := range []rune{'\t', ';'} {
		if strings.ContainsRune(header, separator) && !strings.Contains(header, ",") {
			in.Comma = separator
		}
	}
	names, err := in.Read()
	if err != nil {
		return nil, notCSV(err)
	}
	t := &Table{Form: "CSV"}
	for i, name := range names {
		names[i] = strings.TrimSpace(fromCSV(name))
		if names[i] != "" {
			t.Columns = append(t.Columns, names[i])
		}
	}
	if isExport(names) {
		t.Form = exported
	}
	paid := legs{}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, notCSV(err)
		}
		line, _ := in.FieldPos(0)
		r := Row{Where: fmt.Sprintf("line %d", line), Cells: map[string]space.Value{}, blanks: true}
		for i, text := range fields {
			if i < len(names) && names[i] != "" && strings.TrimSpace(text) != "" {
				r.Cells[names[i]] = space.String(fromCSV(text))
			}
		}
		if t.Form == exported {
			r.before = paid.add(r.Cells["trial"].String(), r.Cells[resumesColumn].String(), r.Cells[asCost].String())
		}
		if len(r.Cells) > 0 {
			t.Rows = append(t.Rows, r)
		}
	}
}

func notCSV(err error) error {
	return fault.New(fault.BadRequest, "give CSV with a header, JSON, or an Optuna database or journal", "the file cannot be read as CSV: %w", err)
}

// readJSON reads a list of objects, or an object that has one: an export of eke has trials, and known results. What is inside of an object, such as
// {"setting": {"lr": 0.1}, "value": 3}, is read as if it were outside.
func readJSON(raw []byte) (*Table, error) {
	t := &Table{Form: "JSON"}
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		var whole map[string]json.RawMessage
		if json.Unmarshal(raw, &whole) != nil {
			return nil, notJSON(err)
		}
		for _, key := range []string{"known", "trials", "results", "rows"} {
			var some []map[string]json.RawMessage
			if whole[key] != nil && json.Unmarshal(whole[key], &some) == nil {
				list = append(list, some...)
			}
		}
		t.takeGoal(whole["study"])
	}
	if len(list) == 0 {
		return nil, notJSON(fmt.Errorf("there is no list of results"))
	}
	paid, outer := legs{}, map[string]bool{}
	for _, object := range list {
		if object["charged"] != nil && object["cost"] == nil { // trials and known results of an export have different words for it
			object["cost"] = object["charged"]
			delete(object, "charged")
		}
		for key := range object {
			outer[key] = true
		}
	}
	for i, object := range list {
		r := Row{Where: fmt.Sprintf("result %d", i+1), Cells: map[string]space.Value{}}
		if resumes := string(object["resumes"]); t.Form == exported && object["number"] != nil {
			if string(object["lost"]) == "true" { // its checkpoint was, and it began anew
				resumes = ""
			}
			r.before = paid.add(string(object["number"]), resumes, string(object["cost"]))
		}
		t.flatten(&r, object, outer)
		t.Rows = append(t.Rows, r)
	}
	return t, nil
}

// exported is the form of what eke export writes.
const exported = "an export of eke"

// takeGoal reads the goal of an exported study.
func (t *Table) takeGoal(raw json.RawMessage) {
	var s struct {
		Objective struct {
			Goal string `json:"goal"`
		} `json:"objective"`
	}
	if raw != nil && json.Unmarshal(raw, &s) == nil && s.Objective.Goal != "" {
		t.Form, t.Goal = exported, s.Objective.Goal
	}
}

// inner are objects whose fields are those of the row.
var inner = []string{"setting", "params", "parameters", "config", "user_attrs"}

// flatten notes the fields of an object. A field of a setting that is called like a field outside of it keeps a column of its own, as in CSV.
func (t *Table) flatten(r *Row, object map[string]json.RawMessage, outer map[string]bool) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		var v space.Value
		var inside map[string]json.RawMessage
		switch raw := object[key]; {
		case string(raw) == "null":
		case json.Unmarshal(raw, &v) == nil:
			t.add(r, key, v)
		case slices.Contains(inner, key) && json.Unmarshal(raw, &inside) == nil:
			if key == "setting" {
				inside = apart(inside, outer, t.Form == exported)
			}
			t.flatten(r, inside, outer)
		case key == "metrics" && json.Unmarshal(raw, &inside) == nil:
			for _, name := range slices.Sorted(maps.Keys(inside)) {
				if json.Unmarshal(inside[name], &v) == nil {
					t.add(r, metricColumn(name), v)
				}
			}
		}
	}
}

// apart returns a setting with the columns of its parameters in place of their names.
func apart(setting map[string]json.RawMessage, outer map[string]bool, isOwn bool) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, raw := range setting {
		column := name
		if outer[name] {
			column = parameterColumn(name)
		} else if isOwn {
			column = columnOf(name)
		}
		out[column] = raw
	}
	return out
}

func notJSON(err error) error {
	return fault.New(fault.BadRequest, `give a list such as [{"lr": 0.1, "value": 3, "cost": 2}], or an export of eke`, "the file cannot be read as JSON: %w", err)
}
