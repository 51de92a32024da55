package apidoc_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
)

var update = flag.Bool("update", false, "write docs/API.md anew")

var page = filepath.Join("..", "..", "..", "docs", "API.md")

func serve(t *testing.T) (url string) {
	t.Helper()
	s := server.New(server.Config{Store: store.Memory()})
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close() // ends streams, for which h would wait
		h.Close()
	})
	return h.URL
}

// The page is what the server says of itself, and leaves nothing out.
func TestPageIsUpToDate(t *testing.T) {
	resp, err := http.Get(serve(t) + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var d document
	if err := json.NewDecoder(resp.Body).Decode(&d); err != nil {
		t.Fatal(err)
	}
	grouped := map[string]bool{}
	for _, g := range groups {
		for _, id := range g.operations {
			if _, path, _ := d.find(id); path == "" || grouped[id] {
				t.Errorf("%q has %s, which is nowhere else, or elsewhere, too", g.title, id)
			}
			grouped[id] = true
		}
	}
	for path, methods := range d.Paths {
		for method, o := range methods {
			if !grouped[o.OperationID] {
				t.Errorf("%s %s (%s) is in no group", method, path, o.OperationID)
			}
		}
	}
	want := render(d)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("docs/API.md is not what the server offers (%v); go test ./internal/server/apidoc -update", err)
	}
}

// The examples are run as they stand.
func TestExamplesWork(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	if text, _ := exec.Command("curl", "--help", "all").Output(); !strings.Contains(string(text), "--json") {
		t.Skip("this curl is older than --json")
	}
	script := "set -euo pipefail\n" + `call() { curl -sS --fail-with-body "$@"; echo; }` + "\n"
	if _, err := exec.LookPath("uuidgen"); err != nil {
		script += "uuidgen() { echo $RANDOM-$RANDOM-$RANDOM; }\n"
	}
	for _, g := range groups {
		script += g.example + "\n"
	}
	c := exec.CommandContext(t.Context(), "bash", "-c", script)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "EKE="+serve(t)+"/api/v1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"name":"kiln"`, `"total":120`, `"lease_seconds":60`, `"state":"failed"`, "event: change", `"status":"ok"`, "eke_asks_total", `"closed":true`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the examples' answers have no %s:\n%s", want, out)
		}
	}
}
