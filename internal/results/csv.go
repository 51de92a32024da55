package results

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

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
		names[i] = strings.TrimSpace(study.FromCSV(name))
		if names[i] != "" {
			t.Columns = append(t.Columns, names[i])
		}
	}
	if study.IsExport(names) {
		t.Form = exported
	}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, notCSV(err)
		}
		line, _ := in.FieldPos(0)
		r := Row{Where: fmt.Sprintf("line %d", line), Cells: map[string]space.Value{}}
		for i, text := range fields {
			if i < len(names) && names[i] != "" && strings.TrimSpace(text) != "" {
				r.Cells[names[i]] = space.String(study.FromCSV(text))
			}
		}
		if len(r.Cells) > 0 {
			t.Rows = append(t.Rows, r)
		}
	}
}

func notCSV(err error) error {
	return fault.New(fault.BadRequest, "give CSV with a header, JSON, or an Optuna database or journal", "the file cannot be read as CSV: %w", err)
}
