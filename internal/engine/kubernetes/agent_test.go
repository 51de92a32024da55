package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// agent is a node's agent for tests. It is not a kubelet, which would need a container runtime: it runs the commands of pods as processes
// of this machine, without images, limits or mounts, and speaks with the API server as a kubelet does. Where a command would see a mounted
// folder it sees one of this machine, by its arguments and variables.
//
// What it knows of its pods is in its folder. So commands go on when it is killed, and the next agent of that node finds them.
type agent struct {
	c    *client
	node string
	dir  string

	mu   sync.Mutex
	pods map[string]*tended

	shims sync.WaitGroup // of the containers that it has started
}

// tended is a pod that an agent sees to.
type tended struct {
	mu    sync.Mutex
	pod   object // as the API server has it
	gone  bool   // the API server has it no more
	began time.Time
	why   string // it is stopped: "deleted", "deadline" or "evicted"
	until time.Time
	told  bool // its processes were asked to end
}

func (t *tended) now() (object, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pod, t.gone
}

func newAgent(c *client, node, dir string) *agent {
	return &agent{c: c, node: node, dir: dir, pods: map[string]*tended{}}
}

// run serves until ctx ends. What it runs goes on.
func (a *agent) run(ctx context.Context) {
	logs := httptest.NewUnstartedServer(http.HandlerFunc(a.serveLogs))
	logs.StartTLS()
	defer logs.Close()
	address, _ := url.Parse(logs.URL)
	port, _ := strconv.Atoi(address.Port())
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		for ctx.Err() == nil {
			a.beat(ctx, port)
			pause(ctx, 3*time.Second)
		}
	})
	for ; ctx.Err() == nil; pause(ctx, 50*time.Millisecond) {
		var list struct {
			Metadata meta
			Items    []object
		}
		query := url.Values{"fieldSelector": {"spec.nodeName=" + a.node}}
		if a.c.do(ctx, request{method: "GET", path: "/api/v1/pods", query: query}, &list) != nil {
			continue
		}
		alive := map[string]bool{}
		for _, p := range list.Items {
			alive[text(p, "metadata", "uid")] = true
			a.see(ctx, &all, "MODIFIED", p)
		}
		a.mu.Lock()
		known := a.pods
		for uid, t := range known {
			if !alive[uid] {
				t.mu.Lock()
				t.gone = true
				t.mu.Unlock()
			}
		}
		a.mu.Unlock()
		query.Set("watch", "true")
		query.Set("resourceVersion", list.Metadata.ResourceVersion)
		body, err := a.c.open(ctx, request{method: "GET", path: "/api/v1/pods", query: query})
		if err != nil {
			continue
		}
		for lines := json.NewDecoder(body); ; {
			var change struct {
				Type   string
				Object object
			}
			if lines.Decode(&change) != nil || change.Type == "ERROR" {
				break
			}
			a.see(ctx, &all, change.Type, change.Object)
		}
		body.Close()
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// beat says that the node is there, and what it has.
func (a *agent) beat(ctx context.Context, port int) {
	_ = a.c.do(ctx, request{method: "POST", path: "/api/v1/nodes", contentType: "application/json", body: object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": a.node, "labels": object{"pool": "spot", "kubernetes.io/hostname": a.node}}}}, nil)
	has := object{"cpu": "256", "memory": "1Ti", "pods": "500", "nvidia.com/gpu": "8", "ephemeral-storage": "1Ti"}
	status := object{"capacity": has, "allocatable": has, "addresses": []any{object{"type": "InternalIP", "address": "127.0.0.1"}}, "daemonEndpoints": object{"kubeletEndpoint": object{"Port": port}},
		"conditions": []any{object{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "the test's agent is ready", "lastHeartbeatTime": now()}}}
	_ = a.c.do(ctx, request{method: "PATCH", path: "/api/v1/nodes/" + a.node + "/status", contentType: strategicPatch, body: object{"status": status}}, nil)
	const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
	spec := object{"holderIdentity": a.node, "leaseDurationSeconds": 40, "renewTime": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}
	if codeOf(a.c.do(ctx, request{method: "PATCH", path: leases + "/" + a.node, contentType: mergePatch, body: object{"spec": spec}}, nil)) == http.StatusNotFound {
		_ = a.c.do(ctx, request{method: "POST", path: leases, contentType: "application/json", body: object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": object{"name": a.node}, "spec": spec}}, nil)
	}
}

const strategicPatch = "application/strategic-merge-patch+json"

// see takes what the API server says of a pod.
func (a *agent) see(ctx context.Context, all *sync.WaitGroup, kind string, p object) {
	uid := text(p, "metadata", "uid")
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.pods[uid]
	if t == nil && kind == "DELETED" {
		return
	}
	if t == nil {
		t = &tended{pod: p}
		a.pods[uid] = t
		all.Go(func() { a.tend(ctx, t) })
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pod, t.gone = p, kind == "DELETED"
}

func (a *agent) home(p object) string {
	return filepath.Join(a.dir, "pods", text(p, "metadata", "uid"))
}

// tend sees a pod from its arrival on the node to its end. Every step may have been done by an earlier agent.
func (a *agent) tend(ctx context.Context, t *tended) {
	p, _ := t.now()
	home := a.home(p)
	if phase := text(p, "status", "phase"); phase == "Succeeded" || phase == "Failed" {
		a.bury(ctx, t)
		return
	}
	if t.began, _ = time.Parse(time.RFC3339, text(p, "status", "startTime")); t.began.IsZero() {
		t.began = time.Now()
	}
	_ = os.MkdirAll(home, 0o700)
	if raw, err := json.Marshal(p); err == nil {
		_ = os.WriteFile(filepath.Join(home, "pod.json"), raw, 0o600)
	}
	if waiting := a.image(p); waiting != nil {
		a.report(ctx, t, "Pending", waiting)
	} else {
		a.report(ctx, t, "Pending", nil)
		for _, c := range containersOf(p, "initContainers") {
			a.start(ctx, p, c)
			if text(c, "restartPolicy") == "Always" {
				continue
			}
			a.report(ctx, t, "Pending", nil)
			for !a.ended(p, c) && t.why == "" && ctx.Err() == nil {
				a.look(ctx, t)
			}
			if code, _ := a.exit(p, c); code != 0 {
				t.why = "init"
			}
		}
		for _, c := range containersOf(p, "containers") {
			if t.why == "" && ctx.Err() == nil {
				a.start(ctx, p, c)
			}
		}
		if t.why == "" {
			a.report(ctx, t, "Running", nil)
		}
	}
	mains := containersOf(p, "containers")
	for ctx.Err() == nil {
		if t.why != "" && !slices.ContainsFunc(mains, func(c object) bool { return a.begun(p, c) }) {
			break
		}
		if !slices.ContainsFunc(mains, func(c object) bool { return !a.ended(p, c) }) {
			break
		}
		a.look(ctx, t)
	}
	for _, c := range containersOf(p, "initContainers") { // sidecars end after all else
		for a.begun(p, c) && !a.ended(p, c) && ctx.Err() == nil {
			a.signal(p, c, syscall.SIGKILL)
			pause(ctx, 20*time.Millisecond)
		}
	}
	if ctx.Err() != nil {
		return
	}
	phase := "Succeeded"
	if t.why != "" {
		phase = "Failed"
	}
	for _, c := range mains {
		if code, ok := a.exit(p, c); !ok || code != 0 {
			phase = "Failed"
		} else if t.why == "deleted" {
			phase = "Succeeded"
		}
	}
	a.report(ctx, t, phase, a.image(p))
	a.bury(ctx, t)
}

// look waits a moment, and stops the pod if it is time.
func (a *agent) look(ctx context.Context, t *tended) {
	pause(ctx, 40*time.Millisecond)
	p, gone := t.now()
	grace, _ := at(p, "spec", "terminationGracePeriodSeconds").(float64)
	deadline, limited := at(p, "spec", "activeDeadlineSeconds").(float64)
	_, err := os.Stat(filepath.Join(a.home(p), "evict"))
	switch {
	case t.why == "" && (gone || at(p, "metadata", "deletionTimestamp") != nil):
		t.why = "deleted"
		if own, ok := at(p, "metadata", "deletionGracePeriodSeconds").(float64); ok {
			grace = own
		}
	case t.why == "" && limited && time.Since(t.began) > time.Duration(deadline)*time.Second:
		t.why = "deadline"
	case t.why == "" && err == nil:
		t.why = "evicted"
		grace = 0
	case t.why != "" && time.Now().After(t.until):
		a.signalAll(p, syscall.SIGKILL)
		return
	default:
		if t.why != "" && !t.told {
			t.told = a.signalAll(p, syscall.SIGTERM)
		}
		return
	}
	t.until = time.Now().Add(time.Duration(grace) * time.Second)
	t.told = a.signalAll(p, syscall.SIGTERM)
}

// bury waits until a pod that has ended is deleted, and tells the API server that it is no more.
func (a *agent) bury(ctx context.Context, t *tended) {
	for ; ctx.Err() == nil; pause(ctx, 100*time.Millisecond) {
		p, gone := t.now()
		if gone {
			return
		}
		if at(p, "metadata", "deletionTimestamp") == nil {
			continue
		}
		err := a.c.do(ctx, request{method: "DELETE", path: podPath(p), contentType: "application/json", body: object{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
			"preconditions": object{"uid": text(p, "metadata", "uid")}}}, nil)
		if code := codeOf(err); err == nil || code == http.StatusNotFound || code == http.StatusConflict {
			return
		}
	}
}

func podPath(p object) string {
	return podsPath(text(p, "metadata", "namespace")) + "/" + text(p, "metadata", "name")
}

// report tells the API server how a pod stands, until it has heard it.
func (a *agent) report(ctx context.Context, t *tended, phase string, waiting object) {
	p, _ := t.now()
	ready := map[bool]string{true: "True", false: "False"}[phase == "Running"]
	over := phase == "Succeeded" || phase == "Failed"
	conditions := []any{}
	for kind, status := range map[string]string{"PodReadyToStartContainers": map[bool]string{true: "False", false: "True"}[over], "Initialized": "True", "Ready": ready, "ContainersReady": ready} {
		conditions = append(conditions, object{"type": kind, "status": status, "lastTransitionTime": now()})
	}
	status := object{"phase": phase, "startTime": t.began.UTC().Format(time.RFC3339), "hostIP": "127.0.0.1"}
	switch {
	case !over:
	case t.why == "deadline":
		status["reason"], status["message"] = "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
	case t.why == "evicted":
		status["reason"], status["message"] = "Evicted", "The node was low on resource: memory."
		conditions = append(conditions, object{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet", "message": "The node was low on resource: memory.", "lastTransitionTime": now()})
	}
	status["conditions"] = conditions
	for kind, field := range map[string]string{"initContainers": "initContainerStatuses", "containers": "containerStatuses"} {
		var list []any
		for _, c := range containersOf(p, kind) {
			list = append(list, a.status(p, c, waiting))
		}
		if list != nil {
			status[field] = list
		}
	}
	for ; ctx.Err() == nil; pause(ctx, 100*time.Millisecond) {
		patch := object{"metadata": object{"uid": text(p, "metadata", "uid")}, "status": status}
		err := a.c.do(ctx, request{method: "PATCH", path: podPath(p) + "/status", contentType: strategicPatch, body: patch}, nil)
		if code := codeOf(err); err == nil || code == http.StatusNotFound || code == http.StatusConflict || code == http.StatusUnprocessableEntity {
			return
		}
	}
}

// status is that of a container.
func (a *agent) status(p, c, waiting object) object {
	s := object{"name": text(c, "name"), "image": text(c, "image"), "imageID": "", "ready": false, "restartCount": 0}
	started := a.time(p, c, "began").UTC().Format(time.RFC3339)
	code, known := a.exit(p, c)
	switch {
	case waiting != nil:
		s["state"] = object{"waiting": waiting}
	case !a.begun(p, c):
		s["state"] = object{"waiting": object{"reason": "ContainerCreating"}}
	case !a.ended(p, c):
		s["ready"], s["started"], s["state"] = true, true, object{"running": object{"startedAt": started}}
	case !known: // it went down with its node
		s["state"] = object{"terminated": object{"exitCode": 137, "reason": "ContainerStatusUnknown", "message": "The container could not be located when the pod was terminated", "startedAt": nil, "finishedAt": nil}}
	default:
		message, _ := os.ReadFile(a.file(p, c, "message"))
		reason := map[bool]string{true: "Completed", false: "Error"}[code == 0]
		if raw, err := os.ReadFile(a.file(p, c, "refused")); err == nil {
			reason, message, started = "StartError", raw, "1970-01-01T00:00:00Z"
		}
		s["state"] = object{"terminated": object{"exitCode": code, "reason": reason, "message": string(message[max(0, len(message)-4096):]), "startedAt": started,
			"finishedAt": a.time(p, c, "exit").UTC().Format(time.RFC3339)}}
	}
	return s
}

func containersOf(p object, kind string) (list []object) {
	all, _ := at(p, "spec", kind).([]any)
	for _, c := range all {
		list = append(list, c.(object))
	}
	return list
}

// image says why the images of a pod cannot be had; nil if they can.
func (a *agent) image(p object) object {
	for _, c := range slices.Concat(containersOf(p, "initContainers"), containersOf(p, "containers")) {
		if image := text(c, "image"); strings.HasPrefix(image, "missing") {
			return object{"reason": "ImagePullBackOff", "message": fmt.Sprintf("Back-off pulling image %q: ErrImagePull: not found", image)}
		}
	}
	return nil
}
