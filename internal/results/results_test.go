package results_test

import (
	"database/sql"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

func net(t *testing.T) *study.Study {
	t.Helper()
	s, err := study.Parse([]byte(`
name: net
objective: {name: loss, goal: minimize}
cost: {source: reported, unit: gpu-hours}
budget: {total: 20}
parameters:
  lr: {type: float, min: 1e-5, max: 1e-2, log: true}
  layers: {type: int, min: 1, max: 8}
  opt: {type: choice, values: [sgd, adam]}
`), "net.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The first trial of both fixtures.
var first = results.Result{
	Setting: space.Setting{"lr": space.Float(0.00046568046379195655), "layers": space.Int(6), "opt": space.String("adam")},
	Value:   2.1101655632572744, Cost: 0.6000000000000001,
}

func same(a, b results.Result) bool {
	return a.Value == b.Value && a.Cost == b.Cost && a.Setting["lr"] == b.Setting["lr"] && a.Setting["layers"].Equal(b.Setting["layers"]) && a.Setting["opt"] == b.Setting["opt"]
}

// optunaDatabase returns a file with a database of Optuna's, after some more statements.
func optunaDatabase(t *testing.T, more string) (file string) {
	t.Helper()
	text, err := os.ReadFile("testdata/optuna.sql")
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "optuna.db")
	made, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.Exec(string(text) + more); err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOptunaDatabase(t *testing.T) {
	file := optunaDatabase(t, "")
	if raw, err := os.ReadFile(file); err != nil || !results.IsDatabase(raw) {
		t.Fatal("it is not taken for a database")
	}
	db, err := sqlite.OpenForeign(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DELETE FROM trials"); err == nil {
		t.Error("a foreign database was written to")
	}
	table, err := results.ReadDatabase(t.Context(), db, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(table, net(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != 12 || len(m.Results) != 8 || len(m.Refused) != 3 || m.Without != 1 || table.Goal != "minimize" {
		t.Errorf("%d rows, %d results, refused %v, %d without", len(table.Rows), len(m.Results), m.Refused, m.Without)
	}
	if !same(m.Results[0], first) {
		t.Errorf("%+v", m.Results[0])
	}
	if m.Refused[0].Where != "trial 5" || !strings.Contains(m.Refused[0].Problem, "above max") {
		t.Errorf("%+v", m.Refused[0])
	}
	if _, err := results.ReadDatabase(t.Context(), db, "other"); err == nil || !strings.Contains(err.Error(), `no study "other"`) {
		t.Errorf("%v", err)
	}
}

func TestOptunaJournal(t *testing.T) {
	raw, err := os.ReadFile("testdata/optuna.journal")
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 40} { // a last line may not be there to its end
		table, err := results.Read(raw[:len(raw)-cut], "net")
		if err != nil {
			t.Fatal(err)
		}
		m, err := results.Match(table, net(t), map[string]string{"gpu_hours": "cost"})
		if err != nil {
			t.Fatal(err)
		}
		if want := 3 - cut/40; len(m.Results) != want || len(m.Refused) != 0 || !same(m.Results[0], first) {
			t.Errorf("%d results, want %d: %+v", len(m.Results), want, m)
		}
	}
	s := net(t)
	s.Objective.Goal = study.Maximize
	table, _ := results.Read(raw, "")
	if _, err := results.Match(table, s, nil); err == nil || !strings.Contains(err.Error(), "wants to minimize") {
		t.Errorf("%v", err)
	}
}

// Optuna's own table, as pandas writes it; the cost is wall time, and the table has it as a duration.
func TestDataFrame(t *testing.T) {
	s := net(t)
	s.Cost = study.Cost{Unit: "seconds", Source: study.Walltime}
	table, err := results.Read([]byte("number,value,duration,params_layers,params_lr,params_opt,state\n"+
		"0,1.5,0 days 00:01:30.500000,3,0.001,sgd,COMPLETE\n1,,0 days 00:00:01,3,0.001,sgd,FAIL\n2,2,nonsense,3.0,1e-3,adam,COMPLETE\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(table, s, nil)
	if err != nil || len(m.Results) != 1 || m.Without != 1 || len(m.Refused) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	if r := m.Results[0]; r.Value != 1.5 || math.Abs(r.Cost-90.5) > 1e-9 || !r.Setting["layers"].Equal(space.Int(3)) {
		t.Errorf("%+v", r)
	}
}

// A row that does not meet the constraints is no result of the study: it could be the best, and nobody may try it.
func TestConstraintsOfRows(t *testing.T) {
	s := net(t)
	s.Where = []string{"layers * lr <= 0.01"}
	table, err := results.Read([]byte("lr,layers,opt,value\n0.01,8,sgd,1\n0.001,8,sgd,2\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(table, s, nil)
	if err != nil || len(m.Results) != 1 || len(m.Refused) != 1 || m.Refused[0].Problem != `the setting does not meet "layers * lr <= 0.01"` {
		t.Errorf("%+v, %v", m, err)
	}
}

// What somebody had forgotten stays forgotten, and the looks of a study with a fidelity are no results of one without, in either form of an export. In other files these words mean nothing.
func TestExportOfWhatDoesNotCount(t *testing.T) {
	const list = `[{"setting": {"lr": 0.01, "layers": 3, "opt": "sgd"}, "state": "done", "value": 1, "charged": 2},
		{"setting": {"lr": 0.002, "layers": 3, "opt": "sgd"}, "state": "done", "value": 1, "charged": 2, "forgotten": true},
		{"setting": {"lr": 0.003, "layers": 3, "opt": "sgd", "epochs": 1}, "state": "done", "value": 1, "charged": 2, "look": true}]`
	const rows = "1,done,1,2,false,0.01,3,sgd,,,,,,,,,,false,false\n2,done,1,2,false,0.002,3,sgd,,,,,,,,,,false,true\n3,done,1,2,false,0.003,3,sgd,,,,,,,,,,TRUE,FALSE\n"
	const header = "trial,state,value,cost,beyond,lr,layers,opt,reserved,asked,started,finished,wall,thinking,runner,exit,note,"
	for text, want := range map[string]int{
		`{"study": {"objective": {"goal": "minimize"}}, "trials": ` + list + `}`: 1, list: 3,
		header + "look,forgotten\n" + rows: 1, header + "some,other\n" + rows: 3,
	} {
		table, err := results.Read([]byte(text), "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := results.Match(table, net(t), nil)
		if err != nil || len(m.Results) != want || m.Without != 3-want {
			t.Errorf("%s: %+v, %v", table.Form, m, err)
		}
		p, err := results.Earlier(table, net(t))
		if err != nil || len(p.Results) != want {
			t.Errorf("%s: %+v, %v", table.Form, p, err)
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": " \n", "no list": `{"a": 3}`, "not JSON": `[{"a": `, "numbers": `[1, 2]`, "open quote": "a,b\n\"1,2\n", "a broken journal": "{\"op_code\": 0, \"study_name\": \"a\"}\nxx\n{\"op_code\": 4}\n",
	} {
		if table, err := results.Read([]byte(text), ""); err == nil {
			t.Errorf("%s: %+v", name, table)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", `[{"a": 1}]`, `{"trials": [{"setting": {"x": 1}, "value": 2}]}`, `{"op_code": 5, "trial_id": 0}`, "a;b\n1;2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		table, err := results.Read(raw, "")
		if err != nil {
			return
		}
		if m, err := results.Match(table, net(t), nil); err == nil {
			for _, r := range m.Results {
				if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) || !(r.Cost >= 0) {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}

// A file that is no text says so, instead of having columns with unreadable names.
func TestNoText(t *testing.T) {
	for name, raw := range map[string]string{"a spreadsheet": "PK\x03\x04\x00\x00", "UTF-16": "\xff\xfea\x00,\x00b\x00"} {
		if _, err := results.Read([]byte(raw), ""); err == nil || !strings.Contains(err.Error(), "the file is not text") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Optuna may go on while its database is read. All is read as it was at one moment: each row has the parameters of its own trial.
func TestOptunaDatabaseInUse(t *testing.T) {
	file := optunaDatabase(t, "; PRAGMA journal_mode = wal;")
	writer, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	writer.SetMaxOpenConns(1)
	if _, err := writer.Exec("PRAGMA busy_timeout = 60000"); err != nil { // it waits for who reads, as Optuna does
		t.Fatal(err)
	}
	over, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 1000; ; i++ {
			select {
			case <-over:
				stopped <- nil
				return
			default:
			}
			if _, err := writer.Exec(`BEGIN; INSERT INTO trials (trial_id, number, study_id, state) SELECT ?1, ?1, max(study_id), 'COMPLETE' FROM trials;
INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) VALUES (?1, 'late', ?1, '{"name": "IntDistribution", "attributes": {}}'); COMMIT;`, i); err != nil {
				stopped <- err
				return
			}
		}
	}()
	db, err := sqlite.OpenForeign(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	late := 0
	for range 100 {
		table, err := results.ReadDatabase(t.Context(), db, "")
		if err != nil {
			t.Error(err)
			break
		}
		for i, row := range table.Rows {
			v, has := row.Cells["params_late"]
			if x, _ := v.Number(); has && int(x) != 1000+i-12 || has != (i >= 12) {
				t.Fatalf("row %d has the parameter of trial %v", i, v)
			}
		}
		late = len(table.Rows) - 12
	}
	close(over)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	t.Log(late, "trials were added")
}

// A column with numbers that nothing asks for is named, and kept as a metric if somebody says so.
func TestUnusedColumns(t *testing.T) {
	table, err := results.Read([]byte("lr,layers,opt,loss,note,memory,duty\n0.001,2,adam,0.5,good,7,1\n0.002,2,adam,0.4,,,\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	for want, named := range map[string]map[string]string{
		"memory duty, ": nil,
		"duty, memory":  {"memory": "metric.memory"},
		", RAM x":       {"memory": "metric.RAM", "duty": "metric.x"},
	} {
		m, err := results.Match(table, net(t), named)
		if err != nil || strings.Join(m.Unused, " ")+", "+strings.Join(m.Metrics, " ") != want {
			t.Errorf("want %s: %+v, %v", want, m, err)
		}
		if named["duty"] != "" && (m.Results[0].Metrics["RAM"] != 7 || m.Results[0].Metrics["x"] != 1 || m.Results[1].Metrics != nil) {
			t.Errorf("%+v", m.Results)
		}
	}
	if _, err := results.Match(table, net(t), map[string]string{"memory": "metric."}); err == nil || !strings.Contains(err.Error(), "column memory cannot be metric.") {
		t.Errorf("%v", err)
	}
}

// Each of several objectives has a column of its own: one that was named for one of them is not taken for another as well.
func TestColumnsOfObjectives(t *testing.T) {
	pair, err := study.Parse([]byte("name: pair\nobjectives: {loss: {goal: minimize}, size: {goal: minimize}}\ncost: {source: reported, unit: euros}\nbudget: {total: 20}\nparameters: {x: {type: float, min: 0, max: 1}}\n"), "pair.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		columns string
		named   map[string]string
		loss    float64 // 0: it is refused
		says    string
	}{
		{"values_0,values_1", nil, 3, ""},
		{"values_0,values_1", map[string]string{"values_1": "value", "values_0": "size"}, 4, ""},
		{"values_0,values_1", map[string]string{"values_1": "loss", "values_0": "size"}, 4, ""},
		{"values_0,values_1", map[string]string{"values_1": "value"}, 0, "no column is the objective size"},
		{"values_0,values_1", map[string]string{"values_0": "size"}, 0, "no column is the value"},
		{"loss,size", map[string]string{"loss": "size"}, 0, "no column is the value"},
		{"size,other", map[string]string{"size": "loss"}, 0, "no column is the objective size"},
	} {
		table, err := results.Read([]byte("x,"+tc.columns+"\n0.5,3,4\n"), "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := results.Match(table, pair, tc.named)
		if tc.loss == 0 {
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s with %v: %+v, %v; want %q", tc.columns, tc.named, m, err, tc.says)
			}
			continue
		}
		if err != nil || len(m.Results) != 1 || m.Results[0].Value != tc.loss || m.Results[0].Metrics["size"] != 7-tc.loss {
			t.Errorf("%s with %v: %+v, %v", tc.columns, tc.named, m, err)
		}
	}
}

// What is an objective may be the cost as well.
func TestObjectiveThatIsTheCost(t *testing.T) {
	s, err := study.Parse([]byte("name: pair\nobjectives: {loss: {goal: minimize}, seconds: {goal: minimize}}\ncost: {source: reported, unit: hours}\nbudget: {total: 20}\nparameters: {x: {type: float, min: 0, max: 1}}\n"), "pair.yaml")
	if err != nil {
		t.Fatal(err)
	}
	table, err := results.Read([]byte("x,loss,seconds\n0.5,3,4\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(table, s, map[string]string{"seconds": "cost"})
	if err != nil || len(m.Results) != 1 || m.Results[0].Cost != 4 || m.Results[0].Metrics["seconds"] != 4 {
		t.Errorf("%+v, %v", m, err)
	}
}

// Two columns cannot be the same.
func TestColumnsNamedTwice(t *testing.T) {
	table, err := results.Read([]byte("lr,layers,opt,first,second\n0.001,2,adam,0.5,1\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"value", net(t).Objective.Name} {
		_, err := results.Match(table, net(t), map[string]string{"first": "value", "second": role})
		if err == nil || !strings.Contains(err.Error(), "columns first and second cannot both be value") {
			t.Errorf("%s: %v", role, err)
		}
	}
}

// A text where a limited quantity should be is named. Without a number, or with NaN, a row says nothing of it.
func TestNumbersThatAreTexts(t *testing.T) {
	table, err := results.Read([]byte("lr,layers,opt,loss,cost,memory\n0.001,2,adam,0.5,1,7\n0.002,2,adam,0.4,1,7.5 GB\n0.003,2,adam,0.3,1,\"7,5\"\n0.004,2,adam,0.2,1,\n0.005,2,adam,0.1,1,NaN\n0.006,2,adam,0.1,1,NA\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	s := net(t)
	s.Limits = study.Limits{"memory": study.Max(8)}
	m, err := results.Match(table, s, nil)
	if err != nil || len(m.Results) != 4 || m.Results[3].Metrics != nil || m.Results[0].Metrics["memory"] != 7 || m.Results[1].Metrics != nil || m.Results[2].Metrics != nil {
		t.Fatalf("%+v, %v", m, err)
	}
	if want := []results.Refusal{{Where: "line 3", Problem: `memory is "7.5 GB", which is not a number`}, {Where: "line 4", Problem: `memory is "7,5", which is not a number`}}; !slices.Equal(m.Refused, want) {
		t.Errorf("%+v", m.Refused)
	}
	s.Limits = nil
	if m, err := results.Match(table, s, nil); err != nil || len(m.Results) != 6 {
		t.Errorf("a column that is not asked for: %+v, %v", m, err)
	}
}
