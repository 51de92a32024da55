package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/eke-bo/eke/internal/engine/enginetest"
	"github.com/eke-bo/eke/internal/runner/runnertest"
)

// plane is a real control plane (scripts/kubernetes), with two nodes of the test's agents.
type plane struct {
	dir   string
	admin *client
	mu    sync.Mutex
	nodes map[string]*exec.Cmd
}

var thePlane = sync.OnceValues(func() (*plane, error) {
	p := &plane{dir: os.Getenv("EKE_TEST_KUBERNETES"), nodes: map[string]*exec.Cmd{}}
	where, err := reach("")
	if err != nil {
		return nil, err
	}
	p.admin = newClient(where)
	for _, name := range []string{"one", "two"} {
		if err := p.startNode(name); err != nil {
			return nil, err
		}
	}
	return p, nil
})

// needPlane skips a test where there is no control plane.
func needPlane(t *testing.T) *plane {
	t.Helper()
	if os.Getenv("EKE_TEST_KUBERNETES") == "" {
		t.Skip("there is no control plane; run: scripts/kubernetes run go test ./internal/engine/kubernetes")
	}
	p, err := thePlane()
	if err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		var nodes struct {
			Items []struct {
				Status struct{ Conditions []condition }
			}
		}
		ready := 0
		if err = p.admin.do(t.Context(), request{method: "GET", path: "/api/v1/nodes"}, &nodes); err == nil {
			for _, n := range nodes.Items {
				if find(n.Status.Conditions, "Ready", "True") != nil {
					ready++
				}
			}
		}
		if ready == len(p.nodes) {
			return p
		}
		if time.Since(begin) > 2*time.Minute {
			t.Fatalf("%d nodes are ready, %v", ready, err)
		}
	}
}

func (p *plane) node(name string) string { return filepath.Join(p.dir, "nodes", name) }

func (p *plane) folders() (list []string) {
	for name := range p.nodes {
		list = append(list, p.node(name))
	}
	return list
}

// startNode starts the agent of a node, as a process of its own.
func (p *plane) startNode(name string) error {
	if err := os.MkdirAll(p.node(name), 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(p.dir, "log", "node-"+name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(os.Args[0], nodeVerb, p.node(name), name)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(p.dir, "kubeconfig"))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nodes[name] = cmd
	return nil
}

// killNode kills the agent of a node, and with down all that runs there.
func (p *plane) killNode(name string, down bool) {
	p.mu.Lock()
	cmd := p.nodes[name]
	p.mu.Unlock()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for _, x := range runsOf(p.node(name)) {
		if down && x.end.IsZero() {
			if raw, err := os.ReadFile(filepath.Join(x.dir, "shim")); err == nil {
				var shim int
				if _, err := fmt.Sscan(string(raw), &shim); err == nil {
					_ = syscall.Kill(shim, syscall.SIGKILL)
				}
			}
			_ = os.WriteFile(filepath.Join(x.dir, "killed"), nil, 0o600)
			_ = syscall.Kill(-x.pid, syscall.SIGKILL)
		}
	}
}

// daemon kills or starts a part of the control plane.
func (p *plane) daemon(t *testing.T, verb, name string) {
	t.Helper()
	if out, err := exec.Command("../../../scripts/kubernetes", verb, p.dir, name).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v: %s", verb, name, err, out)
	}
}

// answers waits for the API server.
func (p *plane) answers(t *testing.T) {
	t.Helper()
	for begin := time.Now(); p.admin.do(t.Context(), request{method: "GET", path: "/readyz"}, nil) != nil; time.Sleep(200 * time.Millisecond) {
		for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
			var pid int
			if raw, err := os.ReadFile(filepath.Join(p.dir, "pid", name)); err == nil {
				_, _ = fmt.Sscan(string(raw), &pid)
			}
			if pid > 0 && syscall.Kill(pid, 0) != nil { // on a busy machine it gives up when it starts
				p.daemon(t, "start", name)
			}
		}
		if time.Since(begin) > 20*time.Minute {
			raw, _ := os.ReadFile(filepath.Join(p.dir, "log", "kube-apiserver"))
			t.Fatalf("the API server does not come back:\n%s", raw[max(0, len(raw)-4000):])
		}
	}
}

// ask is a question of the administrator's that is to be answered.
func (p *plane) ask(t *testing.T, method, path string, body, out any) {
	t.Helper()
	var err error
	for range 50 { // an object may not be there yet, and the API server may be away
		if err = p.admin.do(t.Context(), request{method: method, path: path, body: body, contentType: map[bool]string{true: mergePatch, false: "application/json"}[method == "PATCH"]}, out); err == nil || codeOf(err) == http.StatusConflict {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("%s %s: %v", method, path, err)
}

// kinds are where objects of a manifest go.
var kinds = map[string]string{"ServiceAccount": "/api/v1/namespaces/%s/serviceaccounts", "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles", "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings"}

// space is a namespace of the test's own, with the rights of deploy/kubernetes/role.yaml. The test's kubeconfig has no others.
func (p *plane) space(t *testing.T, template string) (namespace string) {
	t.Helper()
	namespace = fmt.Sprintf("%s-%d", strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-"), spaces.Add(1))
	p.ask(t, "POST", "/api/v1/namespaces", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": namespace}}, nil)
	t.Cleanup(func() {
		_ = p.admin.do(context.Background(), request{method: "DELETE", path: "/api/v1/namespaces/" + namespace}, nil)
	})
	raw, err := os.ReadFile("../../../deploy/kubernetes/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for docs := yaml.NewDecoder(bytes.NewReader(raw)); ; {
		var o object
		if err := docs.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, subject := range asList(o["subjects"]) {
			subject.(object)["namespace"] = namespace
		}
		p.ask(t, "POST", fmt.Sprintf(kinds[text(o, "kind")], namespace), o, nil)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"pod.yaml": template, "kubeconfig": p.kubeconfig(t, namespace, "eke-trials")})
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	t.Setenv(templateVariable, filepath.Join(dir, "pod.yaml"))
	return namespace
}

var spaces atomic.Int32 // one that is deleted stays for a while

func asList(o any) []any { l, _ := o.([]any); return l }

// kubeconfig is that of a service account.
func (p *plane) kubeconfig(t *testing.T, namespace, account string) string {
	t.Helper()
	var answer object
	p.ask(t, "POST", "/api/v1/namespaces/"+namespace+"/serviceaccounts/"+account+"/token", object{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": object{"expirationSeconds": 86400}}, &answer)
	return fmt.Sprintf("current-context: it\ncontexts: [{name: it, context: {cluster: it, user: it, namespace: %s}}]\nclusters: [{name: it, cluster: {server: %q, certificate-authority: %s}}]\nusers: [{name: it, user: {token: %s}}]\n",
		namespace, p.admin.server, filepath.Join(p.dir, "cert.pem"), text(answer, "status", "token"))
}

// The whole suite, on a real control plane, with no rights but those of deploy/kubernetes/role.yaml.
func TestRealEngine(t *testing.T) {
	needPlane(t).space(t, plain)
	t.Run("suite", func(t *testing.T) {
		enginetest.Run(t, enginetest.Config{Open: open, Limit: 12 * time.Second, Image: true, Late: true})
	})
}

// attack kills or disturbs a part of the cluster, and starts it again, as an administrator would.
func (p *plane) attack(k *site, what string, rng *rand.Rand) (ok bool) {
	k.Helper()
	moment := func() { time.Sleep(time.Duration(rng.IntN(2000)) * time.Millisecond) }
	switch what {
	case "controller":
		k.Kill()
		k.Start()
	case "kube-apiserver", "kube-controller-manager", "kube-scheduler":
		p.daemon(k.T, "kill", what)
		moment()
		p.daemon(k.T, "start", what)
		p.answers(k.T)
	case "agent", "node":
		name := []string{"one", "two"}[rng.IntN(2)]
		p.killNode(name, what == "node")
		moment()
		if err := p.startNode(name); err != nil {
			k.Fatal(err)
		}
	case "pod", "eviction", "pressure", "deletion":
		x, found := k.running(rng)
		if !found {
			return false
		}
		path, uid := podPath(x.pod), text(x.pod, "metadata", "uid")
		switch what {
		case "pod":
			return syscall.Kill(x.pid, syscall.SIGKILL) == nil
		case "pressure":
			return os.WriteFile(filepath.Join(filepath.Dir(x.dir), "evict"), nil, 0o600) == nil
		case "eviction":
			return p.admin.do(k.Context(), request{method: "POST", path: path + "/eviction", contentType: "application/json", body: object{"apiVersion": "policy/v1", "kind": "Eviction",
				"metadata": object{"name": text(x.pod, "metadata", "name"), "namespace": k.namespace}, "deleteOptions": object{"preconditions": object{"uid": uid}}}}, nil) == nil
		case "deletion":
			return p.admin.do(k.Context(), request{method: "DELETE", path: path, contentType: "application/json", body: object{"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": object{"uid": uid}}}, nil) == nil
		}
	case "duplicate":
		manifests, _ := filepath.Glob(filepath.Join(k.Dir, "trials", "*", manifestFile))
		if len(manifests) == 0 {
			return false
		}
		last := manifests[max(0, len(manifests)-1-rng.IntN(4))]
		raw, err := os.ReadFile(last)
		if err != nil {
			return false
		}
		// A controller that was killed may have written it and not yet created the Job: then this is the first one, and the controller's the second.
		_, err = p.admin.createJob(k.Context(), k.namespace, rawJSON(raw), false)
		return err == nil || codeOf(err) == http.StatusConflict
	}
	return true
}

type rawJSON []byte

func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

// Whatever is killed, every pod that ran is charged once, by its own time; no result is lost, and no trial has two Jobs.
func TestRealKills(t *testing.T) {
	realKills(t, manyKills(20), false, "controller", "kube-apiserver", "agent", "pod", "kube-controller-manager", "kube-scheduler")
}

// A node that goes down takes all that runs on it along. What it used until then is an estimate, and the trial says so.
func TestRealNodesDie(t *testing.T) {
	realKills(t, max(manyKills(20)/4, 8), true, "node", "controller", "node", "pod")
}

func realKills(t *testing.T, times int, nodesDie bool, kills ...string) {
	p := needPlane(t)
	k := &site{namespace: p.space(t, plain), nodes: p.folders(), nodesDie: nodesDie}
	k.Site = runnertest.New(t, "kills", strings.Replace(killsStudy, "$((1 +", "$((4 +", 1)) // of which a restart of a node is a small part
	rng, done := rand.New(rand.NewPCG(1, uint64(times))), map[string]int{}
	begin := time.Now()
	k.Start()
	disturbances := []string{"eviction", "duplicate", "pressure", "duplicate", "eviction", "deletion"}
	for i := range times {
		k.pause(time.Duration(300+rng.IntN(2000))*time.Millisecond, done)
		what := kills[i%len(kills)]
		for !p.attack(k, what, rng) { // nothing runs at the moment
			k.pause(100*time.Millisecond, done)
		}
		if done[what]++; i%2 == 0 {
			if what = disturbances[i/2%len(disturbances)]; p.attack(k, what, rng) {
				done[what]++
			}
		}
	}
	k.Close()
	k.End()
	t.Logf("killed in %v: %v", time.Since(begin).Round(time.Second), done)
	k.audit()
}
