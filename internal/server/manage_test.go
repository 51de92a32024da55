package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func named(name string) string { return strings.Replace(kiln, "name: kiln", "name: "+name, 1) }

// There is a limit for studies in use and one for archived ones. Whoever meets one is told what to do, and can.
func TestLimitsPerState(t *testing.T) {
	g := serve(t, func(c *server.Config) { c.Studies, c.Archived = 2, 1 })
	g.create(named("a"))
	g.create(named("b"))
	p := g.post("/studies", named("c")).refused(429, fault.TooMany, "")
	if !strings.Contains(p.Hint, "archive or delete") || !strings.Contains(p.Hint, "--studies") {
		t.Errorf("%+v", p)
	}
	g.post("/studies/a/archive", nil).fine(200, nil)
	g.create(named("c"))
	p = g.post("/studies/b/archive", nil).refused(429, fault.TooMany, "")
	if !strings.Contains(p.Hint, "delete archived") || !strings.Contains(p.Hint, "--archived") {
		t.Errorf("%+v", p)
	}
	g.post("/studies/a/archive", `{"undo":true}`).refused(429, fault.TooMany, "")
	g.post("/studies/a/archive", nil).fine(200, nil) // it is so already
	g.post("/studies/a/delete", `{"confirm":"a"}`).fine(200, nil)
	g.post("/studies/b/archive", nil).fine(200, nil)
	g.create(named("d"))
}

// The server is alive whatever the store does, and ready if the store can be written to. Nobody is refused for asking often.
func TestLiveAndReady(t *testing.T) {
	var failing atomic.Bool
	g := serve(t, func(c *server.Config) {
		c.Rate, c.Lease = 0.001, 1<<40
		c.Store = &broken{openStore(t, usual()), func() error {
			if failing.Load() {
				return errors.Join(store.ErrFull, errors.New("/secret"))
			}
			return nil
		}}
	})
	for range 20 {
		g.call("GET", "/healthz", nil).fine(200, nil)
		g.call("GET", "/readyz", nil).fine(200, nil)
	}
	failing.Store(true)
	waitFor(t, func() bool { return g.call("GET", "/readyz", nil).status == http.StatusServiceUnavailable })
	if a := g.call("GET", "/readyz", nil); strings.Contains(string(a.body), "secret") {
		t.Errorf("%s", a.body)
	}
	g.call("GET", "/healthz", nil).fine(200, nil)
	failing.Store(false)
	waitFor(t, func() bool { return g.call("GET", "/readyz", nil).status == http.StatusOK })
}

// A study that cannot be read is listed as damaged, beside those that can.
func TestDamagedIsListed(t *testing.T) {
	g := serve(t)
	g.create(named("good"))
	bad := store.Header{Name: "bad", Definition: json.RawMessage(`{"name":"bad","budget":7}`), Created: time.Now(), Total: 1}
	if err := g.store.Create(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	if err := g.store.Create(t.Context(), store.Header{Name: "newer", Definition: json.RawMessage(`{}`), Created: time.Now(), Total: 1}); err != nil {
		t.Fatal(err)
	}
	if err := g.store.Append(t.Context(), "newer", 0, study.Event{Seq: 1, Kind: "unheard of", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	var list api.Studies
	g.get("/studies").fine(200, &list)
	if len(list.Studies) != 3 || list.Studies[0].Damaged != "" || list.Studies[1].Damaged == "" || !strings.Contains(list.Studies[2].Damaged, "newer") {
		t.Errorf("%+v", list)
	}
	if one := list.Studies[1]; one.Counts == nil || one.Tags == nil || one.Objective.Goal == "" {
		t.Errorf("%+v", one) // the page counts on these
	}
	if g.get("/studies?state=damaged").fine(200, &list); list.Total != 2 {
		t.Errorf("%+v", list)
	}
	g.get("/studies/bad").refused(503, fault.Unavailable, "")
}

// Whoever revokes the last token wants to keep everybody out, now and after a restart.
func TestLastTokenCloses(t *testing.T) {
	st := openStore(t, usual())
	g := serve(t, func(c *server.Config) { c.Store = st })
	g.get("/studies").fine(200, nil)
	secret, token := server.NewToken(server.Admin, "ada")
	if err := st.(store.Tokens).AddToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return g.get("/studies").status == http.StatusUnauthorized })
	g.token = secret
	g.post("/tokens/"+token.ID+"/revoke", nil).fine(200, nil)
	g.get("/studies").refused(401, fault.Unauthenticated, "")
	g.token = ""
	g.get("/studies").refused(401, fault.Unauthenticated, "")
	again := serve(t, func(c *server.Config) { c.Store = st })
	again.get("/studies").refused(401, fault.Unauthenticated, "")
}

// Tokens are made, listed and revoked over HTTP, by admins of everything only.
func TestTokensOverHTTP(t *testing.T) {
	g := serve(t)
	g.post("/tokens", `{"role":"reader"}`).refused(422, fault.BadRequest, "body.role")
	var me api.Me
	if g.get("/me").fine(200, &me); !me.Open || me.Role != "admin" {
		t.Errorf("%+v", me)
	}
	made := func(role, group string) api.NewToken {
		t.Helper()
		var n api.NewToken
		g.post("/tokens", map[string]string{"role": role, "name": role, "group": group}).fine(201, &n)
		return n
	}
	root := made("admin", "")
	g.get("/studies").refused(401, fault.Unauthenticated, "")
	g.token = root.Secret
	local, reader := made("admin", "physics"), made("reader", "")
	var list api.Tokens
	raw := g.get("/tokens")
	if raw.fine(200, &list); len(list.Tokens) != 3 || strings.Contains(string(raw.body), "hash") || strings.Contains(string(raw.body), root.Secret) {
		t.Errorf("%s", raw.body)
	}
	g.post("/tokens", `{"role":"root"}`).refused(422, fault.BadRequest, "body.role")
	g.post("/tokens", `{"role":"reader","name":"a\nb"}`).refused(422, fault.BadRequest, "body.name")
	g.post("/tokens/none/revoke", nil).refused(404, fault.NotFound, "")
	for _, n := range []api.NewToken{local, reader} {
		g.token = n.Secret
		g.get("/tokens").refused(403, fault.Forbidden, "")
		g.post("/tokens", `{"role":"admin"}`).refused(403, fault.Forbidden, "")
		g.post("/tokens/"+root.ID+"/revoke", nil).refused(403, fault.Forbidden, "")
		me = api.Me{}
		if g.get("/me").fine(200, &me); me.ID != n.ID || me.Role != n.Role || me.Group != n.Group || me.Open {
			t.Errorf("%+v", me)
		}
	}
	g.token = root.Secret
	g.post("/tokens/"+reader.ID+"/revoke", nil).fine(200, nil)
	g.token = reader.Secret
	g.get("/studies").refused(401, fault.Unauthenticated, "")
}

// A token of a group knows only the studies of its group, and the owner of a study may do with it what an admin may.
func TestRightsPerStudy(t *testing.T) {
	g := serve(t)
	made := func(role, group string) api.NewToken {
		t.Helper()
		var n api.NewToken
		g.post("/tokens", map[string]string{"role": role, "group": group}).fine(201, &n)
		return n
	}
	root := made("admin", "")
	g.token = root.Secret
	physics, chemist, worker, other := made("admin", "physics"), made("admin", "chemistry"), made("worker", ""), made("worker", "")
	g.create(named("common"))
	g.token = physics.Secret
	var s api.Study
	g.post("/studies", named("secret")).fine(201, &s)
	if s.Group != "physics" || s.Owner != physics.ID {
		t.Errorf("%+v", s.Summary)
	}
	var list api.Studies
	if g.get("/studies").fine(200, &list); list.Total != 1 || list.Studies[0].Name != "secret" {
		t.Errorf("%+v", list)
	}
	g.get("/studies/common").refused(404, fault.NotFound, "")
	g.post("/studies/secret/labels", `{"group":"chemistry"}`).refused(403, fault.Forbidden, "")
	g.token = chemist.Secret
	for _, path := range []string{"", "/trials", "/trials/1", "/best", "/insight", "/rest", "/export", "/log", "/events", "/queue", "/trials/1/files", "/trials/1/files/stdout", "/report", "/definition", "/trials/1/neighbours"} {
		g.get("/studies/secret"+path).refused(404, fault.NotFound, "")
	}
	g.post("/studies/secret/pause", nil).refused(404, fault.NotFound, "")
	g.post("/studies/secret/definition", named("secret")).refused(404, fault.NotFound, "")
	g.post("/studies/secret/import", `{"file":"x"}`).refused(404, fault.NotFound, "")
	g.post("/studies/secret/delete", `{"confirm":"secret"}`).refused(404, fault.NotFound, "")
	if g.get("/studies").fine(200, &list); list.Total != 0 {
		t.Errorf("%+v", list)
	}
	g.token = root.Secret
	g.get("/studies/secret").fine(200, nil)
	g.post("/studies/common/labels", map[string]any{"owner": worker.ID, "tags": []string{"b", "a", "b"}, "notes": "# Why\n<script>"}).fine(200, &s)
	if strings.Join(s.Tags, " ") != "a b" || s.Notes != "# Why\n<script>" || s.Owner != worker.ID {
		t.Errorf("%+v %q", s.Summary, s.Notes)
	}
	g.token = worker.Secret
	g.post("/studies/common/pause", nil).fine(200, nil)
	g.post("/studies/common/labels", `{"tags":["mine"]}`).fine(200, nil)
	g.post("/studies/common/labels", `{"owner":""}`).refused(403, fault.Forbidden, "")
	g.post("/studies/secret/pause", nil).refused(403, fault.Forbidden, "")
	g.post("/studies", named("x")).refused(403, fault.Forbidden, "")
	g.token = other.Secret
	g.post("/studies/common/resume", nil).refused(403, fault.Forbidden, "")
}

// Studies are found by words, tags and states, sorted, and listed in pages.
func TestFindStudies(t *testing.T) {
	g := serve(t)
	for _, name := range []string{"b-kiln", "a-oven", "c-kiln"} {
		g.create(named(name))
	}
	g.post("/studies/a-oven/labels", `{"tags":["hot","kiln"]}`).fine(200, nil)
	g.post("/studies/c-kiln/pause", nil).fine(200, nil)
	g.post("/studies/b-kiln/budget", `{"add":5}`).fine(200, nil)
	for query, want := range map[string]string{
		"": "b-kiln a-oven c-kiln", "?sort=name": "a-oven b-kiln c-kiln", "?sort=name&down=true": "c-kiln b-kiln a-oven", "?search=KILN": "b-kiln a-oven c-kiln",
		"?search=kiln+hot": "a-oven", "?tag=hot": "a-oven", "?tag=kil": "", "?state=paused": "c-kiln", "?state=active": "b-kiln a-oven", "?sort=left&down=true&limit=1": "b-kiln",
		"?skip=1&limit=1": "a-oven", "?skip=9": "", "?search=nothing": "",
	} {
		var list api.Studies
		g.get("/studies"+query).fine(200, &list)
		var names []string
		for _, s := range list.Studies {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	g.get("/studies?sort=colour").refused(422, fault.BadRequest, "query.sort")
	g.get("/studies?limit=0").refused(422, fault.BadRequest, "query.limit")
}

// A page of ten thousand studies is listed.
func BenchmarkTenThousandStudies(b *testing.B) {
	st := openStore(b, usual())
	defined, err := study.Parse([]byte(kiln), "study.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10000 {
		defined.Name = fmt.Sprintf("study-%05d", i)
		raw, err := json.Marshal(defined)
		if err != nil {
			b.Fatal(err)
		}
		if err := st.Create(b.Context(), store.Header{Name: defined.Name, Definition: raw, Created: time.Now(), Total: 100}); err != nil {
			b.Fatal(err)
		}
	}
	g := serve(b, func(c *server.Config) { c.Store, c.Studies = st, 20000 })
	begin := time.Now()
	g.get("/studies?limit=1").fine(200, nil)
	b.ReportMetric(time.Since(begin).Seconds(), "s-first")
	for b.Loop() {
		var list api.Studies
		g.get("/studies?search=study&sort=name&down=true&skip=5000&limit=100").fine(200, &list)
		if list.Total != 10000 || len(list.Studies) != 100 || list.Studies[0].Name != "study-04999" {
			b.Fatalf("%d of %d", len(list.Studies), list.Total)
		}
	}
}
