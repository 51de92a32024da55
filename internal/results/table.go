package results

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Table is what a file says.
type Table struct {
	Form    string   // what kind of file it is, in words
	Columns []string // in the order of the file
	Rows    []Row
	Goal    string // minimize or maximize, if the file says so
}

// Row is one result.
type Row struct {
	Where string                 // where it is in the file, such as "line 3"
	Cells map[string]space.Value // by column; what is missing is not there
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
