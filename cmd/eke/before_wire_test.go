package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/eke-bo/eke/internal/recorded"
)

// A worker and a run of today finish their work at a server of e491636, which knows no identities. It answers as it was recorded.
func TestServerOfE491636(t *testing.T) {
	for name, commands := range map[string][][]string{
		"worker": {{"study", "create", "kiln.yaml"}, {"worker", "--study", "kiln"}},
		"run":    {{"run", "curves.yaml"}, {"run", "oven.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &left{t: t, dir: t.TempDir()}
			for _, file := range []string{"kiln.yaml", "curves.yaml", "oven.yaml", "fire.sh", "train.sh"} {
				raw, err := os.ReadFile(filepath.Join("../../testdata/e491636", file))
				if err == nil {
					err = os.WriteFile(filepath.Join(l.dir, file), raw, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			was := recorded.Read(t, "../../testdata/e491636/"+name+".jsonl")
			old := &recorded.Server{Exchanges: was}
			server := httptest.NewServer(old)
			defer server.Close()
			for _, c := range commands {
				l.eke(append(c, "--server", server.URL)...)
			}
			is, unknown := old.Requests()
			if len(unknown) > 0 {
				t.Errorf("the server of then was not asked for %q", unknown)
			}
			if got, want := outcomes(t, is), outcomes(t, was); !reflect.DeepEqual(got, want) {
				t.Errorf("told\n%v, want\n%v", got, want)
			}
		})
	}
}

// outcomes are the bodies of the requests that ended trials, by their paths, without what is measured. Each trial is ended once.
func outcomes(t *testing.T, list []recorded.Exchange) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	keys := map[string]string{}
	for _, e := range list {
		if !e.Ends() {
			continue
		}
		var body map[string]any
		if err := json.NewDecoder(bytes.NewReader(e.Body())).Decode(&body); err != nil {
			t.Fatal(err)
		}
		if key, told := keys[e.Path]; told && key != e.Key() {
			t.Errorf("%s was told twice", e.Path)
		}
		keys[e.Path] = e.Key()
		delete(body, "wall")
		if e.Path[:len("/api/v1/studies/oven")] == "/api/v1/studies/oven" { // its cost is the time that it took
			delete(body, "cost")
		}
		found[e.Path] = body
	}
	return found
}
