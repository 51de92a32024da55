package results_test

import (
	"maps"
	"testing"

	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// What Optuna's constraints_func returned comes along as metrics, from a journal and from a database, and so do numbers that the user kept.
func TestOptunaConstraints(t *testing.T) {
	s := net(t)
	s.Limits = study.Limits{"constraint_0": study.Max(0), "memory": study.Max(8)}
	journal := `{"op_code": 0, "study_name": "net", "directions": [1]}
{"op_code": 4, "study_id": 0, "datetime_start": "2026-01-01T00:00:00"}
{"op_code": 5, "trial_id": 0, "param_name": "lr", "param_value_internal": 0.001, "distribution": "{\"name\": \"FloatDistribution\", \"attributes\": {}}"}
{"op_code": 5, "trial_id": 0, "param_name": "layers", "param_value_internal": 2, "distribution": "{\"name\": \"IntDistribution\", \"attributes\": {}}"}
{"op_code": 5, "trial_id": 0, "param_name": "opt", "param_value_internal": 0, "distribution": "{\"name\": \"CategoricalDistribution\", \"attributes\": {\"choices\": [\"sgd\"]}}"}
{"op_code": 8, "trial_id": 0, "user_attr": {"memory": 7.5}}
{"op_code": 8, "trial_id": 0, "user_attr": {"host": "a1"}}
{"op_code": 9, "trial_id": 0, "system_attr": {"constraints": [-0.5, 2]}}
{"op_code": 6, "trial_id": 0, "state": 1, "values": [0.25]}
`
	table, err := results.Read([]byte(journal), "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(table, s, nil)
	if err != nil || len(m.Results) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	if want := (study.Metrics{"constraint_0": -0.5, "constraint_1": 2, "memory": 7.5}); !maps.Equal(m.Results[0].Metrics, want) {
		t.Errorf("metrics %v, want %v", m.Results[0].Metrics, want)
	}
}

func TestOptunaConstraintsInADatabase(t *testing.T) {
	file := optunaDatabase(t, `
CREATE TABLE IF NOT EXISTS trial_system_attributes (trial_system_attribute_id INTEGER PRIMARY KEY, trial_id INTEGER, key VARCHAR(512), value_json TEXT);
INSERT INTO trial_system_attributes (trial_id, key, value_json) SELECT trial_id, 'constraints', '[1.5]' FROM trials;`)
	db, err := sqlite.OpenForeign(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := results.ReadDatabase(t.Context(), db, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(table, net(t), nil)
	if err != nil || len(m.Results) == 0 || m.Results[0].Metrics["constraint_0"] != 1.5 {
		t.Errorf("%+v, %v", m, err)
	}
}
