package results

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

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
	for i, object := range list {
		r := Row{Where: fmt.Sprintf("result %d", i+1), Cells: map[string]space.Value{}}
		if object["charged"] != nil && object["cost"] == nil { // trials and known results of an export have different words for it
			object["cost"] = object["charged"]
			delete(object, "charged")
		}
		t.flatten(&r, object)
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

func (t *Table) flatten(r *Row, object map[string]json.RawMessage) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		var v space.Value
		var inside map[string]json.RawMessage
		switch raw := object[key]; {
		case string(raw) == "null":
		case json.Unmarshal(raw, &v) == nil:
			t.add(r, key, v)
		case slices.Contains(inner, key) && json.Unmarshal(raw, &inside) == nil:
			t.flatten(r, inside)
		}
	}
}

func notJSON(err error) error {
	return fault.New(fault.BadRequest, `give a list such as [{"lr": 0.1, "value": 3, "cost": 2}], or an export of eke`, "the file cannot be read as JSON: %w", err)
}
