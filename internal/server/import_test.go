package server_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// A file of results is looked at first, which says what is which and what is left out, and then taken over, for free or charged.
func TestImportFile(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	const file = "heat,n,glaze,strength,cost\n0.5,3,ash,2.5,4\n0.25,4,tin,3,1\n7,4,tin,3,1\n0.125,4,tin,,1\n"
	send := func(status int, body map[string]any) (out api.ImportedFile) {
		t.Helper()
		body["file"] = file
		g.post("/studies/kiln/import", body).fine(status, &out)
		return out
	}
	seen := send(200, map[string]any{"dry_run": true})
	if seen.Form != "CSV" || seen.Rows != 4 || strings.Join(seen.Missing, " ") != "x" || strings.Join(seen.Columns, " ") != "heat n glaze strength cost" || seen.Matched["value"] != "strength" {
		t.Errorf("%+v", seen)
	}
	p := g.post("/studies/kiln/import", map[string]any{"file": file}).refused(422, fault.BadRequest, "body.columns")
	if !strings.Contains(p.Errors[0].Hint, "heat") {
		t.Errorf("%+v", p.Errors[0])
	}
	g.post("/studies/kiln/import", map[string]any{"file": file, "columns": map[string]string{"heat": "y"}}).refused(422, fault.BadRequest, "body.columns")
	named := map[string]string{"heat": "x"}
	seen = send(200, map[string]any{"dry_run": true, "charge": true, "columns": named})
	want := map[string]string{"x": "heat", "n": "n", "glaze": "glaze", "value": "strength", "cost": "cost"}
	if seen.Added != 2 || seen.LeftOut != 1 || seen.Without != 1 || seen.Charged != 5 || len(seen.Refused) != 1 || seen.Refused[0].Where != "line 4" || !reflect.DeepEqual(seen.Matched, want) {
		t.Errorf("%+v", seen)
	}
	var s api.Study
	if g.get("/studies/kiln").fine(200, &s); s.Known != 0 || s.Ledger.Spent != 0 {
		t.Errorf("a dry run changed the study: %+v", s.Summary)
	}
	if done := send(200, map[string]any{"columns": named}); done.Added != 2 || done.Charged != 0 {
		t.Errorf("%+v", done)
	}
	if again := send(200, map[string]any{"columns": named}); again.Added != 0 || again.Known != 2 {
		t.Errorf("%+v", again)
	}
	g.post("/studies/kiln/import", map[string]any{"file": `[{"x":0.75,"n":9,"glaze":"ash","value":1,"cost":7}]`, "charge": true}).fine(200, nil)
	if g.get("/studies/kiln").fine(200, &s); s.Known != 2 || s.Ledger.Spent != 7 {
		t.Errorf("%+v", s.Summary)
	}
	free := map[string]any{"file": "x,n,glaze,value\n0.1,3,ash,2\n", "charge": true}
	for _, dry := range []bool{true, false} {
		free["dry_run"] = dry
		g.post("/studies/kiln/import", free).refused(422, fault.BadRequest, "body.charge")
	}
	g.post("/studies/kiln/results", `{"results":[{"setting":{"x":0.1,"n":3,"glaze":"ash"},"value":2}],"charge":true}`).refused(422, fault.BadRequest, "body.charge")
	if g.get("/studies/kiln").fine(200, &s); s.Known != 2 || s.Ledger.Spent != 7 {
		t.Errorf("results without a cost were charged: %+v", s.Summary)
	}
	g.post("/studies/kiln/import", `{"file":""}`).refused(422, fault.BadRequest, "body.file")
	g.post("/studies/kiln/import", map[string]any{"file": " \n"}).refused(422, fault.BadRequest, "body.file")
	g.post("/studies/kiln/import", map[string]any{"file": strings.Repeat("a\n", 30000)}).refused(413, fault.TooLarge, "")
	g.post("/studies/kiln/import", map[string]any{"file": strings.Repeat("[", 100)}).refused(413, fault.TooLarge, "")
}

// The neighbours of a trial are the settings nearest to its own, trials and known results, with what differs.
func TestNeighbours(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	for i, setting := range []string{`"x":0.5,"n":3,"glaze":"ash"`, `"x":0.9,"n":3,"glaze":"ash"`, `"x":0.5,"n":4,"glaze":"ash"`, `"x":0.5,"n":3,"glaze":"tin"`} {
		g.post("/studies/kiln/queue", `{"setting":{`+setting+`}}`).fine(200, nil)
		g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
		if i == 3 {
			g.post("/studies/kiln/trials/4/fail", `{"cost":2}`).fine(200, nil)
			continue
		}
		g.post(fmt.Sprintf("/studies/kiln/trials/%d/tell", i+1), fmt.Sprintf(`{"value":%d,"cost":1}`, i)).fine(200, nil)
	}
	g.post("/studies/kiln/results", `{"results":[{"setting":{"x":0.5,"n":3,"glaze":"ash"},"value":9,"cost":3}]}`).fine(200, nil)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil) // under way: it has no result yet
	var got api.Neighbours
	g.get("/studies/kiln/trials/1/neighbours").fine(200, &got)
	text := ""
	for _, n := range got.Neighbours {
		value := "none"
		if n.Value != nil {
			value = fmt.Sprint(*n.Value)
		}
		text += fmt.Sprintf("%d known=%v %s %s for %v differs in %s; ", n.Number, n.Known, n.State, value, n.Cost, strings.Join(n.Differs, ","))
	}
	want := "1 known=true done 9 for 3 differs in ; 3 known=false done 2 for 1 differs in n; 2 known=false done 1 for 1 differs in x; 4 known=false failed none for 2 differs in glaze; "
	if text != want || got.Neighbours[0].Distance != 0 || !(got.Neighbours[1].Distance > 0) {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if g.get("/studies/kiln/trials/1/neighbours?count=2").fine(200, &got); len(got.Neighbours) != 2 {
		t.Errorf("%+v", got)
	}
	g.get("/studies/kiln/trials/99/neighbours").refused(404, fault.NotFound, "")
	g.get("/studies/kiln/trials/1/neighbours?count=0").refused(422, fault.BadRequest, "query.count")
}
