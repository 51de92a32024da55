package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/eke-bo/eke/internal/engine"
)

// apiserver has the script's kubeconfig name a small API server. Every Job that it gets has run for 90 seconds at once, and has reported
// the square of EKE_PARAM_X; the engine's own tests have a server that behaves like a real one.
func apiserver(ts *testscript.TestScript, _ bool, _ []string) {
	s := &jobServer{jobs: map[string]map[string]any{}}
	server := httptest.NewServer(s)
	ts.Defer(server.Close)
	config := fmt.Sprintf("current-context: c\ncontexts: [{name: c, context: {cluster: k, namespace: tuning}}]\nclusters: [{name: k, cluster: {server: %q}}]\n", server.URL)
	file := ts.MkAbs("kubeconfig")
	ts.Check(os.WriteFile(file, []byte(config), 0o600))
	ts.Setenv("KUBECONFIG", file)
}

type jobServer struct {
	mu   sync.Mutex
	jobs map[string]map[string]any
}

func (s *jobServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(code int, o any) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(o)
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case last == "selfsubjectaccessreviews":
		answer(201, map[string]any{"status": map[string]any{"allowed": true}})
	case r.URL.Query().Get("watch") == "true": // it breaks off at once
		answer(500, map[string]any{"message": "no watch here"})
	case r.Method == http.MethodPost:
		var job map[string]any
		_ = json.NewDecoder(r.Body).Decode(&job)
		meta := job["metadata"].(map[string]any)
		name := meta["name"].(string)
		switch {
		case s.jobs[name] != nil:
			answer(409, map[string]any{"message": "already exists", "reason": "AlreadyExists"})
			return
		case r.URL.Query().Get("dryRun") == "":
			meta["uid"] = name
			job["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
			s.jobs[name] = job
		}
		answer(201, job)
	case last == "jobs":
		list := []any{}
		for _, j := range s.jobs {
			list = append(list, j)
		}
		answer(200, map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": list})
	case last == "pods":
		list := []any{}
		for name, j := range s.jobs {
			list = append(list, podOf(name, j))
		}
		answer(200, map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": list})
	case last == "log":
		fmt.Fprintln(w, "trained")
	case s.jobs[last] != nil:
		answer(200, s.jobs[last])
	default:
		answer(404, map[string]any{"message": "not found"})
	}
}

// podOf is the pod of a Job that has ended.
func podOf(name string, job map[string]any) map[string]any {
	template := job["spec"].(map[string]any)["template"].(map[string]any)
	trial := template["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
	x := 0.0
	for _, v := range trial["env"].([]any) {
		if v := v.(map[string]any); v["name"] == "EKE_PARAM_X" {
			x, _ = strconv.ParseFloat(v["value"].(string), 64)
		}
	}
	begin := time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)
	return map[string]any{
		"metadata": map[string]any{"name": name + "-abcde", "uid": "pod-" + name, "creationTimestamp": begin, "labels": map[string]any{"batch.kubernetes.io/job-name": name}},
		"spec":     template["spec"],
		"status": map[string]any{"phase": "Succeeded", "startTime": begin, "containerStatuses": []any{map[string]any{"name": trial["name"], "state": map[string]any{"terminated": map[string]any{
			"exitCode": 0, "reason": "Completed", "startedAt": begin.Add(30 * time.Second), "finishedAt": begin.Add(2 * time.Minute), "message": fmt.Sprintf(`{"objective": %v}`, x*x)}}}}},
	}
}

// The objects of deploy/kubernetes suit each other and the program: every flag exists, every name is there, and the rights are those that
// the engine asks for, and no more.
func TestKubernetesFits(t *testing.T) {
	type object struct {
		Kind     string `yaml:"kind"`
		Metadata struct {
			Name string `yaml:"name"`
		} `yaml:"metadata"`
		Rules []struct {
			Groups    []string `yaml:"apiGroups"`
			Resources []string `yaml:"resources"`
			Verbs     []string `yaml:"verbs"`
		} `yaml:"rules"`
		RoleRef struct {
			Name string `yaml:"name"`
		} `yaml:"roleRef"`
		Spec struct {
			Template struct {
				Spec pod `yaml:"spec"`
			} `yaml:"template"`
		} `yaml:"spec"`
	}
	files, err := filepath.Glob("../../deploy/kubernetes/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	all, whole := map[string]object{}, ""
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		whole += string(raw)
		for d := yaml.NewDecoder(strings.NewReader(string(raw))); ; {
			var o object
			if err := d.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %s", file, yaml.FormatError(err, false, true))
			}
			if o.Kind == "" || o.Metadata.Name == "" {
				t.Errorf("%s: %+v has no kind or no name", file, o)
			}
			all[o.Kind+"/"+o.Metadata.Name] = o
		}
	}
	rights := map[string]bool{}
	for _, r := range all["Role/eke-trials"].Rules {
		for _, resource := range r.Resources {
			for _, verb := range r.Verbs {
				rights[verb+" "+resource] = true
			}
		}
	}
	for _, need := range []string{"create jobs", "get jobs", "list jobs", "watch jobs", "delete jobs", "list pods", "watch pods", "patch pods", "get pods/log", "list events", "list workloads"} {
		if !rights[need] {
			t.Errorf("the role does not let eke %s", need)
		}
		delete(rights, need)
	}
	if len(rights) > 0 {
		t.Errorf("the role lets eke do more than it needs: %v", rights)
	}
	for _, name := range []string{"Deployment/eke-server", "StatefulSet/eke-db", "Service/eke-server", "Service/eke-db", "Deployment/eke-worker", "ServiceAccount/eke-trials", "RoleBinding/eke-trials"} {
		if _, ok := all[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
	if all["RoleBinding/eke-trials"].RoleRef.Name != "eke-trials" || strings.Contains(whole, "privileged: true") || strings.Contains(whole, "ClusterRole") {
		t.Error("the binding, or more rights than it should be")
	}
	docs, err := os.ReadFile("../../docs/CLUSTER.md")
	if err != nil {
		t.Fatal(err)
	}
	_, story, _ := strings.Cut(strings.ReplaceAll(string(docs), "\\\n", ""), "\n### A server in the cluster\n")
	for _, name := range []string{"Deployment/eke-server", "Deployment/eke-worker", "StatefulSet/eke-runner"} {
		p := all[name].Spec.Template.Spec
		if len(p.Containers) != 1 {
			t.Fatalf("%s has %d containers", name, len(p.Containers))
		}
		c := p.Containers[0]
		flagsExist(t, name, c.Args)
		c.check(t, name, story)
		if c.Image != "eke" || len(c.Command) > 0 && !slices.Equal(c.Command, []string{"eke"}) {
			t.Errorf("%s starts %q in the image %s", name, c.Command, c.Image)
		}
		if p.Account == "" && (p.Mounts == nil || *p.Mounts) || p.Account != "" && all["ServiceAccount/"+p.Account].Kind == "" {
			t.Errorf("%s gets rights that it does not need, or of nobody", name)
		}
	}
	all["StatefulSet/eke-db"].Spec.Template.Spec.Containers[0].check(t, "eke-db", story)
	// A program's own image need not start eke by itself. Its running trials are finished before it is told to end.
	worker := all["Deployment/eke-worker"].Spec.Template.Spec
	var seconds int
	hook := worker.Containers[0].Lifecycle.PreStop.Exec.Command
	if len(hook) != 3 || !slices.Equal(hook[:2], []string{"sh", "-c"}) {
		t.Fatalf("the hook is %q", hook)
	}
	if n, _ := fmt.Sscanf(hook[2], "kill -INT 1; sleep %d", &seconds); n != 1 || seconds < 60 || worker.Grace-seconds < 15 {
		t.Errorf("the hook is %q, the grace %d", hook, worker.Grace)
	}
	if len(worker.Containers[0].Command) == 0 {
		t.Error("the worker's image starts what it likes")
	}
	fitsStory(t, story)
}

// pod is what the tests need of a pod, container of its containers.
type pod struct {
	Account    string      `yaml:"serviceAccountName"`
	Mounts     *bool       `yaml:"automountServiceAccountToken"`
	Grace      int         `yaml:"terminationGracePeriodSeconds"`
	Containers []container `yaml:"containers"`
}

type container struct {
	Name    string   `yaml:"name"`
	Image   string   `yaml:"image"`
	Command []string `yaml:"command"`
	Args    []string `yaml:"args"`
	Env     []struct {
		Name      string `yaml:"name"`
		ValueFrom struct {
			SecretKeyRef struct {
				Name string `yaml:"name"`
				Key  string `yaml:"key"`
			} `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	} `yaml:"env"`
	Lifecycle struct {
		PreStop struct {
			Exec struct {
				Command []string `yaml:"command"`
			} `yaml:"exec"`
		} `yaml:"preStop"`
	} `yaml:"lifecycle"`
}

// check finds variables that eke does not read, and secrets that the documentation does not create.
func (c container) check(t *testing.T, name, story string) {
	t.Helper()
	for _, v := range c.Env {
		if c.Image == "eke" && v.Name != "EKE_DB" && v.Name != engine.TokenVariable {
			t.Errorf("%s has the variable %s, which eke does not read", name, v.Name)
		}
		secret := v.ValueFrom.SecretKeyRef
		if secret.Name != "" && !regexp.MustCompile(`(?m)^kubectl create secret generic `+secret.Name+` .*--from-literal=`+secret.Key+`=`).MatchString(story) {
			t.Errorf("%s needs %s of the secret %s, which docs/CLUSTER.md does not create", name, secret.Key, secret.Name)
		}
	}
}

// fitsStory checks that what docs/CLUSTER.md says comes up in its order: no server starts without a token, and nobody but an admin creates
// the study.
func fitsStory(t *testing.T, story string) {
	t.Helper()
	at := 0
	for _, step := range []string{"db.yaml", "statefulset/eke-db", "kubectl run eke-token ", "server.yaml", "deployment/eke-server", "eke study create ", "secret generic eke-worker", "worker.yaml", "configmap eke-study ", "runner.yaml"} {
		next := strings.Index(story[at:], step)
		if next < 0 {
			t.Fatalf("docs/CLUSTER.md has no %s, or too early", step)
		}
		at += next
	}
	m := regexp.MustCompile(`(?m)^kubectl run (\S+) .*--image=eke .*--overrides='([^']*)' +-- (.*)$`).FindStringSubmatch(story)
	if m == nil {
		t.Fatal("docs/CLUSTER.md does not make the first token")
	}
	flagsExist(t, "the first token", strings.Fields(m[3]))
	var overrides struct {
		Spec pod `json:"spec"`
	}
	if err := json.Unmarshal([]byte(m[2]), &overrides); err != nil || len(overrides.Spec.Containers) != 1 {
		t.Fatal(m[2], err)
	}
	c := overrides.Spec.Containers[0]
	c.Image = "eke"
	if c.check(t, m[1], story); c.Name != m[1] || len(c.Env) != 1 || c.Env[0].Name != "EKE_DB" || c.Env[0].ValueFrom.SecretKeyRef.Name == "" {
		t.Errorf("the first token is made with %+v", c)
	}
}
