package results_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// No field of an export is a formula to a spreadsheet, numbers stay numbers, and an import gets back what was there.
func TestFormulas(t *testing.T) {
	texts := []string{"=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "'=1", "''=1", "'quoted'", "＝1", "-5", "plain", "'"}
	s := &study.Study{
		Name: "s", Objective: study.Objective{Name: "value", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "units"}, Budget: study.Budget{Total: 100},
		Parameters: []space.Param{{Name: "text", Kind: space.KindChoice}, {Name: "x", Kind: space.KindFloat, Min: -10, Max: 10}},
	}
	var trials []study.Trial
	for i, text := range texts {
		s.Parameters[0].Values = append(s.Parameters[0].Values, space.String(text))
		trials = append(trials, study.Trial{Number: i + 1, State: study.Done, Value: -float64(i) - 0.5, Charged: 1, Note: text, Runner: "@" + text,
			Setting: space.Setting{"text": space.String(text), "x": space.Float(-float64(i) / 4)}})
	}
	var file bytes.Buffer
	if err := results.WriteCSV(&file, s, trials); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(file.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, field := range row {
			if field != "" && strings.ContainsAny(field[:1], "=+-@\t\r\n") && strings.Trim(field, "-0123456789.e") != "" {
				t.Errorf("%q is a formula", field)
			}
		}
	}
	table, err := results.Read(file.Bytes(), "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(table, s, nil)
	if err != nil || len(m.Results) != len(texts) || len(m.Refused) > 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	for i, r := range m.Results {
		if want := trials[i]; r.Setting["text"] != want.Setting["text"] || r.Setting["x"].String() != want.Setting["x"].String() || r.Value != want.Value {
			t.Errorf("%+v, want %+v", r, want.Setting)
		}
	}
}

// A look has a column for its fidelity, and is marked.
func TestLooksAreWritten(t *testing.T) {
	s := &study.Study{
		Name: "s", Objective: study.Objective{Name: "value", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "units"}, Budget: study.Budget{Total: 100},
		Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat, Max: 1}}, Fidelity: &study.Fidelity{Name: "epochs", Steps: []float64{1, 9, 81}},
	}
	look := study.Trial{Number: 1, State: study.Done, Look: true, Setting: space.Setting{"lr": space.Float(0.5), "epochs": space.Float(9)}}
	var b strings.Builder
	err := results.WriteCSV(&b, s, []study.Trial{look})
	if text := b.String(); err != nil || !strings.Contains(text, ",lr,epochs,") || !strings.Contains(text, ",0.5,9,") || !strings.HasSuffix(text, ",true,false\r\n") {
		t.Errorf("%s, %v", text, err)
	}
}
