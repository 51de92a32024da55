package server_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
)

// inGroup makes a token of a group, and returns its secret and its ID.
func (g *given) inGroup(role server.Role, group string) (secret, id string) {
	g.t.Helper()
	p := newPass(role, "", group)
	if err := g.store.(store.Tokens).AddToken(g.t.Context(), p.token); err != nil {
		g.t.Fatal(err)
	}
	return p.secret, p.token.ID
}

// Who listens to a study hears nothing more once it is another group's.
func TestStreamEndsWithTheGroup(t *testing.T) {
	g := serve(t)
	admin, _ := g.somebody(server.Admin, "root")
	mine, _ := g.inGroup(server.Admin, "physics")
	g.token = mine
	g.create(kiln)
	l := g.listen("/studies/kiln/events", "Authorization", "Bearer "+mine)
	l.next()
	g.token = admin
	g.post("/studies/kiln/labels", `{"group":"chemistry","notes":"secret"}`).fine(200, nil)
	for l.lines.Scan() { // until the stream ends
		if strings.Contains(l.lines.Text(), "secret") {
			t.Fatal(l.lines.Text())
		}
	}
	g.token = mine
	g.get("/studies/kiln").refused(404, fault.NotFound, "")
}

// The owner of a study that is another group's now is nobody to it, and hears what anybody hears.
func TestOwnerInAnotherGroup(t *testing.T) {
	g := serve(t)
	admin, _ := g.somebody(server.Admin, "root")
	mine, id := g.inGroup(server.Worker, "physics")
	g.token = admin
	g.create(kiln)
	g.post("/studies/kiln/labels", map[string]string{"owner": id, "group": "chemistry"}).fine(200, nil)
	g.token = mine
	there, not := g.post("/studies/kiln/pause", nil), g.post("/studies/none/pause", nil)
	if there.refused(403, fault.Forbidden, ""); string(there.body) != string(not.body) {
		t.Errorf("%s\n%s", there.body, not.body)
	}
}

// Metrics are of a study, not of its name: who gets a name after another group does not get its figures.
func TestMetricsOfANamesake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, true)
		defer w.close()
		before := w.send(ours[0], "GET /metrics").Body.String()
		w.must(others, `POST /studies/cluster/delete {"confirm":"cluster"}`)
		time.Sleep(time.Second) // so that the new study is not of the same moment as the old
		w.must(ours[2], `POST /studies {"yaml":`+strconv.Quote(named("cluster"))+`}`)
		now := w.send(ours[0], "GET /metrics").Body.String()
		if now = strings.Replace(now, "eke_open_trials{study=\"cluster\"} 0\n", "", 1); now != before {
			t.Errorf("%s\nbefore:\n%s", now, before)
		}
		w.must(ours[2], `POST /studies/cluster/ask {"worker":"w"}`)
		if now := w.send(ours[0], "GET /metrics").Body.String(); !strings.Contains(now, `eke_asks_total{outcome="trial",study="cluster"} 1`) {
			t.Errorf("%s", now)
		}
	})
}

// Nor does anybody get the figures of the studies that share a label, by calling a study as that is called.
func TestMetricsOfOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, false)
		defer w.close()
		w.must(ours[2], `POST /studies {"yaml":`+strconv.Quote(named("other"))+`}`)
		for i := range 100 { // all labels there are
			w.must(others, `POST /studies {"yaml":`+strconv.Quote(named(fmt.Sprint("kiln", i)))+`}`)
		}
		w.must(others, `POST /studies/kiln99/ask {"worker":"w"}`)
		for who, seen := range map[*pass]bool{&root: true, &ours[0]: false} {
			if now := w.send(*who, "GET /metrics").Body.String(); strings.Contains(now, `study="other"`) != seen {
				t.Errorf("%s: %s", who.token.Name, now)
			}
		}
	})
}

// A copy starts from what the study started from, as its log has it: a file, or a study that its group does not see.
func TestCopyStartsFromTheSame(t *testing.T) {
	g := serve(t)
	admin, _ := g.somebody(server.Admin, "root")
	mine, _ := g.inGroup(server.Admin, "physics")
	g.token = admin
	g.create(kiln)
	g.post("/studies/kiln/results", `{"results":[{"setting":{"x":0.1,"n":3,"glaze":"ash"},"value":1},{"setting":{"x":0.4,"n":3,"glaze":"ash"},"value":3},{"setting":{"x":0.6,"n":3,"glaze":"ash"},"value":2},{"setting":{"x":0.9,"n":3,"glaze":"ash"},"value":0}]}`).fine(200, nil)
	g.create(strings.Replace(kiln, "name: kiln", "name: next\nstart_from: kiln", 1))
	g.post("/studies/next/labels", `{"group":"physics"}`).fine(200, nil)
	g.token = mine
	var s api.Study
	g.post("/studies", map[string]any{"yaml": strings.Replace(kiln, "name: kiln", "name: filed\nstart_from: ./lab.csv", 1), "earlier": map[string]any{"results": []map[string]any{
		{"setting": map[string]any{"x": 0.1}, "value": 1}, {"setting": map[string]any{"x": 0.2}, "value": 2}, {"setting": map[string]any{"x": 0.3}, "value": 3}, {"setting": map[string]any{"x": 0.4}, "value": 4}}}}).fine(201, nil)
	g.post("/studies/filed/copy", `{"name":"again"}`).fine(201, nil)
	if g.post("/studies/next/copy", `{"name":"same"}`).fine(201, &s); s.Earlier == "" || s.Group != "physics" {
		t.Errorf("%+v", s)
	}
	g.post("/studies/next/copy", `{"name":"turned","changes":{"objective":{"name":"strength","goal":"minimize"}}}`).refused(422, fault.BadRequest, "body")
	g.post("/studies/next/copy", `{"name":"plain","changes":{"start_from":null}}`).fine(201, nil)
}
