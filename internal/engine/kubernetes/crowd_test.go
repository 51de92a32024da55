package kubernetes

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/runner/runnertest"
	"github.com/eke-bo/eke/study"
)

// counted puts a proxy before the API server that the test's kubeconfig names, and returns how often it was asked what.
func (p *plane) counted(t *testing.T) func() map[string]int {
	t.Helper()
	file := os.Getenv("KUBECONFIG")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(p.admin.server)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	requests := map[string]int{}
	proxy := &httputil.ReverseProxy{Transport: p.admin.transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(server)
		mu.Lock()
		defer mu.Unlock()
		requests[verbOf(r.In)]++
	}}
	front := httptest.NewServer(proxy)
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	write(t, filepath.Dir(file), map[string]string{"kubeconfig": strings.ReplaceAll(string(raw), p.admin.server, front.URL)})
	return func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(requests)
	}
}

// verbOf says what is asked, in the words of roles.
func verbOf(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	at := slices.Index(parts, "namespaces") + 2
	if at < 2 || at >= len(parts) {
		return r.Method + " " + parts[len(parts)-1]
	}
	verb := map[string]string{"GET": "get", "POST": "create", "PATCH": "patch", "DELETE": "delete"}[r.Method]
	resource := parts[at]
	switch {
	case r.URL.Query().Get("watch") == "true":
		verb = "watch"
	case r.Method == http.MethodGet && len(parts) == at+1:
		verb = "list"
	case len(parts) == at+3:
		resource += "/" + parts[at+2]
	case r.URL.Query().Get("dryRun") != "":
		verb = "try"
	}
	return verb + " " + resource
}

// Many trials at once: however many there are, the API server is asked for one list and one watch of Jobs and of pods; every Job is created
// once, and every log is read once. $EKE_TEST_KUBERNETES_CROWD has how many trials, how many at once, and the seconds that
// each takes: "500 50 40".
func TestRealCrowd(t *testing.T) {
	p := needPlane(t)
	trials, parallel, seconds := 40, 20, 10
	if text := os.Getenv("EKE_TEST_KUBERNETES_CROWD"); text != "" {
		if _, err := fmt.Sscan(text, &trials, &parallel, &seconds); err != nil {
			t.Fatal(err)
		}
	}
	k := &site{namespace: p.space(t, plain), nodes: p.folders()}
	asked := p.counted(t)
	k.Site = runnertest.New(t, "crowd", fmt.Sprintf(`
objective: {goal: minimize}
cost: {source: kubernetes, unit: EUR, prices: {cpu-hour: 3600}}
budget: {total: 1000000, trials: %d}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'sleep $((%d + EKE_TRIAL %% 4)); echo "{{\"objective\": $EKE_PARAM_X}}"; echo "$EKE_TRIAL $EKE_PARAM_X" >> reported']
parallel: %d
policy: {name: random}
stop: never
engine: {type: kubernetes, image: a, resources: {cpu: 2}, time: 10m}
`, trials, seconds, parallel))
	begin := time.Now()
	k.Start()
	k.End()
	took, n := time.Since(begin), asked()
	r := k.audit()
	for _, trial := range r.Trials {
		if trial.State != study.Done || trial.Estimated {
			t.Errorf("%+v", trial)
		}
	}
	watches := 2 + int(took/(4*time.Minute)) // the server ends a watch after five minutes, and it is begun again
	if len(r.Trials) != trials || n["list jobs"] != 1 || n["list pods"] != 1 || n["watch jobs"] > watches || n["watch pods"] > watches || n["create jobs"] != trials || n["get pods/log"] != trials {
		t.Errorf("%d trials: %v", len(r.Trials), n)
	}
	_, events := k.Events()
	t.Logf("%d trials in %v, %d at once: the controller used %.1f%% of a core, and asked %v", len(r.Trials), took.Round(time.Second), runnertest.MostOpen(events), 100*k.Used()[0]/took.Seconds(), n)
}
