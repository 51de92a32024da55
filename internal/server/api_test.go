package server_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/study"
)

// A study from its creation to its end, by every operation.
func TestEveryOperation(t *testing.T) {
	g := serve(t)
	var s api.Study
	g.post("/studies", kiln).fine(http.StatusCreated, &s)
	if s.Name != "kiln" || s.Left != 100 || s.Best != nil || s.Buys != nil || len(s.Counts) != 7 || s.Policy.Name != "random" || s.Created.IsZero() {
		t.Errorf("%+v", s)
	}
	for i := range 6 {
		var asked api.Leases
		g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, &asked)
		l := asked.Trials[0]
		if len(asked.Trials) != 1 || l.Number != i+1 || l.State != study.Running || l.Runner != "lease-w" || l.LeaseSeconds != 60 || (l.Limit != nil) != (l.Credible > 0) || l.Reserved <= 0 {
			t.Fatalf("%+v", asked)
		}
		var beat api.Beat
		g.post(fmt.Sprintf("/studies/kiln/trials/%d/heartbeat", i+1), `{"worker":"w"}`).fine(200, &beat)
		if beat.Stop || beat.Reserved != l.Reserved || beat.LeaseSeconds != 60 {
			t.Errorf("%+v", beat)
		}
		var told api.Trial
		g.post(fmt.Sprintf("/studies/kiln/trials/%d/tell", i+1), map[string]any{"value": float64(i), "cost": 2, "wall": 1.5, "note": "hm"}).fine(200, &told)
		if told.State != study.Done || *told.Value != float64(i) || told.Charged != 2 || told.Wall != 1.5 || told.Note != "hm" {
			t.Errorf("%+v", told)
		}
	}
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	var failed api.Trial
	g.post("/studies/kiln/trials/7/fail", `{"cost":1.5,"state":"cut","note":"too slow","exit":{"code":-1,"signal":"killed"},"metrics":{"size":7}}`).fine(200, &failed)
	if failed.Metrics["size"] != 7 || failed.State != study.Cut || failed.Exit == nil || failed.Exit.Code != -1 || failed.Exit.Signal != "killed" || failed.Charged != 1.5 || failed.Note != "too slow" {
		t.Errorf("%+v", failed)
	}
	g.post("/studies/kiln/trials/7/fail", `{"exit":{"code":-2}}`).refused(422, fault.BadRequest, "body.exit")
	g.get("/studies/kiln").fine(200, &s)
	if s.Ledger.Spent != 13.5 || s.Best.Number != 6 || s.Counts[study.Done] != 6 || s.Buys.Trials != 43 || s.Buys.CostEach != 2 || s.Time.Evaluating < 9 || s.Time.Evaluating > 10 {
		t.Errorf("%+v", s)
	}
	testReads(t, g)

	g.post("/studies/kiln/budget", `{"add": 20}`).fine(200, &s)
	if s.Ledger.Total != 120 {
		t.Errorf("%+v", s.Ledger)
	}
	g.post("/studies/kiln/end", nil).fine(200, &s)
	if !s.Closed {
		t.Errorf("%+v", s)
	}
	g.post("/studies/kiln/end", nil).refused(409, fault.Closed, "")
	over := g.post("/studies/kiln/ask", `{"worker":"w"}`)
	if over.refused(409, fault.Closed, ""); over.header.Get("Eke-Exit") != "3" {
		t.Errorf("%v", over.header)
	}
}

func testReads(t *testing.T, g *given) {
	var list api.Studies
	g.get("/studies").fine(200, &list)
	if len(list.Studies) != 1 || *list.Studies[0].Best.Value != 5 || list.Studies[0].Objective.Goal != study.Maximize || list.Studies[0].Cost.Unit != "euros" {
		t.Errorf("%+v", list)
	}
	var trials api.Trials
	g.get("/studies/kiln/trials?state=done&after=2&limit=3").fine(200, &trials)
	if len(trials.Trials) != 3 || trials.Trials[0].Number != 3 || trials.Version == 0 {
		t.Errorf("%+v", trials)
	}
	if raw := g.get("/studies/kiln/trials"); strings.Contains(string(raw.body), "ask_key") || strings.Contains(string(raw.body), `"plan"`) {
		t.Errorf("%s", raw.body)
	}
	var brief api.Trials
	g.get("/studies/kiln/trials?why=false").fine(200, &brief)
	if len(brief.Trials) != 7 || brief.Trials[0].Why != nil || trials.Trials[0].Why == nil {
		t.Errorf("%+v", brief)
	}
	var trial api.Trial
	g.get("/studies/kiln/trials/7").fine(200, &trial)
	var why advisor.Why
	g.get("/studies/kiln/trials/1/why").fine(200, &why)
	if trial.Number != 7 || why.Policy == "" {
		t.Errorf("%+v, %+v", trial, why)
	}
	g.get("/studies/kiln/best").fine(200, &trial)
	if trial.Number != 6 {
		t.Errorf("%+v", trial)
	}
	var in insight.Insight
	g.get("/studies/kiln/insight").fine(200, &in)
	if in.State != insight.Ready || len(in.Slices) != 3 || in.Best != 6 {
		t.Errorf("%+v", in)
	}
	var slice insight.Slice
	g.get("/studies/kiln/slice?parameter=x").fine(200, &slice)
	g.get(`/studies/kiln/slice?parameter=n&at={"x":0.5,"n":3,"glaze":"ash"}`).fine(200, &slice)
	if len(slice.Points) != 50 || slice.At.String() != "3" {
		t.Errorf("%+v", slice)
	}
	var heat insight.Heat
	g.get("/studies/kiln/heat?a=x&b=glaze&n=4").fine(200, &heat)
	if len(heat.Value) != 4 || len(heat.Value[0]) != 2 || heat.At["n"] != g.trial("kiln", 6).Setting["n"] {
		t.Errorf("%+v", heat)
	}
	rows, err := csv.NewReader(strings.NewReader(string(g.get("/studies/kiln/export").body))).ReadAll()
	if err != nil || len(rows) != 8 || rows[0][5] != "x" {
		t.Errorf("%v, %v", rows, err)
	}
	export := g.get("/studies/kiln/export?format=json")
	if !json.Valid(export.body) || export.header.Get("Content-Disposition") != "attachment; filename=kiln.json" {
		t.Errorf("%v %s", export.header, export.body)
	}
	var log api.Log
	g.get("/studies/kiln/log?after=3").fine(200, &log)
	if log.Events[0].Seq != 4 {
		t.Errorf("%+v", log.Events[0])
	}
}

// The same study may be sent in four ways.
func TestCreate(t *testing.T) {
	g := serve(t)
	named := func(name string) string { return strings.Replace(kiln, "name: kiln", "name: "+name, 1) }
	g.create(named("a"))
	g.post("/studies", named("b"), "Content-Type", "text/yaml; charset=utf-8").fine(201, nil)
	g.post("/studies", map[string]any{"yaml": named("c")}).fine(201, nil)
	var s struct {
		Definition map[string]any `json:"definition"`
	}
	g.get("/studies/a").fine(200, &s)
	s.Definition["name"] = "d"
	g.post("/studies", map[string]any{"definition": s.Definition}).fine(201, nil)
	a, d := s, s
	g.get("/studies/a").fine(200, &a)
	g.get("/studies/d").fine(200, &d)
	delete(a.Definition, "name")
	delete(d.Definition, "name")
	x, _ := json.Marshal(a.Definition)
	if y, _ := json.Marshal(d.Definition); string(x) != string(y) {
		t.Errorf("%s\n%s", x, y)
	}
	least := map[string]any{"name": "e", "objective": map[string]any{"goal": "minimize"}, "cost": map[string]any{"source": "walltime"},
		"budget": map[string]any{"total": 60, "timeout": "90s"}, "parameters": []any{map[string]any{"name": "x", "type": "float", "max": 1}}}
	g.post("/studies", map[string]any{"definition": least}).fine(201, nil)

	g.post("/studies", named("a")).refused(409, fault.Exists, "")
	p := g.post("/studies", strings.Replace(named("f"), "max: 1}", "max: -1}", 1)).refused(422, fault.BadRequest, "body.parameters.x.max")
	if f := p.Errors[0]; f.Line != 6 || f.Column == 0 || f.Hint == "" {
		t.Errorf("%+v", f)
	}
	g.post("/studies", "nonsense").refused(422, fault.BadRequest, "body")
	g.post("/studies", "").refused(400, fault.BadRequest, "")
	g.post("/studies", kiln, "Content-Type", "text/plain").refused(415, fault.BadRequest, "")
	g.post("/studies", `{"definition": {"name": 3}}`).refused(422, fault.BadRequest, "body.definition.name")
	g.post("/studies", `{"definition": {}}`).refused(422, fault.BadRequest, "body.definition.name")
	g.post("/studies", `{"nam": 3}`).refused(422, fault.BadRequest, "body.nam")
	g.post("/studies", `{}`).refused(422, fault.BadRequest, "body.definition")
	g.post("/studies", `{"yaml": "", "definition": {}}`).refused(422, fault.BadRequest, "body")
	g.post("/studies", `{"yaml": `).refused(400, fault.BadRequest, "body")
	g.post("/studies", `{} {}`).refused(400, fault.BadRequest, "body")
	least["budget"] = map[string]any{"total": 60, "totl": 5}
	g.post("/studies", map[string]any{"definition": least}).refused(422, fault.BadRequest, "body.definition.budget.totl")
	least["budget"] = map[string]any{"total": 60, "timeout": "soon"}
	g.post("/studies", map[string]any{"definition": least}).refused(422, fault.BadRequest, "body.definition")
	least["budget"] = map[string]any{"total": -60}
	g.post("/studies", map[string]any{"definition": least}).refused(422, fault.BadRequest, "body.definition.budget.total")
}

func TestTooManyStudies(t *testing.T) {
	g := serve(t, func(c *server.Config) { c.Studies = 1 })
	g.create(kiln)
	g.post("/studies", timed).refused(429, fault.TooMany, "")
}

// The OpenAPI document has every operation, with its role, and says what can go wrong.
func TestOpenAPI(t *testing.T) {
	g := serve(t)
	var doc struct {
		OpenAPI string
		Servers []any
		Info    struct{ License struct{ Identifier string } }
		Paths   map[string]map[string]struct {
			OperationID string
			Description string
			Responses   map[string]any
			Security    []map[string][]string
		}
	}
	g.call("GET", "/openapi.json", nil).fine(200, &doc)
	if doc.OpenAPI[:3] != "3.1" || len(doc.Paths) != 49 {
		t.Errorf("%s, %d paths", doc.OpenAPI, len(doc.Paths))
	}
	if len(doc.Servers) != 1 || doc.Info.License.Identifier != "Apache-2.0" {
		t.Errorf("%+v %+v", doc.Servers, doc.Info)
	}
	for path, ops := range doc.Paths {
		for method, op := range ops {
			if op.Security == nil { // linters want it said that an operation is for anybody, too
				t.Errorf("%s %s does not say who may call it", method, path)
			}
			if strings.HasPrefix(path, "/api/") && (op.OperationID == "" || len(op.Security) == 0 || op.Responses["default"] == nil || !strings.Contains(op.Description, "Role: ")) {
				t.Errorf("%s %s: %+v", method, path, op)
			}
		}
	}
	if yaml := g.call("GET", "/openapi.yaml", nil); yaml.status != 200 || !strings.Contains(string(yaml.body), "openapi: 3.1") {
		t.Errorf("%d %.100s", yaml.status, yaml.body)
	}
}

func TestHealthAndMetrics(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	var health map[string]string
	g.call("GET", "/healthz", nil).fine(200, &health)
	if health["status"] != "ok" {
		t.Error(health)
	}
	text := string(g.call("GET", "/metrics", nil).body)
	for _, want := range []string{
		`eke_asks_total{outcome="trial",study="kiln"} 1`, `eke_tells_total{state="done",study="kiln"} 1`, `eke_thinking_seconds_count{study="kiln"} 1`,
		`eke_http_requests_total{route="POST /api/v1/studies/{study}/ask",status="200"} 1`, "eke_http_request_seconds_bucket",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}

// What a study file may still change is what the server goes by, as soon as eke run has put it into the store.
func TestChangedDefinition(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	changed, err := study.Parse([]byte(strings.Replace(kiln, "random", "ei-puc", 1)), "study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Join(t.Context(), g.store, changed); err != nil {
		t.Fatal(err)
	}
	var s api.Study
	if g.get("/studies/kiln").fine(200, &s); s.Policy.Name != "ei-puc" || s.Definition.Policy.Name != "ei-puc" {
		t.Errorf("%+v", s)
	}
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
}
