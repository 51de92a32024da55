package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// A study that has begun is changed by a study file: its budget, its ranges, its choices; not what a result and a cost mean.
func TestChangeStudy(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":10}`).fine(200, nil)
	g.post("/studies/kiln/budget", `{"add":20}`).fine(200, nil)
	var file api.StudyFile
	g.get("/studies/kiln/definition").fine(200, &file)
	if !strings.Contains(file.YAML, "total: 120") || file.Version == 0 {
		t.Fatalf("%+v", file)
	}
	var got api.Redefined
	g.post("/studies/kiln/definition", file.YAML).fine(200, &got) // the same
	if len(got.Changes) != 0 || got.Study.Ledger.Total != 120 {
		t.Errorf("%+v", got)
	}

	hears := g.listen("/studies/kiln/events")
	hears.next()
	edited := strings.Replace(file.YAML, "total: 120", "total: 150", 1)
	g.post("/studies/kiln/definition", edited).fine(200, &got)
	if len(got.Changes) != 1 || !strings.Contains(got.Changes[0], "raised from 120 euros to 150 euros") || got.Study.Ledger.Total != 150 || got.Study.Ledger.Spent != 10 {
		t.Errorf("%+v", got)
	}
	changed := got.Study.Definition
	changed.Parallel = 7
	raw, err := json.Marshal(map[string]any{"definition": changed})
	if err != nil {
		t.Fatal(err)
	}
	if g.post("/studies/kiln/definition", json.RawMessage(raw)).fine(200, &got); got.Study.Definition.Parallel != 7 || len(got.Changes) != 0 {
		t.Errorf("%+v", got)
	}

	for _, c := range []struct{ old, new, field, hint string }{
		{"name: kiln", "name: oven", "body.name", "rename it"},
		{"goal: maximize", "goal: minimize", "body.objective.goal", "begin a new study"},
		{"seed: 0", "seed: 5", "body.seed", "begin a new study"},
		{"total: 150", "total: 5", "body.budget.total", "leave at least 10"},
		{"total: 150", "total: 1e300", "body.budget.total", "up to 1e+15"},
		{"parameters:", "parameters:\n  more: {type: float, min: 0, max: 1}", "body.parameters.more", "give it a default"},
	} {
		wrong := strings.Replace(edited, c.old, c.new, 1)
		if wrong == edited {
			t.Fatalf("the file has no %q:\n%s", c.old, edited)
		}
		p := g.post("/studies/kiln/definition", wrong).refused(422, fault.BadRequest, c.field)
		if len(p.Errors) == 0 || !strings.Contains(p.Errors[0].Hint, c.hint) || p.Errors[0].Value == nil && c.new != "total: 1e300" {
			t.Errorf("%s: %+v, %+v", c.new, p, p.Errors)
		}
	}
	g.post("/studies/kiln/definition", strings.Replace(edited, "parameters:", "parameters:\n  more: {type: float, min: 0, max: 1, default: 0.5}", 1)).fine(200, &got)
	if len(got.Changes) != 1 || len(got.Study.Definition.Parameters) != 4 {
		t.Errorf("%+v", got)
	}
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil) // with the new parameter
	for heard := 0; heard < 4; {                                 // whoever listens hears of it
		_, _, c := hears.next()
		heard = len(c.Study.Definition.Parameters)
	}

	// Whoever edits an old version does not undo what others have done since.
	g.post("/studies/kiln/definition?version=1", edited).refused(409, fault.Conflict, "")
	g.get("/studies/kiln/definition").fine(200, &file)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil) // which changes no definition
	g.post(fmt.Sprintf("/studies/kiln/definition?version=%d", file.Version), strings.Replace(file.YAML, "total: 150", "total: 160", 1)).fine(200, &got)
	if got.Study.Ledger.Total != 160 {
		t.Errorf("%+v", got.Study.Ledger)
	}
}

// An admin and the study's owner may change it; others may read it, readers without its environment.
func TestWhoMayChangeStudy(t *testing.T) {
	g := serve(t)
	made := func(role string) (n api.NewToken) {
		t.Helper()
		g.post("/tokens", map[string]string{"role": role}).fine(201, &n)
		return n
	}
	root := made("admin")
	g.token = root.Secret
	worker, reader, owner := made("worker"), made("reader"), made("worker")
	g.create(kiln + "env: {SECRET: x}\n")
	g.post("/studies/kiln/labels", map[string]any{"owner": owner.ID}).fine(200, nil)
	var file api.StudyFile
	g.get("/studies/kiln/definition").fine(200, &file)
	for _, c := range []struct {
		token  string
		secret bool
		status int
	}{{worker.Secret, true, 403}, {reader.Secret, false, 403}, {owner.Secret, true, 200}} {
		g.token = c.token
		if a := g.get("/studies/kiln/definition"); a.status != 200 || strings.Contains(string(a.body), "SECRET") != c.secret {
			t.Errorf("%+v", a)
		}
		if a := g.post("/studies/kiln/definition", file.YAML); a.status != c.status {
			t.Errorf("%d: %s", a.status, a.body)
		}
	}
}

// The budget of an edited file is the one that the study gets, even if it is the one that the study began with.
func TestChangeStudyBackToItsFirstBudget(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/budget", `{"add":20}`).fine(200, nil)
	var file api.StudyFile
	g.get("/studies/kiln/definition").fine(200, &file)
	var got api.Redefined
	g.post(fmt.Sprintf("/studies/kiln/definition?version=%d", file.Version), strings.Replace(file.YAML, "total: 120", "total: 100", 1)).fine(200, &got)
	if got.Study.Ledger.Total != 100 || len(got.Changes) != 1 {
		t.Errorf("%+v %+v", got.Study.Ledger, got.Changes)
	}
}
