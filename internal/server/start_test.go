package server_test

import (
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
)

// A study over HTTP starts from another one of the server, or from results that come with it.
func TestStartFrom(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	next := func(name, from string) string {
		return strings.Replace(kiln, "name: kiln", "name: "+name+"\nstart_from: "+from, 1)
	}
	g.post("/studies", next("early", "kiln"), "Content-Type", "application/yaml").refused(422, fault.BadRequest, "body")
	g.post("/studies/kiln/results", `{"results":[
		{"setting":{"x":0.1,"n":3,"glaze":"ash"},"value":1,"cost":1},{"setting":{"x":0.4,"n":2,"glaze":"ash"},"value":3,"cost":1},
		{"setting":{"x":0.6,"n":3,"glaze":"ash"},"value":2,"cost":2},{"setting":{"x":0.9,"n":1,"glaze":"ash"},"value":0,"cost":1}]}`).fine(200, nil)
	g.post("/studies", next("second", "kiln"), "Content-Type", "application/yaml").fine(201, nil)
	g.post("/studies/second/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies", next("third", "nobody"), "Content-Type", "application/yaml").refused(422, fault.BadRequest, "body")
	g.post("/studies", map[string]any{"yaml": next("fourth", "./lab.csv"), "earlier": map[string]any{"results": []map[string]any{
		{"setting": map[string]any{"x": 0.1}, "value": 1}, {"setting": map[string]any{"x": 0.2}, "value": 2},
		{"setting": map[string]any{"x": 0.3}, "value": 3}, {"setting": map[string]any{"x": 0.4}, "value": 4}}}}).fine(201, nil)
	g.post("/studies", map[string]any{"yaml": strings.Replace(kiln, "name: kiln", "name: fifth", 1), "earlier": map[string]any{}}).refused(422, fault.BadRequest, "body.earlier")
	g.get("/studies/fifth").refused(404, fault.NotFound, "")
}
