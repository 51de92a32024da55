package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
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

// What a setting cost is what all trials cost that went on from each other, in either form of an export, unless the checkpoint was lost.
func TestCostOfResumedTrials(t *testing.T) {
	s := &study.Study{
		Name: "s", Objective: study.Objective{Name: "value", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "units"}, Budget: study.Budget{Total: 100},
		Parameters: []space.Param{{Name: "number", Kind: space.KindFloat, Max: 4}}, Fidelity: &study.Fidelity{Name: "epochs", Steps: []float64{1, 9, 81}},
	}
	trial := func(number, resumes int, epochs, charged float64, lost bool) study.Trial {
		return study.Trial{Number: number, State: study.Done, Look: epochs < 81, Resumes: resumes, Lost: lost, Value: 1, Charged: charged,
			Setting: space.Setting{"number": space.Float(float64(number) / 2), "epochs": space.Float(epochs)}}
	}
	trials := []study.Trial{trial(1, 0, 1, 1, false), trial(2, 0, 1, 2, false), trial(3, 1, 9, 8, false), trial(4, 3, 81, 64, false), trial(5, 2, 9, 10, true), trial(6, 5, 81, 70, false)}
	want := []float64{1, 2, 9, 73, 10, 80}
	var table strings.Builder
	list, err := json.Marshal(map[string]any{"study": s, "trials": trials})
	if err = errors.Join(err, results.WriteCSV(&table, s, trials)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{table.String(), string(list)} {
		read, err := results.Read([]byte(text), "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := results.Match(read, s, nil)
		if err != nil || len(m.Results) != len(want) || len(m.Metrics) > 0 {
			t.Fatalf("%+v, %v", m, err)
		}
		earlier, err := results.Earlier(read, s)
		if err != nil || len(earlier.Results) != len(want) {
			t.Fatalf("%+v, %v", earlier, err)
		}
		for i, r := range m.Results {
			if r.Cost != want[i] || earlier.Results[i].Cost != want[i] {
				t.Errorf("%s: trial %d cost %v, and %v to start from, want %v", read.Form, i+1, r.Cost, earlier.Results[i].Cost, want[i])
			}
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
