package gen_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
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

var update = flag.Bool("update", false, "write the files anew")

const root = "../../.."

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

// openAPI returns what a server says of itself.
func openAPI(t *testing.T) []byte {
	t.Helper()
	resp, err := http.Get(serve(t) + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func parse(t *testing.T, raw []byte) (d document) {
	t.Helper()
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// The files are what follows from the document, and the document is the server's.
func TestFilesAreUpToDate(t *testing.T) {
	raw := openAPI(t)
	d := parse(t, raw)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"internal/api/openapi.json": pretty.String(),
		"docs/API.md":               markdown(d),
		"internal/server/dashboard/web/src/api/types.ts": typeScript(d),
		"clients/python/eke/_wire.py":                    python(d),
	} {
		file := filepath.Join(root, name)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what the server offers (%v); write it anew: go generate ./internal/api", name, err)
		}
	}
}

// The page leaves nothing out.
func TestEveryOperationIsInOneGroup(t *testing.T) {
	d := parse(t, openAPI(t))
	grouped := map[string]bool{}
	for _, g := range groups {
		for _, id := range g.operations {
			if _, path, _ := d.find(id); path == "" || grouped[id] {
				t.Errorf("%q has %s, which does not exist, or is in another group too", g.title, id)
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
