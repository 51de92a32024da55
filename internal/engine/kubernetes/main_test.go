package kubernetes

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/enginetest"
)

const templateVariable = "EKE_TEST_POD"

func TestMain(m *testing.M) {
	enginetest.Main(open)
	if len(os.Args) == 3 && os.Args[1] == controllerVerb {
		if err := control(os.Args[2]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// open is an engine of the cluster that the kubeconfig names.
func open() engine.Engine {
	return &Engine{Template: os.Getenv(templateVariable), Doubt: 2 * time.Second}
}

// plain is a pod without anything special.
const plain = "spec:\n  containers:\n  - name: trial\n    image: busybox\n"

// pretend starts a fake API server and a node's agent, and has the test's kubeconfig name them.
func pretend(t *testing.T, template string) *fake {
	t.Helper()
	dir := t.TempDir()
	f := newFake()
	config := fmt.Sprintf("current-context: fake\ncontexts: [{name: fake, context: {cluster: fake, user: fake}}]\nclusters: [{name: fake, cluster: {server: %q}}]\nusers: [{name: fake, user: {token: controller}}]\n", f.URL)
	for name, content := range map[string]string{"kubeconfig": config, "agent": config, "pod.yaml": template} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	t.Setenv(templateVariable, filepath.Join(dir, "pod.yaml"))
	where, err := reach("")
	if err != nil {
		t.Fatal(err)
	}
	where.credentials.token = "agent"
	a := newAgent(newClient(where), "one", t.TempDir())
	f.logs = func(w http.ResponseWriter, r *http.Request, pod object) {
		a.serveLog(w, r, text(pod, "metadata", "uid"))
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		a.run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-over
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// The whole suite, against the fake API server.
func TestEngine(t *testing.T) {
	pretend(t, plain)
	t.Run("suite", func(t *testing.T) {
		enginetest.Run(t, enginetest.Config{Open: open, Limit: 12 * time.Second, Image: true})
	})
}
