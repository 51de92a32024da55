package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// TestWorkerKilled kills a worker again and again, some of its children with it, and looks whether a result was lost or paid
// twice: every result that a command reported, and every outcome that was seen in the journal, is in the store, once.
func TestWorkerKilled(t *testing.T) {
	const kills, lease = 10, 2 * time.Second
	k := &killed{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(3, 4)), cost: study.Reported}
	db, err := sqlite.Open(t.Context(), filepath.Join(k.dir, "eke.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := server.New(server.Config{Store: db, Lease: lease, Rate: 1e6})
	defer s.Close()
	h := httptest.NewServer(slowly(s))
	defer h.Close()
	url := h.URL
	k.createAt(url)

	worker := func() *exec.Cmd {
		return k.eke("worker", "--server", url, "--study", "killed", "--parallel", "3")
	}
	seen, n := map[string]journaled{}, 0
	for ; n < kills || n < 100*kills && (!k.abandoned() || ended(seen) == 0); n++ {
		w := worker()
		out := &said{}
		w.Stdout, w.Stderr = out, out
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 { // a busy machine takes long to begin
			out.await(t, underWay, nil)
		}
		time.Sleep(time.Duration(60+k.rng.IntN(250)) * time.Millisecond)
		var children []int
		if k.rng.IntN(2) == 0 {
			children = k.children()
		}
		_ = w.Process.Kill()
		for _, pid := range children {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = w.Wait()
		if w.ProcessState.Exited() {
			t.Fatalf("the worker ended by itself: %s\n%s", w.ProcessState, out.String())
		}
		k.readJournals(seen)
	}
	k.lastWorker(worker())
	for end := time.Now().Add(hangs); k.open(db) && time.Now().Before(end); { // those whose worker was killed are given up
		time.Sleep(100 * time.Millisecond)
	}
	if left, _ := filepath.Glob(filepath.Join(k.dir, "eke.worker", "killed", "run-*", "[jr]*", "*.json")); len(left) > 0 {
		for _, f := range left {
			line, _ := os.ReadFile(f)
			t.Errorf("left in the journal, or refused: %s: %s", f, line)
		}
	}
	workspaces, _ := filepath.Glob(filepath.Join(k.dir, "eke.worker", "killed", "run-*"))
	if len(workspaces) != 1 {
		t.Errorf("one worker at a time had %d workspaces", len(workspaces))
	}
	k.areTold(db, seen)
	k.audit(n)
}

// slowly takes its time for what is told, before it does something about it or after, so that workers die meanwhile.
func slowly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/tell") {
			next.ServeHTTP(w, r)
			return
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		next.ServeHTTP(w, r)
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
	})
}

// journaled is a line that a worker which died has left in its journal.
type journaled struct {
	Key     string `json:"key"`
	Trial   int    `json:"trial"`
	Outcome *struct {
		State study.State `json:"state"`
		Value float64     `json:"value"`
	} `json:"outcome"`
}

// ended is how many of them died while they told a result.
func ended(lines map[string]journaled) (n int) {
	for _, line := range lines {
		if line.Outcome != nil {
			n++
		}
	}
	return n
}

func (k *killed) readJournals(into map[string]journaled) {
	files, _ := filepath.Glob(filepath.Join(k.dir, "eke.worker", "killed", "run-*", "journal", "*.json"))
	for _, f := range files {
		raw, err := os.ReadFile(f)
		var line journaled
		if err == nil {
			err = json.Unmarshal(raw, &line)
		}
		if err != nil {
			k.t.Fatalf("%s: %v", f, err)
		}
		into[line.Key] = line
	}
}

// open says whether a trial is under way.
func (k *killed) open(db *sqlite.Store) bool {
	r, _, err := store.Load(context.Background(), db, "killed")
	if err != nil {
		k.t.Fatal(err)
	}
	return len(r.Open()) > 0
}

// areTold checks that what was in the journals is in the store: each result once, by its own key.
func (k *killed) areTold(db *sqlite.Store, lines map[string]journaled) {
	r, _, err := store.Load(context.Background(), db, "killed")
	if err != nil {
		k.t.Fatal(err)
	}
	asked, ran := 0, 0
	for _, line := range lines {
		switch {
		case line.Trial == 0:
			asked++
			continue
		case line.Outcome == nil:
			ran++
			continue
		}
		got := r.Trials[line.Trial-1]
		if line.Outcome.State == study.Abandoned && got.State == study.Abandoned {
			continue // the server gave the lease up first, and knows as much
		}
		key, _, _ := strings.Cut(got.FinishKey, " ") // a digest of the request follows
		if got.State != line.Outcome.State || got.Value != line.Outcome.Value || key != line.Key {
			k.t.Errorf("the journal had %+v of trial %d, the store has %+v", line.Outcome, line.Trial, got)
		}
	}
	if ended(lines) == 0 {
		k.t.Error("no worker died while it told a result")
	}
	k.t.Logf("left in journals: %d asked for, %d running, %d ended", asked, ran, ended(lines))
}

// lastWorker lets one take up all that the others have left, and go on with trials of its own, and ends it in order.
func (k *killed) lastWorker(w *exec.Cmd) {
	out := &said{}
	w.Stdout, w.Stderr = out, out
	if err := w.Start(); err != nil {
		k.t.Fatal(err)
	}
	out.await(k.t, regexp.MustCompile(`(?s)(started.*){10} done `), nil)
	_ = w.Process.Signal(os.Interrupt)
	_ = w.Wait()
	if code := w.ProcessState.ExitCode(); code != fault.ExitInterrupted {
		k.t.Fatalf("the last worker ended with %d\n%s", code, out.String())
	}
}

// createAt creates the study on a server.
func (k *killed) createAt(url string) {
	file := fmt.Sprintf("name: killed\nobjective: {goal: minimize}\ncost: {source: reported}\nbudget: {total: 1000, per_trial: 1}\n"+
		"parameters:\n  x: {type: float, min: 0, max: 1}\npolicy: {name: random}\ncommand: [sh, -c, %q]\n",
		strings.NewReplacer("{", "{{", "}", "}}").Replace(reporter))
	r, err := http.Post(url+"/api/v1/studies", "application/yaml", strings.NewReader(file))
	if err != nil {
		k.t.Fatal(err)
	}
	defer r.Body.Close()
	if raw, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusCreated {
		k.t.Fatalf("%s: %s", r.Status, raw)
	}
}
