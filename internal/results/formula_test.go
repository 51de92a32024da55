package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"maps"
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
		Parameters: []space.Param{{Name: "number", Kind: space.KindFloat, Max: 4}}, Fidelity: &study.Fidelity{Name: "epochs", Steps: []float64{1, 9, 81}, Resume: true},
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

// An export is read as it was written, whatever the objective, the unit and the parameters are called.
func TestNamesOfExports(t *testing.T) {
	var params []space.Param
	setting := space.Setting{}
	for i, name := range []string{"value", "cost", "wall", "state", "number", "Note", "charged", "hours", "lr", "violates", "Trial", "metric.lr"} {
		params = append(params, space.Param{Name: name, Kind: space.KindFloat, Max: 20})
		setting[name] = space.Float(float64(i) + 0.5)
	}
	params[5] = space.Param{Name: "Note", Kind: space.KindBool}
	setting["Note"] = space.Bool(true)
	trials := []study.Trial{{Number: 1, State: study.Done, Value: 31, Charged: 41, Wall: 51, Setting: setting, Metrics: study.Metrics{"lr": 7, "memory": 8}}}
	for _, objective := range []string{"loss", "Cost", "wall", "lr", "Value", "charged", "number"} {
		s := &study.Study{
			Name: "s", Objective: study.Objective{Name: objective, Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "hours"}, Budget: study.Budget{Total: 100},
			Parameters: params, Limits: study.Limits{"memory": study.Max(9)},
		}
		var table strings.Builder
		list, err := json.Marshal(map[string]any{"study": s, "trials": trials, "known": []study.Known{{Setting: setting, Value: 31, Cost: 41}}})
		if err = errors.Join(err, results.WriteCSV(&table, s, trials)); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{table.String(), string(list)} {
			read, err := results.Read([]byte(text), "")
			if err != nil {
				t.Fatal(err)
			}
			m, err := results.Match(read, s, nil)
			if err != nil || len(m.Refused) > 0 || len(m.Results) == 0 {
				t.Errorf("%s: %+v, %v", objective, m, err)
				continue
			}
			for _, r := range m.Results {
				if r.Value != 31 || r.Cost != 41 || !maps.Equal(r.Setting, setting) {
					t.Errorf("%s: %+v, by %v", objective, r, m.Columns)
				}
			}
		}
	}
}

// A choice may have the empty text among its values, although an empty field of a table is a missing one elsewhere.
func TestEmptyTextsAreRead(t *testing.T) {
	s := &study.Study{
		Name: "s", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "units"}, Budget: study.Budget{Total: 100},
		Parameters: []space.Param{{Name: "suffix", Kind: space.KindChoice, Values: []space.Value{space.String("a"), space.String("")}, Default: space.String("a")}},
	}
	var table strings.Builder
	if err := results.WriteCSV(&table, s, []study.Trial{{Number: 1, State: study.Done, Value: 1, Charged: 1, Setting: space.Setting{"suffix": space.String("")}}}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{table.String(): "", `[{"suffix": "", "value": 1}, {"value": 1}]`: "a"} {
		read, err := results.Read([]byte(text), "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := results.Match(read, s, nil)
		if err != nil || len(m.Refused) > 0 || m.Results[len(m.Results)-1].Setting["suffix"] != space.String(want) {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
}

// In a table of somebody else's, a column that is a parameter is neither the value nor the cost, unless somebody says so.
func TestParametersAreNoCosts(t *testing.T) {
	s := &study.Study{
		Name: "s", Objective: study.Objective{Name: "Cost", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "hours"}, Budget: study.Budget{Total: 100},
		Parameters: []space.Param{{Name: "hours", Kind: space.KindFloat, Max: 20}, {Name: "state", Kind: space.KindChoice, Values: []space.Value{space.String("solid"), space.String("liquid")}}},
	}
	for text, c := range map[string]struct {
		named map[string]string
		cost  float64
	}{
		"hours,state,value\n3,solid,5\n":                                             {nil, 0},
		"hours,state,value,cost\n3,solid,5,7\n":                                      {nil, 7},
		"hours,state,value,price\n3,solid,5,8\n":                                     {map[string]string{"price": "cost"}, 8},
		"hours,state,Cost\n3,solid,5\n":                                              {map[string]string{"hours": "cost"}, 3},
		`[{"setting": {"hours": 3, "state": "solid"}, "value": 5, "cost": 7}]`:       {nil, 7},
		`[{"setting": {"hours": 3, "state": "solid"}, "value": 5, "state": "done"}]`: {nil, 0},
	} {
		read, err := results.Read([]byte(text), "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := results.Match(read, s, c.named)
		if err != nil || len(m.Results) != 1 || m.Results[0].Value != 5 || m.Results[0].Cost != c.cost || m.Results[0].Setting["state"] != space.String("solid") {
			t.Errorf("%s: %+v, %v", text, m, err)
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
