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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
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
		Spec map[string]any `yaml:"spec"`
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
	for _, name := range []string{"Deployment/eke-server", "Deployment/eke-worker", "StatefulSet/eke-runner"} {
		pod := all[name].Spec["template"].(map[string]any)["spec"].(map[string]any)
		var args []string
		for _, a := range pod["containers"].([]any)[0].(map[string]any)["args"].([]any) {
			args = append(args, a.(string))
		}
		flagsExist(t, name, args)
		if account := pod["serviceAccountName"]; account == nil && pod["automountServiceAccountToken"] != false || account != nil && all[fmt.Sprintf("ServiceAccount/%v", account)].Kind == "" {
			t.Errorf("%s gets rights that it does not need, or of nobody", name)
		}
	}
}
