package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Every operation refuses what is wrong with a problem that names the field.
func TestBadRequests(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	g.create(timed)
	g.post("/studies/kiln/ask", `{"worker":"w","count":2}`).fine(200, nil)
	g.post("/studies/timed/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	long := strings.Repeat("a", 300)
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		code         fault.Code
		field        string
	}{
		{"GET", "/studies/none", nil, 404, fault.NotFound, ""},
		{"GET", "/studies/" + long, nil, 422, fault.BadRequest, "path.study"},
		{"GET", "/studies?all=1", nil, 422, fault.BadRequest, "query.all"},
		{"POST", "/studies/none/end", nil, 404, fault.NotFound, ""},
		{"POST", "/studies/kiln/budget", `{"add":0}`, 422, fault.BadRequest, "body.add"},
		{"POST", "/studies/kiln/budget", `{"add":-3}`, 422, fault.BadRequest, "body.add"},
		{"POST", "/studies/kiln/budget", `{"add":1e15}`, 422, fault.BadRequest, "body.add"},
		{"POST", "/studies/kiln/budget", `{"add":1e300}`, 422, fault.BadRequest, "body.add"},
		{"POST", "/studies/kiln/budget", `{"add":1e999}`, 400, fault.BadRequest, "body"},
		{"POST", "/studies/kiln/budget", `{"add":NaN}`, 400, fault.BadRequest, "body"},
		{"POST", "/studies/kiln/budget", `{}`, 422, fault.BadRequest, "body"},
		{"POST", "/studies/kiln/budget", nil, 400, fault.BadRequest, ""},
		{"POST", "/studies/kiln/ask", `{}`, 422, fault.BadRequest, "body.worker"},
		{"POST", "/studies/kiln/ask", `{"worker":""}`, 422, fault.BadRequest, "body.worker"},
		{"POST", "/studies/kiln/ask", `{"worker":"a b"}`, 422, fault.BadRequest, "body.worker"},
		{"POST", "/studies/kiln/ask", `{"worker":"` + long + `"}`, 422, fault.BadRequest, "body.worker"},
		{"POST", "/studies/kiln/ask", `{"worker":"w","count":0}`, 422, fault.BadRequest, "body.count"},
		{"POST", "/studies/kiln/ask", `{"worker":"w","count":65}`, 422, fault.BadRequest, "body.count"},
		{"POST", "/studies/kiln/ask", `{"worker":"w","count":1.5}`, 422, fault.BadRequest, "body.count"},
		{"POST", "/studies/kiln/ask", `{"worker":"w","wrker":1}`, 422, fault.BadRequest, "body.wrker"},
		{"POST", "/studies/kiln/ask", `{"worker":7}`, 422, fault.BadRequest, "body.worker"},
		{"POST", "/studies/kiln/ask", `[]`, 422, fault.BadRequest, "body"},
		{"POST", "/studies/none/ask", `{"worker":"w"}`, 404, fault.NotFound, ""},
		{"GET", "/studies/kiln/trials?state=lost", nil, 422, fault.BadRequest, "query.state"},
		{"GET", "/studies/kiln/trials?after=-1", nil, 422, fault.BadRequest, "query.after"},
		{"GET", "/studies/kiln/trials?why=perhaps", nil, 422, fault.BadRequest, "query.why"},
		{"GET", "/studies/kiln/trials?limit=0", nil, 422, fault.BadRequest, "query.limit"},
		{"GET", "/studies/kiln/trials?limit=x", nil, 422, fault.BadRequest, "query.limit"},
		{"GET", "/studies/kiln/trials/0", nil, 422, fault.BadRequest, "path.number"},
		{"GET", "/studies/kiln/trials/x", nil, 422, fault.BadRequest, "path.number"},
		{"GET", "/studies/kiln/trials/99999999999999999999", nil, 422, fault.BadRequest, "path.number"},
		{"GET", "/studies/kiln/trials/3", nil, 404, fault.NotFound, ""},
		{"GET", "/studies/kiln/trials/3/why", nil, 404, fault.NotFound, ""},
		{"GET", "/studies/timed/best", nil, 404, fault.NotFound, ""},
		{"POST", "/studies/kiln/trials/2/heartbeat", `{}`, 422, fault.BadRequest, "body"},
		{"POST", "/studies/kiln/trials/9/heartbeat", `{"worker":"w"}`, 404, fault.NotFound, ""},
		{"POST", "/studies/kiln/trials/2/tell", `{"cost":1}`, 422, fault.BadRequest, "body"},
		{"POST", "/studies/kiln/trials/2/tell", `{"value":1}`, 422, fault.BadRequest, "body.cost"},
		{"POST", "/studies/kiln/trials/2/tell", `{"value":1,"cost":-1}`, 422, fault.BadRequest, "body.cost"},
		{"POST", "/studies/kiln/trials/2/tell", `{"value":1e200,"cost":1}`, 422, fault.BadRequest, "body.value"},
		{"POST", "/studies/kiln/trials/2/tell", `{"value":null,"cost":1}`, 422, fault.BadRequest, "body.value"},
		{"POST", "/studies/kiln/trials/2/tell", `{"value":1,"cost":1,"note":"` + strings.Repeat("a", 5000) + `"}`, 422, fault.BadRequest, "body.note"},
		{"POST", "/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`, 409, fault.Conflict, ""},
		{"POST", "/studies/kiln/trials/1/fail", `{}`, 409, fault.Conflict, ""},
		{"POST", "/studies/timed/trials/1/tell", `{"value":1}`, 422, fault.BadRequest, "body.cost"},
		{"POST", "/studies/kiln/trials/2/fail", `{"state":"done"}`, 422, fault.BadRequest, "body.state"},
		{"POST", "/studies/kiln/trials/2/fail", `{"cost":"1"}`, 422, fault.BadRequest, "body.cost"},
		{"GET", "/studies/kiln/slice", nil, 422, fault.BadRequest, "query.parameter"},
		{"GET", "/studies/kiln/slice?parameter=y", nil, 422, fault.BadRequest, "query.parameter"},
		{"GET", "/studies/kiln/slice?parameter=x&at=[", nil, 400, fault.BadRequest, "query.at"},
		{"GET", "/studies/kiln/slice?parameter=x", nil, 409, fault.Conflict, ""},
		{"GET", "/studies/kiln/heat?a=x", nil, 422, fault.BadRequest, "query.b"},
		{"GET", "/studies/kiln/heat?a=x&b=n&n=1000", nil, 422, fault.BadRequest, "query.n"},
		{"GET", "/studies/kiln/heat?a=x&b=zz", nil, 422, fault.BadRequest, "query.b"},
		{"GET", "/studies/kiln/export?format=xls", nil, 422, fault.BadRequest, "query.format"},
		{"GET", "/studies/kiln/log?after=x", nil, 422, fault.BadRequest, "query.after"},
		{"GET", "/studies/none/log", nil, 404, fault.NotFound, ""},
		{"GET", "/studies/none/events", nil, 404, fault.NotFound, ""},
		{"GET", "/studies/kiln/events?after=x", nil, 422, fault.BadRequest, "query.after"},
		{"DELETE", "/studies/kiln", nil, 405, fault.BadRequest, ""},
		{"GET", "/studies/kiln/ask", nil, 405, fault.BadRequest, ""},
		{"GET", "/nothing", nil, 404, fault.NotFound, ""},
	} {
		g.call(c.method, "/api/v1"+c.path, c.body).refused(c.status, c.code, c.field)
	}
	g.post("/studies/kiln/ask", `{"worker":"w"}`, "Idempotency-Key", strings.Repeat("k", 201)).refused(422, fault.BadRequest, "header.Idempotency-Key")
	g.post("/studies/kiln/ask", `{"worker":"w"}`, "Idempotency-Key", "a b").refused(422, fault.BadRequest, "header.Idempotency-Key")
	g.get("/studies/kiln/events", "Last-Event-ID", "x").refused(422, fault.BadRequest, "header.Last-Event-ID")
	g.post("/studies/kiln/ask", "worker: w").refused(415, fault.BadRequest, "")
}

func TestTooLarge(t *testing.T) {
	g := serve(t)
	huge := strings.Repeat("# much\n", 1<<18)
	g.post("/studies", huge+kiln).refused(413, fault.TooLarge, "")
	g.create(kiln)
	g.post("/studies/kiln/budget", `{"add":1,"note":"`+strings.Repeat("a", 2<<20)+`"}`).refused(413, fault.TooLarge, "")
}

func TestPathTraversal(t *testing.T) {
	g := serve(t)
	for _, path := range []string{
		"/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/api/v1/studies/..%2f..%2fetc%2fpasswd",
		"/api/v1/studies/%2e%2e%2f%2e%2e", "/api/v1/studies/%00", "/api/v1/studies/a%0d%0aX-Evil:1", "/api/v1//studies/../../x", "//etc/passwd", `/..\..\x`,
	} {
		a := g.call("GET", path, nil)
		if a.status < 400 || a.status >= 500 || strings.Contains(string(a.body), "root:") || a.header.Get("X-Evil") != "" {
			t.Errorf("%s: %d %v %.200s", path, a.status, a.header, a.body)
		}
	}
}

func TestRoles(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	secrets := map[server.Role]string{}
	for _, role := range server.Roles() {
		secret, token := server.NewToken(role, "test")
		if err := g.store.(store.Tokens).AddToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(secret, "eke_") || len(secret) < 40 || token.Hash != hashOf(secret) || strings.Contains(secret, token.ID) {
			t.Errorf("%q %+v", secret, token)
		}
		secrets[role] = secret
	}
	if a := g.get("/studies"); a.status != http.StatusUnauthorized || a.header.Get("WWW-Authenticate") == "" {
		t.Error(a.status, a.header)
	}
	needs := []struct {
		role   server.Role
		method string
		path   string
		body   any
	}{
		{server.Anyone, "GET", "/healthz", nil}, {server.Anyone, "GET", "/openapi.json", nil}, {server.Anyone, "GET", "/", nil},
		{server.Reader, "GET", "/metrics", nil}, {server.Reader, "GET", "/api/v1/studies", nil}, {server.Reader, "GET", "/api/v1/studies/kiln", nil},
		{server.Reader, "GET", "/api/v1/studies/kiln/trials", nil}, {server.Reader, "GET", "/api/v1/studies/kiln/trials/1", nil},
		{server.Reader, "GET", "/api/v1/studies/kiln/trials/1/why", nil}, {server.Reader, "GET", "/api/v1/studies/kiln/best", nil},
		{server.Reader, "GET", "/api/v1/studies/kiln/insight", nil}, {server.Reader, "GET", "/api/v1/studies/kiln/slice?parameter=x", nil},
		{server.Reader, "GET", "/api/v1/studies/kiln/heat?a=x&b=n", nil}, {server.Reader, "GET", "/api/v1/studies/kiln/export", nil},
		{server.Reader, "GET", "/api/v1/studies/kiln/log", nil}, {server.Reader, "GET", "/api/v1/studies/kiln/rest", nil}, {server.Admin, "POST", "/api/v1/studies/kiln/stop", `{}`}, {server.Reader, "GET", "/api/v1/studies/none/events", nil},
		{server.Worker, "POST", "/api/v1/studies/kiln/ask", `{}`}, {server.Worker, "POST", "/api/v1/studies/kiln/trials/1/heartbeat", `{}`},
		{server.Worker, "POST", "/api/v1/studies/kiln/trials/1/tell", `{}`}, {server.Worker, "POST", "/api/v1/studies/kiln/trials/1/fail", `{}`},
		{server.Admin, "POST", "/api/v1/studies", `{}`}, {server.Admin, "POST", "/api/v1/studies/kiln/budget", `{}`}, {server.Admin, "POST", "/api/v1/studies/none/end", nil},
	}
	rank := map[server.Role]int{server.Anyone: 0, server.Reader: 1, server.Worker: 2, server.Admin: 3}
	for _, n := range needs {
		for _, role := range []server.Role{server.Anyone, server.Reader, server.Worker, server.Admin} {
			g.token = secrets[role]
			a := g.call(n.method, n.path, n.body)
			switch refused := a.status == 401 || a.status == 403; {
			case rank[role] >= rank[n.role] && refused:
				t.Errorf("%s %s as %q: %d %s", n.method, n.path, role, a.status, a.body)
			case rank[role] < rank[n.role] && role == server.Anyone:
				a.refused(401, fault.Unauthenticated, "")
			case rank[role] < rank[n.role]:
				a.refused(403, fault.Forbidden, "")
			}
		}
	}
	for _, header := range []string{"Bearer eke_wrong", "Bearer ", "Bearer", "Basic " + secrets[server.Admin], secrets[server.Admin], "Bearer " + secrets[server.Admin] + "x"} {
		g.token = ""
		g.get("/studies", "Authorization", header).refused(401, fault.Unauthenticated, "")
	}
	for _, secret := range secrets {
		if strings.Contains(g.log.String(), secret) {
			t.Error("a token is in the log")
		}
	}
	testRevoked(t, g, secrets)
}

func testRevoked(t *testing.T, g *given, secrets map[server.Role]string) {
	tokens := g.store.(store.Tokens)
	list, err := tokens.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range list {
		if token.Role == string(server.Reader) {
			if err := tokens.RevokeToken(t.Context(), token.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	g.token = secrets[server.Reader]
	waitFor(t, func() bool { return g.get("/studies").status == http.StatusUnauthorized })
}

// Where others can come, nobody may do anything while there is no token.
func TestNoTokensElsewhere(t *testing.T) {
	for _, change := range []func(*server.Config){
		func(c *server.Config) { c.Listen = "0.0.0.0:8420" },
		func(c *server.Config) { c.Hosts = []string{"eke.example.org"} },
	} {
		g := serve(t, change)
		g.get("/studies").refused(401, fault.Unauthenticated, "")
		g.call("GET", "/healthz", nil).fine(200, nil)
	}
}

func TestHosts(t *testing.T) {
	g := serve(t, func(c *server.Config) { c.Hosts = []string{"Eke.example.org"} })
	for host, fine := range map[string]bool{
		"localhost": true, "LOCALHOST:99": true, "127.0.0.1:8420": true, "[::1]:8420": true, "127.0.0.9": true, "eke.example.org": true, "eke.example.org.": true,
		"evil.example.org": false, "localhost.evil.org": false, "192.168.1.1": false, "eke.example.org.evil": false, "0": false, "[::2]": false,
		"127.0.0.1:18500.evil.org": false, "[::1]:80.evil.org": false, "localhost:80.evil.org": false, "eke.example.org:443.evil.org": false, "127.0.0.1:": true,
		"127.0.0.1.evil.org": false, "[::1].evil.org": false,
	} {
		if a := g.call("GET", "/healthz", nil, "Host", host); fine {
			a.fine(200, nil)
		} else {
			a.refused(403, fault.Forbidden, "")
		}
	}
	open := serve(t, func(c *server.Config) { c.Listen = ":8420" })
	open.call("GET", "/healthz", nil, "Host", "192.168.1.1:8420").fine(200, nil)
	open.call("GET", "/healthz", nil, "Host", "evil.example.org").refused(403, fault.Forbidden, "")
}

func TestCrossSite(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	for _, method := range []string{"GET", "POST"} {
		path := map[string]string{"GET": "/api/v1/studies", "POST": "/api/v1/studies/kiln/end"}[method]
		g.call(method, path, nil, "Sec-Fetch-Site", "cross-site").refused(403, fault.Forbidden, "")
		g.call(method, path, nil, "Sec-Fetch-Site", "same-site").refused(403, fault.Forbidden, "")
		g.call(method, path, nil, "Origin", "https://evil.example.org").refused(403, fault.Forbidden, "")
		g.call(method, path, nil, "Origin", "null").refused(403, fault.Forbidden, "")
	}
	g.call("GET", "/metrics", nil, "Sec-Fetch-Site", "cross-site").refused(403, fault.Forbidden, "")
	g.get("/studies", "Sec-Fetch-Site", "same-origin").fine(200, nil)
	g.get("/studies", "Sec-Fetch-Site", "none").fine(200, nil)
	g.get("/studies", "Origin", g.url).fine(200, nil)
	page := g.call("GET", "/", nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate") // a link from elsewhere
	page.fine(200, nil)
	if page.header.Get("Content-Security-Policy") == "" || page.header.Get("X-Frame-Options") != "DENY" || page.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error(page.header)
	}
	g.call("POST", "/", nil).refused(405, fault.BadRequest, "")
	g.call("OPTIONS", "/api/v1/studies", nil, "Origin", g.url).refused(405, fault.BadRequest, "")
}

func TestRateLimit(t *testing.T) { ownClock(t, testRateLimit) }

func testRateLimit(t *testing.T) {
	g := serveInside(t, func(c *server.Config) { c.Rate = 5 })
	for range 10 {
		g.get("/studies").fine(200, nil)
	}
	a := g.get("/studies")
	a.refused(429, fault.TooMany, "")
	if a.header.Get("Retry-After") == "" {
		t.Error(a.header)
	}
	time.Sleep(time.Second / 5)
	g.get("/studies").fine(200, nil)
	g.get("/studies").refused(429, fault.TooMany, "")
}

// One bucket for each token: behind a proxy everybody comes from one address.
func TestRateLimitOfATokenIsItsOwn(t *testing.T) { ownClock(t, testRateLimitOfATokenIsItsOwn) }

func testRateLimitOfATokenIsItsOwn(t *testing.T) {
	g := serveInside(t, func(c *server.Config) { c.Rate = 5 })
	one, other := g.newToken(server.Reader), g.newToken(server.Reader)
	g.token = one
	waitFor(t, func() bool { return g.get("/studies").status == 429 })
	g.token = other
	g.get("/studies").fine(200, nil)
	g.token = "eke_madeup" // no token, no bucket of its own
	waitFor(t, func() bool { return g.get("/studies").status == 429 })
	g.token = "eke_madeup2"
	g.get("/studies").refused(429, fault.TooMany, "")
}

func TestLowRateLimit(t *testing.T) { ownClock(t, testLowRateLimit) }

func testLowRateLimit(t *testing.T) {
	g := serveInside(t, func(c *server.Config) { c.Rate = 0.1 })
	g.get("/studies").fine(200, nil)
	g.get("/studies").refused(429, fault.TooMany, "")
}

// newToken makes a token that the server knows.
// Once another process has made the first token, every request must carry one, and has its role only.
func TestFirstTokenClosesAtOnce(t *testing.T) {
	place := newPlace(t, usual())
	mine, err := openAt(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	others, err := openAt(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer others.Close()
	g := serve(t, func(c *server.Config) { c.Store = mine })
	g.create(kiln) // before, everybody may
	secret, token := server.NewToken(server.Reader, "")
	if err := others.(store.Tokens).AddToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	g.post("/studies/kiln/ask", `{"worker":"w"}`).refused(http.StatusUnauthorized, fault.Unauthenticated, "")
	g.token = secret
	g.post("/studies/kiln/ask", `{"worker":"w"}`).refused(http.StatusForbidden, fault.Forbidden, "")
	g.get("/studies/kiln").fine(http.StatusOK, nil)
}

func (g *given) newToken(role server.Role) (secret string) {
	g.t.Helper()
	secret, token := server.NewToken(role, "test")
	if err := g.store.(store.Tokens).AddToken(g.t.Context(), token); err != nil {
		g.t.Fatal(err)
	}
	return secret
}

// The environment of a study's command may have passwords, which those who only look need not know.
func TestEnvIsForWorkers(t *testing.T) {
	g := serve(t)
	withEnv := kiln + "command: [echo]\nenv: {PASSWORD: hunter2}\n"
	g.create(withEnv)
	changed, err := study.Parse([]byte(strings.Replace(withEnv, "random", "ei", 1)), "study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Join(t.Context(), g.store, changed); err != nil { // so that the log has a definition, too
		t.Fatal(err)
	}
	reader, worker := g.newToken(server.Reader), g.newToken(server.Worker)
	waitFor(t, func() bool { return g.get("/studies").status == http.StatusUnauthorized })
	for _, path := range []string{"/studies/kiln", "/studies/kiln/export?format=json", "/studies/kiln/log"} {
		g.token = worker
		if a := g.get(path); !strings.Contains(string(a.body), "hunter2") {
			t.Errorf("%s: a worker does not see what to run: %s", path, a.body)
		}
		g.token = reader
		if a := g.get(path); a.status != 200 || strings.Contains(string(a.body), "hunter2") || !strings.Contains(string(a.body), "glaze") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	l := g.listen("/studies/kiln/events", "Authorization", "Bearer "+reader)
	if _, _, c := l.next(); c.Study.Definition.Env != nil || len(c.Study.Definition.Command) != 1 {
		t.Errorf("%+v", c.Study.Definition)
	}
}
