package python_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/recorded"
)

// What a program said with the client of e491636 to a server of that version, it can say with this client. The server answers as it was
// recorded: it knows no identities.
func TestServerOfE491636(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the Python client is not tested: there is no python3 on this machine")
	}
	was := recorded.Read(t, "../../testdata/e491636/python.jsonl")
	old := &recorded.Server{Exchanges: was}
	server := httptest.NewServer(old)
	defer server.Close()
	const hangs = 10 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	program := exec.CommandContext(ctx, python, "-W", "error", "../../testdata/e491636/conversation.py", server.URL)
	program.Env = append(os.Environ(), "PYTHONPATH=.", "PYTHONPYCACHEPREFIX="+filepath.Join(t.TempDir(), "pycache"))
	program.WaitDelay = 5 * time.Second
	if out, err := program.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	is, unknown := old.Requests()
	if len(unknown) > 0 {
		t.Errorf("the server of then was not asked for %q", unknown)
	}
	if got, want := endings(is), endings(was); got != want {
		t.Errorf("trials were ended %d times, not %d times", got, want)
	}
}

// endings counts the requests that end trials. One that is sent again has the same key.
func endings(list []recorded.Exchange) int {
	keys := map[string]bool{}
	for _, e := range list {
		if e.Ends() {
			keys[e.Path+" "+e.Key()] = true
		}
	}
	return len(keys)
}
