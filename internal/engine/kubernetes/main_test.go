package kubernetes

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/enginetest"
	"github.com/eke-bo/eke/internal/runner/runnertest"
	"github.com/eke-bo/eke/study"
)

const (
	templateVariable = "EKE_TEST_POD"
	nodeVerb         = "the-node-in" // the word by which the test's program plays the agent of a node
)

func TestMain(m *testing.M) {
	enginetest.Main(open)
	runnertest.Main(func(s *study.Study) (engine.Engine, error) {
		e := New(s)
		e.Template, e.Doubt = os.Getenv(templateVariable), 10*time.Second
		return e, nil
	})
	if len(os.Args) == 4 && os.Args[1] == nodeVerb {
		where, err := reach("")
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		newAgent(newClient(where), os.Args[3], os.Args[2]).run(context.Background())
	}
	os.Exit(m.Run())
}

// open is an engine of the cluster that the kubeconfig names.
func open() engine.Engine {
	return &Engine{Template: os.Getenv(templateVariable), Doubt: 2 * time.Second}
}

// plain is a pod without anything special.
const plain = "spec:\n  containers:\n  - name: trial\n    image: busybox\n"

// write writes files into a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// pretend starts a fake API server and a node's agent, and has the test's kubeconfig name them.
func pretend(t *testing.T, template string) *fake {
	t.Helper()
	dir := t.TempDir()
	f := newFake()
	write(t, dir, map[string]string{"pod.yaml": template,
		"kubeconfig": fmt.Sprintf("current-context: fake\ncontexts: [{name: fake, context: {cluster: fake, user: fake}}]\nclusters: [{name: fake, cluster: {server: %q}}]\nusers: [{name: fake, user: {token: controller}}]\n", f.URL)})
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	t.Setenv(templateVariable, filepath.Join(dir, "pod.yaml"))
	where, err := reach("")
	if err != nil {
		t.Fatal(err)
	}
	where.credentials.token = "agent"
	f.node = newAgent(newClient(where), "one", t.TempDir())
	f.logs = func(w http.ResponseWriter, r *http.Request, pod object) {
		f.node.serveLog(w, r, pod, r.URL.Query().Get("container"))
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		f.node.run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-over
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			f.node.shims.Wait() // they write into the folder
		}()
		for waiting := true; waiting; {
			for _, x := range runsOf(f.node.dir) {
				if x.end.IsZero() {
					_ = syscall.Kill(-x.pid, syscall.SIGKILL)
				}
			}
			select {
			case <-ended:
				waiting = false
			case <-time.After(10 * time.Millisecond): // one that has just begun has no process yet
			}
		}
		f.set(func() { f.down = true }) // whoever watches would come back
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// The whole suite, against the fake API server.
func TestEngine(t *testing.T) {
	pretend(t, plain)
	t.Run("suite", func(t *testing.T) {
		enginetest.Run(t, enginetest.Config{Open: open, Limit: 12 * time.Second, Image: true, Late: true})
	})
}
