package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
)

// operations are all there are, as the server describes them, and some that are not; STUDY, N, ID and FILE stand for anything. The
// streams of events do not end, so that they are asked of a study that is not there.
var operations = sync.OnceValue(func() []string {
	list := []string{"GET /metrics", "GET /openapi.json", "GET /", "PUT /api/v1/studies/STUDY", "DELETE /api/v1/studies"}
	st := store.Memory()
	defer st.Close()
	s := server.New(server.Config{Store: st})
	defer s.Close()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/openapi.json", nil))
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		panic(err)
	}
	for path, methods := range doc.Paths {
		path = strings.NewReplacer("{study}/events", "none/events", "{study}", "STUDY", "{number}", "N", "{id}", "ID", "{name}", "FILE").Replace(path)
		for method := range methods {
			list = append(list, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(list)
	return list
})

// harmful operations would leave nothing for the others to work on, or nobody to do so.
var harmful = []string{"/end", "/delete", "/rename", "/archive", "/pause", "/tokens"}

// garbage is what people and programs send that should not.
var garbage = []string{
	"", "{}", "[]", "null", "true", "0", "-1", "1e999", "NaN", "Infinity", "{", `{"a":`, `"`, "\x00", "\xff\xfe", strings.Repeat("[", 10000), strings.Repeat("a", 5000),
	`{"worker":"w"}`, `{"worker":"w","count":64}`, `{"worker":"w","count":1e3}`, `{"worker":"w","count":1.0}`, `{"worker":null}`, `{"worker":["w"]}`,
	`{"worker":"../../x"}`, `{"worker":"` + strings.Repeat("w", 101) + `"}`, `{"by_hand":true}`, `{"by_hand":"yes"}`,
	`{"value":1}`, `{"value":1,"cost":1}`, `{"value":1e100,"cost":1e100}`, `{"value":-1e100,"cost":0}`, `{"value":1e-320,"cost":1e-320}`, `{"value":"NaN","cost":1}`,
	`{"value":{},"cost":[]}`, `{"value":1,"cost":1,"value":2}`, `{"value":1,"cost":1,"__proto__":{}}`, `{"value":1,"cost":1,"note":"\ud800"}`,
	`{"worker":"w","offset":0,"data":"aGVsbG8K"}`, `{"worker":"w","offset":1e15,"data":"aGVsbG8K"}`, `{"worker":"w","offset":-1,"data":"%%%"}`, `{"tags":["a","a",""]}`, `{"tags":null,"notes":"<script>"}`,
	`{"owner":"x","group":"y"}`, `{"name":"copy","changes":{"budget":null}}`, `{"name":"copy","changes":{"parameters":[[[]]]},"results":true}`, `{"role":"root"}`, `{"role":"reader","group":"\u0000"}`,
	`{"trials":[1,2]}`, `{"trials":[0,-1]}`, `{"trials":[9999999]}`, `{"setting":{"x":0.5,"n":3,"glaze":"ash"}}`, `{"setting":{"x":"0.5"}}`, `{"confirm":"none"}`, `{"results":[{"setting":{"x":0.1,"n":1,"glaze":"tin"},"value":3}]}`,
	`{"cost":1,"state":"cut"}`, `{"state":"abandoned"}`, `{"state":""}`, `{"add":1}`, `{"add":1e100}`, `{"add":0}`, `{"add":-0.0}`, `{"add":"1"}`,
	kiln, timed, strings.Replace(kiln, "kiln", "../../x", 1), strings.Replace(kiln, "total: 100", "total: .inf", 1), "a: &a [*a]", "name: *x", "? ? ?", "--- \n---\n", "\t",
	"a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: [*c,*c,*c]", `{"yaml":"name: x"}`, `{"yaml":7}`, `{"definition":{"name":"x"}}`,
	`{"definition":{"name":"x","objective":{"goal":"minimize"},"cost":{"source":"reported"},"budget":{"total":1e308},"parameters":[{"name":"a","type":"float","min":-1e308,"max":1e308}]}}`,
	`{"definition":{"name":"y","objective":{"goal":"minimize}\ncommand: [x"},"cost":{"source":"reported"},"budget":{"total":3},"parameters":[{"name":"a","type":"bool"}]}}`,
	`{"definition":{"name":"z","objective":{"goal":"minimize"},"cost":{"source":"reported"},"budget":{"total":3},"parameters":[{"name":"a","type":"choice","values":[{}]}]}}`,
}

var queries = []string{
	"", "state=done", "state=x", "after=1", "after=-1", "after=99999999999999999999", "limit=1", "limit=x", "parameter=x", "parameter=", "parameter=%00", "parameter=glaze&at={}",
	"parameter=x&at=%7B%22x%22%3A2%7D", "parameter=x&at=%7B%22x%22%3A0.1%2C%22n%22%3A2%2C%22glaze%22%3A%22ash%22%7D", "parameter=x&at=[", "parameter=x&at=null", "parameter=x&at=7",
	"search=a+b", "tag=%00", "sort=name&down=true&skip=3&limit=2", "sort=x", "skip=-1", "state=damaged", "last=3", "after=3&last=1", "add=3", "add=-1", "a=x&b=n", "a=x&b=x", "a=x&b=n&n=2", "a=x&b=n&n=-3", "a=x&b=glaze&n=128", "a=&b=", "format=json", "format=exe", "x=%zz", "&&&=", "a[b]=c", ";", strings.Repeat("q=1&", 500),
}

var contentTypes = []string{"application/json", "application/yaml", "", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "a/b/c;;;", "application/json; charset=\xff"}

// carriedOut has, for each operation of the description, a request that is carried out: its studies, trials, files and tokens are there.
var carriedOut = map[string]string{
	"list-studies":   "GET /studies?search=kiln&sort=name",
	"create-study":   "POST /studies " + `{"yaml":"name: more\nobjective: {goal: minimize}\ncost: {source: walltime}\nbudget: {total: 1h}\nparameters: {x: {type: bool}}\n"}`,
	"get-study":      "GET /studies/kiln",
	"end-study":      "POST /studies/kiln/end",
	"add-budget":     `POST /studies/kiln/budget {"add":3}`,
	"get-definition": "GET /studies/kiln/definition",
	"change-study":   `POST /studies/kiln/definition {"yaml":` + strconv.Quote(kiln+"notify: {url: https://example.org/}\n") + `}`,
	"list-trials":    "GET /studies/kiln/trials?state=done&limit=3&why=false",
	"get-columns":    "GET /studies/kiln/columns",
	"get-trial":      "GET /studies/kiln/trials/1",
	"get-why":        "GET /studies/kiln/trials/1/why",
	"get-neighbours": "GET /studies/kiln/trials/1/neighbours?count=3",
	"get-best":       "GET /studies/kiln/best",
	"ask":            `POST /studies/kiln/ask {"worker":"w","count":2}`,
	"heartbeat":      `POST /studies/kiln/trials/5/heartbeat {"worker":"w"}`,
	"report":         `POST /studies/epochs/trials/1/report {"step":2,"value":1}`,
	"tell":           `POST /studies/kiln/trials/5/tell {"value":1,"cost":1}`,
	"cost":           `POST /studies/cluster/trials/1/cost {"worker":"w","cost":1}`,
	"fail":           `POST /studies/kiln/trials/5/fail {"cost":1,"exit":{"code":3}}`,
	"get-queue":      "GET /studies/kiln/queue",
	"enqueue":        `POST /studies/kiln/queue {"setting":{"x":0.25,"n":3,"glaze":"ash"}}`,
	"dequeue":        "POST /studies/kiln/queue/1/drop",
	"retry":          `POST /studies/kiln/retry {"trials":[1]}`,
	"stop-trial":     "POST /studies/kiln/trials/5/stop",
	"forget":         `POST /studies/kiln/forget {"trials":[1]}`,
	"correct":        `POST /studies/kiln/trials/1/correct {"value":2}`,
	"import-results": `POST /studies/kiln/results {"results":[{"setting":{"x":0.1,"n":1,"glaze":"tin"},"value":3}]}`,
	"import-file":    `POST /studies/kiln/import {"file":"x,n,glaze,value\n0.5,3,ash,1.5\n"}`,
	"pause-study":    "POST /studies/kiln/pause",
	"resume-study":   "POST /studies/epochs/resume",
	"archive-study":  "POST /studies/idle/archive",
	"label-study":    `POST /studies/kiln/labels {"tags":["a"],"notes":"*b*"}`,
	"copy-study":     `POST /studies/kiln/copy {"name":"copied","results":true}`,
	"rename-study":   `POST /studies/idle/rename {"name":"renamed"}`,
	"delete-study":   `POST /studies/idle/delete {"confirm":"idle"}`,
	"get-insight":    "GET /studies/kiln/insight",
	"get-slice":      "GET /studies/kiln/slice?parameter=x",
	"get-heat":       "GET /studies/kiln/heat?a=x&b=n&n=3",
	"get-rest":       "GET /studies/kiln/rest",
	"set-stop":       `POST /studies/kiln/stop {"stop":"never"}`,
	"export":         "GET /studies/kiln/export?format=csv",
	"get-log":        "GET /studies/kiln/log",
	"listen":         "GET /studies/kiln/events",
	"get-me":         "GET /me",
	"list-tokens":    "GET /tokens",
	"create-token":   `POST /tokens {"role":"admin"}`,
	"revoke-token":   "POST /tokens/TOKEN/revoke",
	"list-files":     "GET /studies/kiln/trials/5/files",
	"upload":         `POST /studies/kiln/trials/5/files/stdout {"worker":"w","offset":0,"data":"aGVsbG8K"}`,
	"read-output":    "GET /studies/kiln/trials/5/files/stdout/text?last=3",
	"get-file":       "GET /studies/kiln/trials/5/files/stdout",
	"get-report":     "GET /studies/kiln/report",
	"health":         "GET /healthz",
	"ready":          "GET /readyz",
}

// fuzzed is a server on a store in memory with some trials, and a check of all it says.
type fuzzed struct{ server *server.Server }

func newFuzzed(t testing.TB) fuzzed {
	st := store.Memory()
	s := server.New(server.Config{Store: st, Rate: 1e9, Studies: 50})
	t.Cleanup(func() { s.Close(); st.Close() })
	f := fuzzed{s}
	f.send(t, "POST", "/api/v1/studies", "application/yaml", kiln, "", "")
	f.send(t, "POST", "/api/v1/studies/kiln/ask", "application/json", `{"worker":"w","count":6}`, "", "")
	for n := 1; n < 5; n++ {
		f.send(t, "POST", fmt.Sprintf("/api/v1/studies/kiln/trials/%d/tell", n), "application/json", fmt.Sprintf(`{"value":%d,"cost":1}`, n), "", "")
	}
	return f
}

// leaver is a client that leaves when it has got something: a stream of events ends when its client does. Other answers come as a whole.
type leaver struct {
	*httptest.ResponseRecorder
	leave func()
}

func (l *leaver) Flush() {
	l.ResponseRecorder.Flush()
	l.leave()
}

// send sends anything at all, and looks whether the answer is one that may be given. It returns its status.
func (f fuzzed) send(t testing.TB, method, path, contentType, body, key, header string) int {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return http.StatusBadRequest // a real server refuses these before we see them
	}
	ctx, leave := context.WithTimeout(r.Context(), 5*time.Minute)
	defer leave()
	r = r.WithContext(ctx)
	r.Method, r.URL, r.RequestURI, r.Host = method, u, path, "localhost"
	for name, value := range map[string]string{"Content-Type": contentType, "Idempotency-Key": key, "Authorization": header, "Last-Event-ID": key, "Accept": header} {
		if value != "" {
			r.Header[name] = []string{value}
		}
	}
	w := httptest.NewRecorder()
	f.server.ServeHTTP(&leaver{w, leave}, r)
	answer := w.Body.String()
	where := fmt.Sprintf("%s %.200q %q %.300q: %d %.500s", method, path, contentType, body, w.Code, answer)
	switch kind := w.Header().Get("Content-Type"); {
	case w.Code >= 500:
		t.Errorf("%s", where)
	case w.Code >= 400 && kind != "application/problem+json":
		t.Errorf("no problem document: %s", where)
	}
	for _, internal := range []string{"goroutine ", ".go:", "runtime error", "panic", "json: ", "Go value", "Go struct", "sql", "/root/", "/tmp/", "reflect"} {
		if w.Code >= 400 && strings.Contains(answer, internal) && !strings.Contains(body+path, internal) {
			t.Errorf("%q is told: %s", internal, where)
		}
	}
	if !utf8.ValidString(answer) {
		t.Errorf("no text: %s", where)
	}
	return w.Code
}

// described returns the operations of the description, by their names.
func described(t testing.TB) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			list[op.OperationID] = strings.ToUpper(method) + " " + path
		}
	}
	return list
}

// Every operation of the description is one that the fuzzer carries out, and that it then carries out with parts of its body missing or
// exchanged. An operation that nobody lists here fails.
func TestEveryOperationIsCarriedOut(t *testing.T) {
	rng, n := rand.New(rand.NewPCG(3, 4)), 0
	all := described(t)
	for _, id := range slices.Sorted(maps.Keys(all)) { // so that each gets the same in every run
		request, listed := carriedOut[id]
		if !listed {
			t.Errorf("the fuzzer does not know how to carry out %s, %s", id, all[id])
			continue
		}
		method, rest, _ := strings.Cut(request, " ")
		path, body, _ := strings.Cut(rest, " ")
		if id != "health" && id != "ready" {
			path = "/api/v1" + path
		}
		f, token := newBusy(t), ""
		if id == "revoke-token" {
			token, path = f.admin(t)
		}
		if status := f.send(t, method, path, "application/json", body, "key", token); status >= 300 {
			t.Errorf("%s: %d", request, status)
		}
		for range 20 { // and what is almost right, each time on what the last one has left
			other := garbage[rng.IntN(len(garbage))]
			broken := body[:rng.IntN(len(body)+1)] + other[rng.IntN(len(other)+1):]
			if body != "" && rng.IntN(2) == 0 {
				broken = strings.Replace(body, ":", ":"+other+",", 1)
			}
			f.send(t, method, path, "application/json", broken, "", token)
			f.send(t, method, path, "application/json", body, "", token)
			n += 2
		}
	}
	for id := range carriedOut {
		if all[id] == "" {
			t.Errorf("there is no operation %s", id)
		}
	}
	t.Logf("%d requests", n)
}

// busy are requests that add studies of all kinds, a queue and a file to a study with six trials.
var busy = []string{
	"studies " + epochs, `studies {"yaml":` + strconv.Quote(named("idle")) + `}`,
	`studies {"yaml":"name: cluster\nobjective: {goal: minimize}\ncost: {source: slurm, unit: core-hours}\nengine: {type: slurm}\nbudget: {total: 10}\nparameters: {x: {type: float, min: 0, max: 1}}\ncommand: [\"true\"]\npolicy: {name: random}\n"}`,
	`studies/epochs/ask {"worker":"w"}`, `studies/cluster/ask {"worker":"w"}`, `studies/cluster/trials/1/tell {"value":1,"cost":1}`,
	`studies/kiln/queue {"setting":{"x":0.5,"n":3,"glaze":"ash"}}`, `studies/kiln/trials/5/files/stdout {"worker":"w","offset":0,"data":"aGVsbG8K"}`, "studies/epochs/pause ",
}

// newBusy is newFuzzed with studies of all kinds, a queue and a file.
func newBusy(t testing.TB) fuzzed {
	f := newFuzzed(t)
	for _, request := range busy {
		path, body, _ := strings.Cut(request, " ")
		if status := f.send(t, "POST", "/api/v1/"+path, "application/json", body, "", ""); status >= 300 {
			t.Fatalf("%s: %d", request, status)
		}
	}
	return f
}

// admin makes a token, and returns how to send it and the path by which it is revoked.
func (f fuzzed) admin(t testing.TB) (header, revoke string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://localhost/api/v1/tokens", strings.NewReader(`{"role":"admin"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	f.server.ServeHTTP(w, r)
	var made api.NewToken
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return "Bearer " + made.Secret, "/api/v1/tokens/" + made.ID + "/revoke"
}

// Every operation gets every piece of garbage.
func TestGarbage(t *testing.T) {
	f := newFuzzed(t)
	n := 0
	send := func(op, body, query, contentType, key, header string) {
		method, path, _ := strings.Cut(op, " ")
		for _, suffix := range harmful {
			if method == "POST" && strings.HasSuffix(path, suffix) {
				path = strings.Replace(strings.Replace(path, "STUDY", "none", 1), "/tokens", "/tokens/none/revoke", 1)
			}
		}
		path = strings.NewReplacer("STUDY", "kiln", "N", "5", "ID", "none", "FILE", "stdout").Replace(path)
		f.send(t, method, path+"?"+query, contentType, body, key, header)
		n++
	}
	for _, op := range operations() {
		for _, body := range garbage {
			send(op, body, "", "application/json", "", "")
			send(op, body, "", "application/yaml", "", "")
		}
		for _, query := range queries {
			send(op, "{}", query, "application/json", "", "")
		}
		for _, kind := range contentTypes {
			send(op, `{"worker":"w"}`, "", kind, "", "")
		}
		for _, key := range append(garbage[:17:17], "é", "a b", "k#1") {
			send(op, `{"worker":"w"}`, "", "application/json", key, key)
		}
		for _, name := range []string{"none", "%00", "..", "%2e%2e%2f", "é", "%ff", strings.Repeat("a", 300), "kiln%20", "'; DROP TABLE events; --"} {
			method, path, _ := strings.Cut(op, " ")
			for _, number := range []string{"0", "-1", "x", "999", "1e3", "%00", "99999999999999999999", "0x1", "1/../2"} {
				f.send(t, method, strings.NewReplacer("STUDY", url.PathEscape(name), "N", number, "ID", url.PathEscape(name), "FILE", url.PathEscape(name)).Replace(path), "application/json", "{}", "", "")
				n++
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 { // and mixtures
		one, other := garbage[r.IntN(len(garbage))], garbage[r.IntN(len(garbage))]
		if len(one) > 1000 || len(other) > 1000 {
			continue
		}
		body := one[:r.IntN(len(one)+1)] + other[r.IntN(len(other)+1):]
		send(operations()[r.IntN(len(operations()))], body, queries[r.IntN(len(queries))], contentTypes[r.IntN(len(contentTypes))], "", "")
	}
	for _, body := range garbage { // last, since a token closes the server to all who have none
		f.send(t, "POST", "/api/v1/tokens", "application/json", body, "", "")
		n++
	}
	t.Logf("%d requests", n)
}

// FuzzServer throws anything at the server: go test -fuzz FuzzServer ./server.
func FuzzServer(f *testing.F) {
	for i, op := range operations() {
		method, path, _ := strings.Cut(op, " ")
		f.Add(method, strings.NewReplacer("STUDY", "kiln", "N", "5", "ID", "none", "FILE", "stdout").Replace(path)+"?"+queries[i%len(queries)], contentTypes[i%2], garbage[(7*i)%len(garbage)], "key", "Bearer x")
	}
	target := newFuzzed(f)
	f.Fuzz(func(t *testing.T, method, path, contentType, body, key, header string) {
		target.send(t, method, path, contentType, body, key, header)
	})
}
