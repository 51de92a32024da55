package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/eke-bo/eke/internal/engine"
)

// agent is a node's agent for tests. It is not a kubelet: it runs the commands of pods as processes of this machine, without images,
// and reports their status as a kubelet does. Where a command would see a mounted folder it sees one of this machine, by its variables.
type agent struct {
	c    *client
	node string
	dir  string

	mu   sync.Mutex
	pods map[string]*running
}

type running struct {
	mu                sync.Mutex
	cmd               *exec.Cmd
	started           time.Time
	stopped, exceeded bool
	log               string
	kill              *time.Timer
}

func newAgent(c *client, node, dir string) *agent {
	return &agent{c: c, node: node, dir: dir, pods: map[string]*running{}}
}

// run serves until ctx ends. All that it runs ends then.
func (a *agent) run(ctx context.Context) {
	_ = a.c.do(ctx, request{method: "POST", path: "/api/v1/nodes", contentType: "application/json", body: object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": a.node, "labels": object{"pool": "spot"}}}}, nil)
	for ctx.Err() == nil {
		var list struct{ Items []object }
		if a.c.do(ctx, request{method: "GET", path: "/api/v1/namespaces/default/pods", query: url.Values{"fieldSelector": {"spec.nodeName=" + a.node}}}, &list) == nil {
			for _, p := range list.Items {
				a.see(ctx, p)
			}
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.pods {
		if r.cmd != nil {
			_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
		}
	}
}

func (a *agent) see(ctx context.Context, p object) {
	uid, phase := text(p, "metadata", "uid"), text(p, "status", "phase")
	a.mu.Lock()
	r := a.pods[uid]
	isNew := r == nil && phase == "Pending"
	if isNew {
		r = &running{log: filepath.Join(a.dir, uid+".log")}
		a.pods[uid] = r
	}
	a.mu.Unlock()
	switch {
	case isNew:
		a.start(ctx, p, r)
	case r == nil || phase != "Running":
		if at(p, "metadata", "deletionTimestamp") != nil && phase != "Running" {
			a.drop(ctx, p)
		}
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if seconds, ok := at(p, "spec", "activeDeadlineSeconds").(float64); ok && !r.started.IsZero() && !r.stopped {
		if time.Now().After(r.started.Add(time.Duration(seconds) * time.Second)) {
			r.exceeded = true
			r.stop(p)
		}
	}
	if at(p, "metadata", "deletionTimestamp") != nil && !r.stopped {
		r.stop(p)
	}
}

// stop asks a pod's processes to end, and kills them after the grace.
func (r *running) stop(p object) {
	r.stopped = true
	if r.cmd == nil {
		return
	}
	pid := r.cmd.Process.Pid
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	grace, _ := at(p, "spec", "terminationGracePeriodSeconds").(float64)
	r.kill = time.AfterFunc(time.Duration(grace)*time.Second, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
}

func (a *agent) report(ctx context.Context, p object, status object) {
	path := "/api/v1/namespaces/default/pods/" + text(p, "metadata", "name") + "/status"
	_ = a.c.do(ctx, request{method: "PATCH", path: path, contentType: mergePatch, body: object{"status": status}}, nil)
}

func (a *agent) drop(ctx context.Context, p object) {
	_ = a.c.do(ctx, request{method: "DELETE", path: "/api/v1/namespaces/default/pods/" + text(p, "metadata", "name"), contentType: "application/json", body: object{"gracePeriodSeconds": 0}}, nil)
}

func (a *agent) start(ctx context.Context, p object, r *running) {
	c := at(p, "spec", "containers").([]any)[0].(object)
	name := text(c, "name")
	if image := text(c, "image"); strings.HasPrefix(image, "missing") {
		a.report(ctx, p, object{"startTime": now(), "containerStatuses": []any{object{"name": name, "state": object{"waiting": object{
			"reason": "ImagePullBackOff", "message": fmt.Sprintf("Back-off pulling image %q: not found", image)}}}}})
		return
	}
	home := filepath.Join(a.dir, text(p, "metadata", "uid"))
	places := []string{podResult, filepath.Join(home, "termination-log")}
	for _, m := range at(c, "volumeMounts").([]any) {
		to := filepath.Join(home, text(m, "name"), text(m, "subPath"))
		_ = os.MkdirAll(to, 0o700)
		places = append(places, text(m, "mountPath"), to)
		if text(m, "name") == paramsVolume {
			_ = os.WriteFile(filepath.Join(to, engine.ParamsFile), []byte(text(p, "metadata", "annotations", paramsNote)), 0o600)
		}
	}
	here := strings.NewReplacer(append(places, "$$(", "$(")...)
	var words []string
	for _, w := range at(c, "command").([]any) {
		words = append(words, here.Replace(w.(string)))
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for _, v := range at(c, "env").([]any) {
		cmd.Env = append(cmd.Env, text(v, "name")+"="+here.Replace(text(v, "value")))
	}
	cmd.Dir = text(c, "workingDir")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	file, err := os.Create(r.log)
	if err != nil {
		return
	}
	cmd.Stdout, cmd.Stderr = file, file
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		file.Close()
		a.report(ctx, p, object{"phase": "Failed", "startTime": now(), "containerStatuses": []any{object{"name": name, "state": object{"terminated": object{
			"exitCode": 128, "reason": "StartError", "message": err.Error(), "startedAt": "1970-01-01T00:00:00Z", "finishedAt": now()}}}}})
		return
	}
	r.mu.Lock()
	r.cmd, r.started = cmd, begun
	r.mu.Unlock()
	started := begun.UTC().Format(time.RFC3339)
	a.report(ctx, p, object{"phase": "Running", "startTime": started, "containerStatuses": []any{object{"name": name, "state": object{"running": object{"startedAt": started}}}}})
	go a.wait(ctx, p, r, file, name, started, filepath.Join(home, "termination-log"))
}

func (a *agent) wait(ctx context.Context, p object, r *running, file *os.File, name, started, message string) {
	err := r.cmd.Wait()
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) // with its first process a container ends
	file.Close()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if code = exit.ExitCode(); code < 0 {
			code = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
		}
	}
	words, _ := os.ReadFile(message)
	words = words[max(0, len(words)-4096):]
	r.mu.Lock()
	status := object{"phase": "Succeeded"}
	if code != 0 {
		status["phase"] = "Failed"
	}
	if r.exceeded {
		status["phase"], status["reason"], status["message"] = "Failed", "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
	}
	r.mu.Unlock()
	status["containerStatuses"] = []any{object{"name": name, "state": object{"terminated": object{
		"exitCode": code, "reason": map[bool]string{true: "Completed", false: "Error"}[code == 0], "message": string(words), "startedAt": started, "finishedAt": now()}}}}
	for range 600 { // the API server may be away
		if ctx.Err() != nil {
			return
		}
		path := "/api/v1/namespaces/default/pods/" + text(p, "metadata", "name") + "/status"
		err := a.c.do(ctx, request{method: "PATCH", path: path, contentType: mergePatch, body: object{"status": status}}, nil)
		if err == nil || codeOf(err) == http.StatusNotFound {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// serveLog is what a kubelet answers about a container's log.
func (a *agent) serveLog(w http.ResponseWriter, r *http.Request, uid string) {
	a.mu.Lock()
	run := a.pods[uid]
	a.mu.Unlock()
	if run == nil {
		http.Error(w, "the container is not known", http.StatusBadRequest)
		return
	}
	follow, sent := r.URL.Query().Get("follow") == "true", int64(0)
	for {
		run.mu.Lock()
		over := run.cmd == nil || run.cmd.ProcessState != nil
		run.mu.Unlock()
		raw, _ := os.ReadFile(run.log)
		_, _ = io.Copy(w, bytes.NewReader(raw[min(sent, int64(len(raw))):]))
		sent = int64(len(raw))
		w.(http.Flusher).Flush()
		if !follow || over || r.Context().Err() != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
