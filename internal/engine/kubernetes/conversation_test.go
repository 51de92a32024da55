package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/space"
)

var update = flag.Bool("update", false, "record what a real API server says")

// conversation is what was said to kube-apiserver 1.36.3 with its controllers, and what it answered, as far as eke reads it:
//
//	scripts/kubernetes run go test -run TestRealConversation ./internal/engine/kubernetes -update
const conversation = "testdata/conversation.json"

// line is a request, and its answer.
type line struct {
	Said    string `json:"said"`
	Code    int    `json:"code"`
	Answers []any  `json:"answers"` // one, or what a watch said until it was enough
}

// talk is a conversation with an API server.
type talk struct {
	*testing.T
	eke, admin, stranger *client
	namespace            string
	forbid               func()
	quota                func(jobs int)

	lines []line
}

// say asks, and notes the answer.
func (s *talk) say(what string, c *client, r request) {
	s.Helper()
	l := line{Said: what, Code: 200}
	body, err := c.open(s.Context(), r)
	var no *refusal
	if errors.As(err, &no) {
		l.Code, l.Answers = no.Code, []any{s.plain(object{"reason": no.Reason, "message": no.Message})}
	} else if err != nil {
		s.Fatalf("%s: %v", what, err)
	} else {
		defer body.Close()
		raw, err := io.ReadAll(body)
		if err != nil {
			s.Fatal(err)
		}
		l.Answers = []any{s.read(r, raw)}
	}
	s.lines = append(s.lines, l)
}

// read is what eke reads of an answer.
func (s *talk) read(r request, raw []byte) any {
	var items struct{ Items []json.RawMessage }
	if json.Unmarshal(raw, &items) == nil && items.Items != nil {
		list := []any{}
		for _, item := range items.Items {
			list = append(list, s.read(r, item))
		}
		return list
	}
	var into any = &kubeJob{}
	switch {
	case strings.HasSuffix(r.path, "/log"):
		return string(raw)
	case r.method == "DELETE":
		return nil // nothing
	case strings.Contains(r.path, "/pods"):
		into = &kubePod{}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		s.Fatalf("%v: %s", err, raw)
	}
	return s.plain(into)
}

var podSuffix = regexp.MustCompile(`(eke-talk-\d-[0-9a-f]{10})-[a-z0-9]{5}\b`)

// plain is an object without what differs from time to time.
func (s *talk) plain(o any) any {
	raw, err := json.Marshal(o)
	var x any
	if err == nil {
		err = json.Unmarshal(raw, &x)
	}
	if err != nil {
		s.Fatal(err)
	}
	return s.normal("", x)
}

func (s *talk) normal(key string, x any) any {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			read := !slices.Contains([]string{"labels", "annotations"}, key) || strings.HasPrefix(k, "eke/") || k == managedLabel || k == jobLabel
			if v = s.normal(k, v); v == nil || !read {
				delete(x, k)
			} else {
				x[k] = v
			}
		}
		if len(x) == 0 {
			return nil
		}
	case []any:
		for i := range x {
			x[i] = s.normal(key, x[i])
		}
		if key == "conditions" {
			slices.SortFunc(x, func(a, b any) int { return strings.Compare(text(a, "type"), text(b, "type")) })
		}
		if len(x) == 0 {
			return nil
		}
	case string:
		if at, err := time.Parse(time.RFC3339, x); err == nil {
			return map[bool]any{true: nil, false: "TIME"}[at.IsZero()]
		}
		switch {
		case x == "" || key == "resourceVersion":
			return nil
		case key == "uid":
			return "UID"
		case key == "nodeName":
			return "NODE"
		}
		x = podSuffix.ReplaceAllString(x, "$1-POD")
		x = regexp.MustCompile(`User "[^"]*"`).ReplaceAllString(x, `User "USER"`)
		x = regexp.MustCompile(`UID in record \([^)]*\)`).ReplaceAllString(x, "UID in record (UID)")
		return strings.ReplaceAll(x, s.namespace, "NAMESPACE")
	case float64:
		if x == 0 && key != "exitCode" {
			return nil
		}
	case bool:
		if !x {
			return nil
		}
	}
	return x
}

// hear watches, from before something is done, until it is enough. Equal answers are one.
func (s *talk) hear(what, path string, enough func(kind string, raw []byte) bool, do func()) {
	s.Helper()
	ctx, stop := context.WithTimeout(s.Context(), 2*time.Minute)
	defer stop()
	var list struct{ Metadata meta }
	path, only, _ := strings.Cut(path, "?fieldSelector=")
	if err := s.eke.do(ctx, request{method: "GET", path: path}, &list); err != nil {
		s.Fatal(err)
	}
	r := request{method: "GET", path: path, query: url.Values{"watch": {"true"}, "resourceVersion": {list.Metadata.ResourceVersion}, "labelSelector": {managedLabel + "=" + managedBy}, "fieldSelector": {only}}}
	body, err := s.eke.open(ctx, r)
	if err != nil {
		s.Fatal(err)
	}
	defer body.Close()
	do()
	l, last := line{Said: what, Code: 200}, ""
	for lines := json.NewDecoder(body); ; {
		var change struct {
			Type   string
			Object json.RawMessage
		}
		if err := lines.Decode(&change); err != nil {
			s.Fatalf("%s: %v", what, err)
		}
		heard := object{"type": change.Type, "object": s.read(r, change.Object)}
		if raw, _ := json.Marshal(heard); string(raw) != last {
			l.Answers, last = append(l.Answers, heard), string(raw)
		}
		if enough(change.Type, change.Object) {
			break
		}
	}
	s.lines = append(s.lines, l)
}

// run is the conversation.
func (s *talk) run() {
	s.Helper()
	job := func(trial int, script string) map[string]any {
		m, err := (&Engine{Template: os.Getenv(templateVariable)}).manifest(engine.Job{Argv: []string{"sh", "-c", script}, Trial: trial, ID: "talk", Study: "talk", WorkDir: "/tmp", Setting: space.Setting{"x": space.Float(0.25)}, Objective: "loss",
			Options: []string{"--cpu=500m", "--memory=1Gi"}, Limit: time.Hour})
		if err != nil {
			s.Fatal(err)
		}
		return m
	}
	jobs, pods := jobsPath(s.namespace), podsPath(s.namespace)
	create := func(m any, dry string) request {
		return request{verb: "create", resource: "jobs", method: "POST", path: jobs, body: m, contentType: "application/json", query: url.Values{"dryRun": slices.DeleteFunc([]string{dry}, func(s string) bool { return s == "" })}}
	}
	over := func(_ string, raw []byte) bool {
		return strings.Contains(string(raw), `"Complete"`) || strings.Contains(string(raw), `"phase":"Succeeded"`)
	}
	first := job(1, "echo hello; "+reports)
	name := text(first, "metadata", "name")
	s.say("would you create this Job?", s.eke, create(first, "All"))
	s.hear("the Jobs, while one is done", jobs, over, func() { s.say("create it", s.eke, create(first, "")) })
	s.say("create it again", s.eke, create(first, ""))
	s.say("how is it?", s.eke, request{method: "GET", path: jobs + "/" + name})
	s.say("which Jobs are there?", s.eke, request{method: "GET", path: jobs, query: url.Values{"labelSelector": {studyLabel + "=talk"}}})
	s.say("which pods are there?", s.eke, request{method: "GET", path: pods, query: url.Values{"labelSelector": {studyLabel + "=talk"}}})
	s.say("what has it printed?", s.eke, request{method: "GET", path: pods + "/" + s.podOf(name) + "/log", query: url.Values{"container": {trialName}}})
	s.say("what has another one printed?", s.eke, request{method: "GET", path: pods + "/nosuch/log", query: url.Values{"container": {trialName}}})

	second := job(2, "sleep 600")
	name = text(second, "metadata", "name")
	runs := func(_ string, raw []byte) bool { return strings.Contains(string(raw), `"running":{"startedAt"`) }
	s.hear("the pods, while one begins", pods, runs, func() { s.say("create another", s.eke, create(second, "")) })
	pod := pods + "/" + s.podOf(name)
	s.say("let it run for longer", s.eke, request{method: "PATCH", path: pod, contentType: mergePatch, body: object{"spec": object{"activeDeadlineSeconds": 100000}}})
	gone := func(kind string, _ []byte) bool { return kind == "DELETED" }
	s.hear("the pod, while it is evicted", pods+"?fieldSelector=metadata.name="+filepath.Base(pod), gone, func() {
		if err := s.admin.do(s.Context(), request{method: "POST", path: pod + "/eviction", contentType: "application/json", body: object{"apiVersion": "policy/v1", "kind": "Eviction",
			"metadata": object{"name": filepath.Base(pod), "namespace": s.namespace}}}, nil); err != nil {
			s.Fatal(err)
		}
	})
	s.say("delete it, if it is another one", s.eke, request{method: "DELETE", path: jobs + "/" + name, contentType: "application/json", body: object{"preconditions": object{"uid": "another"}}})
	s.say("delete it", s.eke, request{method: "DELETE", path: jobs + "/" + name, contentType: "application/json", body: object{"propagationPolicy": "Background"}})
	s.say("how is it?", s.eke, request{method: "GET", path: jobs + "/" + name})

	s.quota(1)
	s.say("create one that is too many", s.eke, create(job(3, ""), ""))
	s.say("create one that is wrong", s.eke, create(object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": "wrong"}, "spec": object{"template": object{"spec": object{"restartPolicy": "Always", "containers": []any{}}}}}, ""))
	missing := create(job(4, ""), "")
	missing.path = jobsPath("nowhere")
	s.say("create one in a namespace that is not there", s.admin, missing)
	s.forbid()
	s.say("create one as a stranger", s.stranger, create(job(5, ""), ""))
}

// podOf is the name of the pod of a Job.
func (s *talk) podOf(job string) string {
	s.Helper()
	var list struct{ Items []kubePod }
	if err := s.eke.do(s.Context(), request{method: "GET", path: podsPath(s.namespace), query: url.Values{"labelSelector": {jobLabel + "=" + job}}}, &list); err != nil || len(list.Items) == 0 {
		s.Fatalf("%v, %v", list, err)
	}
	return list.Items[0].Metadata.Name
}

// compare compares a conversation with the recorded one.
func (s *talk) compare() {
	s.Helper()
	got, err := json.MarshalIndent(s.lines, "", " ")
	if err != nil {
		s.Fatal(err)
	}
	want, err := os.ReadFile(conversation)
	if err != nil {
		s.Fatal(err)
	}
	var recorded []line
	if err := json.Unmarshal(want, &recorded); err != nil || len(recorded) != len(s.lines) {
		s.Fatalf("%d lines, %d are recorded, %v\n%s", len(s.lines), len(recorded), err, got)
	}
	for i, l := range s.lines {
		a, _ := json.MarshalIndent(l, "", " ")
		b, _ := json.MarshalIndent(recorded[i], "", " ")
		if string(a) != string(b) {
			s.Errorf("%q was answered with\n%s\nand by a real API server with\n%s", l.Said, a, b)
		}
	}
}

// The pretended API server says what the real one has said.
func TestConversation(t *testing.T) {
	f := pretend(t, plain)
	where, err := reach("")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(where)
	s := &talk{T: t, eke: c, admin: c, stranger: c, namespace: "default", quota: func(n int) { f.set(func() { f.jobQuota = n }) }, forbid: func() { f.set(func() { f.denied["create jobs"] = true }) }}
	s.run()
	s.compare()
}

// The real one says it still.
func TestRealConversation(t *testing.T) {
	p := needPlane(t)
	s := &talk{T: t, namespace: p.space(t, plain), admin: p.admin}
	where, err := reach("")
	if err != nil {
		t.Fatal(err)
	}
	s.eke = newClient(where)
	s.quota = func(n int) {
		path := "/api/v1/namespaces/" + s.namespace + "/resourcequotas"
		p.ask(t, "POST", path, object{"metadata": object{"name": "few"}, "spec": object{"hard": object{"count/jobs.batch": n}}}, nil)
		for {
			var q object
			if p.ask(t, "GET", path+"/few", nil, &q); text(q, "status", "used", "count/jobs.batch") == "1" {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	s.forbid = func() {
		p.ask(t, "POST", "/api/v1/namespaces/"+s.namespace+"/serviceaccounts", object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"name": "bare"}}, nil)
		write(t, filepath.Dir(os.Getenv("KUBECONFIG")), map[string]string{"kubeconfig": p.kubeconfig(t, s.namespace, "bare")})
		where, err := reach("")
		if err != nil {
			t.Fatal(err)
		}
		s.stranger = newClient(where)
	}
	s.run()
	if *update {
		raw, err := json.MarshalIndent(s.lines, "", " ")
		if err == nil {
			err = os.WriteFile(conversation, append(raw, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.compare()
}
