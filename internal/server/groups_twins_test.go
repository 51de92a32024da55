package server_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// pass is how somebody is known on both servers.
type pass struct {
	secret string
	token  store.Token
}

func newPass(role server.Role, name, group string) pass {
	secret, token := server.NewToken(role, name)
	token.Group = group
	if name != "" { // nothing random is compared
		token.ID = "token-of-" + name
	}
	return pass{secret, token}
}

// The people on both servers. Root is of no group, others is of another one than the rest.
var root, others = newPass(server.Admin, "root", ""), newPass(server.Admin, "canary", "canaries")

var ours = []pass{newPass(server.Reader, "reader", "ours"), newPass(server.Worker, "worker", "ours"), newPass(server.Admin, "admin", "ours")}

// world is one of the two servers.
type world struct {
	t      testing.TB
	server *server.Server
	store  store.Store
}

// newWorld starts a server on which our group has studies, and perhaps the others, too.
func newWorld(t testing.TB, crowded bool) *world {
	t.Helper()
	w := &world{t: t, store: store.Memory()}
	for _, p := range append([]pass{root, others}, ours...) {
		if err := w.store.(store.Tokens).AddToken(t.Context(), p.token); err != nil {
			t.Fatal(err)
		}
	}
	w.server = server.New(server.Config{Store: w.store, Rate: 1e9})
	synctest.Wait() // until it has looked for studies that are idle, and found none
	w.settle(ours[2], asOurs, 0)
	if crowded {
		w.settle(others, func(text string) string { return text }, secretValue)
		w.damage("broken")
	}
	return w
}

func (w *world) close() {
	w.server.Close()
	_ = w.store.Close()
}

// asOurs turns a request about the studies of the others into one about ours.
func asOurs(text string) string {
	return strings.NewReplacer("kiln", "ourkiln", "epochs", "ourepochs", "cluster", "ourcluster", "idle", "ouridle").Replace(text)
}

// secretValue is added to the values of the others' trials, so that a leak can be seen.
const secretValue = 7770000

// settle creates the studies of a group, with trials, a queue and a file.
func (w *world) settle(by pass, as func(string) string, values int) {
	w.t.Helper()
	requests := []string{`POST /studies {"yaml":` + strconv.Quote(kiln) + `}`, `POST /studies/kiln/ask {"worker":"w","count":6}`}
	for n := 1; n < 5; n++ {
		requests = append(requests, fmt.Sprintf(`POST /studies/kiln/trials/%d/tell {"value":%d,"cost":1}`, n, values+n))
	}
	for _, request := range busy {
		requests = append(requests, "POST /"+request)
	}
	requests = append(requests, `POST /studies/kiln/labels {"tags":["hot"],"notes":"Mine."}`)
	for _, request := range requests {
		w.must(by, as(request))
	}
}

// damage leaves a study of the others that cannot be read.
func (w *world) damage(name string) {
	w.t.Helper()
	w.must(others, `POST /studies {"yaml":`+strconv.Quote(named(name))+`}`)
	heads, err := w.store.Heads(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	last := heads[len(heads)-1]
	unlawful := study.Event{Seq: last.Version + 1, Kind: study.EventStarted, Trial: 99}
	if err := w.store.Append(w.t.Context(), name, last.Version, unlawful); err != nil || last.Name != name {
		w.t.Fatal(last, err)
	}
}

// untilFlushed is an answer that ends once something of it was flushed, as only that of a stream is.
type untilFlushed struct {
	*httptest.ResponseRecorder
	end context.CancelFunc
}

func (u untilFlushed) Flush() { u.end() }

// send sends a request: its method, its path below the prefix, and its body.
func (w *world) send(by pass, request string) *httptest.ResponseRecorder {
	w.t.Helper()
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	if !slices.Contains(outside, path) {
		path = "/api/v1" + path
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+by.secret)
	if method == http.MethodPost { // or the server would choose a key at random
		r.Header.Set("Idempotency-Key", fmt.Sprintf("%x", sha256.Sum256([]byte(by.token.Name+request))))
	}
	out := httptest.NewRecorder()
	w.server.ServeHTTP(untilFlushed{out, cancel}, r)
	return out
}

// must sends a request that is carried out.
func (w *world) must(by pass, request string) {
	w.t.Helper()
	if a := w.send(by, request); a.Code >= 300 {
		w.t.Fatalf("%s: %d %s", request, a.Code, a.Body)
	}
}

// outside are the addresses that are not below the prefix.
var outside = []string{"/healthz", "/readyz", "/metrics", "/openapi.json", "/"}

// twins are the two servers.
type twins struct{ crowded, alone *world }

func newTwins(t testing.TB) *twins { return &twins{newWorld(t, true), newWorld(t, false)} }

func (w *twins) close() {
	w.crowded.close()
	w.alone.close()
}

// renew makes the twins alike again.
func (w *twins) renew() {
	t := w.alone.t
	w.close()
	*w = *newTwins(t)
}

// changes reports whether a request may change anything.
func changes(request string) bool { return !strings.HasPrefix(request, "GET ") }

// compare sends a request to both servers, and returns what gives the others away; empty: nothing does. taken says that the crowded one
// refused a name that the other one took: now they are not alike any more.
func (w *twins) compare(by pass, request string) (leak string, taken bool) {
	a, b := w.crowded.send(by, request), w.alone.send(by, request)
	taken = a.Code == http.StatusConflict && strings.Contains(a.Body.String(), `"code":"exists"`) && b.Code < 300
	if found := canaries(said(a)); len(found) > 0 {
		return fmt.Sprintf("%q is in %d %.2000s", found, a.Code, a.Body), taken
	}
	if x, y := said(a), said(b); x != y && !taken {
		return fmt.Sprintf("beside the others:\n%.3000s\nalone:\n%.3000s", x, y), false
	}
	return "", taken
}

// said is all of an answer, but for the identities in it: they are drawn, and so are never the same on two servers.
func said(a *httptest.ResponseRecorder) string {
	return identity.ReplaceAllString(fmt.Sprintf("%d %v\n%s", a.Code, a.Header(), a.Body), "IDENTITY")
}

var identity = regexp.MustCompile(`\b[0-9a-f]{32}\b`)

// canaries returns what is in a text that only the others can have said.
func canaries(text string) (found []string) {
	for _, canary := range []string{"canar", others.token.ID, strconv.Itoa(secretValue / 10)} {
		if strings.Contains(text, canary) {
			found = append(found, canary)
		}
	}
	return found
}
