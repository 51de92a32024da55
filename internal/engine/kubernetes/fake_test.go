package kubernetes

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fake answers as a kube-apiserver with a Job controller and a scheduler behind it does, as far as eke uses them. TestConversation
// holds it to what a real one has said.
type fake struct {
	*httptest.Server

	mu       sync.Mutex
	objects  map[string]map[string]object // by resource and name
	version  int
	history  []change
	watchers map[chan struct{}]bool
	requests map[string]int // by method and resource

	namespace     string
	denied        map[string]bool                                // "verb resource"
	policy        func(verb, resource string, o object) *refusal // of admission, for what eke wants to change; nil: everything is allowed
	down          bool
	jobQuota      int       // 0: none
	hindered      []refusal // what the next creations are answered with
	podQuota      string    // a message; "": none
	unschedulable string
	node          *agent
	logs          func(w http.ResponseWriter, r *http.Request, pod object)
}

type object = map[string]any

type change struct {
	version  int
	resource string
	kind     string
	object   object
}

func newFake() *fake {
	f := &fake{objects: map[string]map[string]object{}, watchers: map[chan struct{}]bool{}, requests: map[string]int{}, namespace: "default", denied: map[string]bool{}}
	for _, resource := range []string{"jobs", "pods", "nodes", "events"} {
		f.objects[resource] = map[string]object{}
	}
	f.Server = httptest.NewServer(f)
	return f
}

// at returns what is at a path in an object; nil if there is nothing.
func at(o any, path ...string) any {
	for _, p := range path {
		m, _ := o.(object)
		o = m[p]
	}
	return o
}

func text(o any, path ...string) string { s, _ := at(o, path...).(string); return s }

func now() string { return time.Now().UTC().Format(time.RFC3339) }

func clone(o object) object {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var c object
	if err := json.Unmarshal(raw, &c); err != nil {
		panic(err)
	}
	return c
}

// put stores an object, and tells whoever watches; the caller has the lock.
func (f *fake) put(resource, kind string, o object) {
	f.version++
	o["metadata"].(object)["resourceVersion"] = strconv.Itoa(f.version)
	name := text(o, "metadata", "name")
	if kind == "DELETED" {
		delete(f.objects[resource], name)
	} else {
		f.objects[resource][name] = o
	}
	f.history = append(f.history, change{f.version, resource, kind, clone(o)})
	for w := range f.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

func (f *fake) answer(w http.ResponseWriter, code int, o any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o)
}

func (f *fake) refuse(w http.ResponseWriter, code int, reason, format string, args ...any) {
	f.answer(w, code, object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": fmt.Sprintf(format, args...), "reason": reason, "code": code})
}

var groups = map[string]string{"jobs": "batch"}

func full(resource string) string { return strings.TrimSuffix(resource+"."+groups[resource], ".") }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	down := f.down
	f.mu.Unlock()
	if down { // as a connection that breaks off
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] == "apis" {
		parts = parts[1:]
	}
	parts = parts[2:] // the version
	if parts[0] == "selfsubjectaccessreviews" {
		f.review(w, r)
		return
	}
	namespace := ""
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	resource, name, sub := parts[0], "", ""
	if len(parts) > 1 {
		name = parts[1]
	}
	if len(parts) > 2 {
		sub = parts[2]
	}
	verb := map[string]string{"GET": "get", "POST": "create", "PATCH": "patch", "DELETE": "delete"}[r.Method]
	if r.Method == http.MethodGet && name == "" {
		verb = "list"
		if r.URL.Query().Get("watch") == "true" {
			verb = "watch"
		}
	}
	f.mu.Lock()
	f.requests[strings.TrimSuffix(verb+" "+resource+"/"+sub, "/")]++
	forbidden := f.denied[verb+" "+resource] && r.Header.Get("Authorization") != "Bearer agent"
	noSuch := namespace != "" && namespace != f.namespace
	f.mu.Unlock()
	switch {
	case forbidden:
		f.refuse(w, 403, "Forbidden", `%s is forbidden: User "eke" cannot %s resource %q in API group %q in the namespace %q`, full(resource), verb, resource, groups[resource], namespace)
	case f.objects[resource] == nil:
		f.refuse(w, 404, "NotFound", "the server could not find the requested resource")
	case noSuch && verb == "create":
		f.refuse(w, 404, "NotFound", "namespaces %q not found", namespace)
	case verb == "watch":
		f.watch(w, r, resource)
	case sub == "log":
		f.mu.Lock()
		pod := f.objects["pods"][name]
		f.mu.Unlock()
		if pod == nil {
			f.refuse(w, 404, "NotFound", "pods %q not found", name)
			return
		}
		f.logs(w, r, pod)
	default:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.verb(w, r, verb, resource, name, sub)
		f.reconcile()
	}
}

func (f *fake) review(w http.ResponseWriter, r *http.Request) {
	var review object
	_ = json.NewDecoder(r.Body).Decode(&review)
	a := at(review, "spec", "resourceAttributes")
	resource := strings.TrimSuffix(text(a, "resource")+"/"+text(a, "subresource"), "/")
	f.mu.Lock()
	defer f.mu.Unlock()
	review["status"] = object{"allowed": !f.denied[text(a, "verb")+" "+resource]}
	f.answer(w, 201, review)
}

// verb does what is asked; the lock is held.
func (f *fake) verb(w http.ResponseWriter, r *http.Request, verb, resource, name, sub string) {
	o := f.objects[resource][name]
	if name != "" && o == nil {
		f.refuse(w, 404, "NotFound", "%s %q not found", full(resource), name)
		return
	}
	if f.policy != nil && verb != "get" && verb != "list" && r.Header.Get("Authorization") != "Bearer agent" {
		if no := f.policy(verb, resource, o); no != nil {
			f.refuse(w, no.Code, no.Reason, "%s", no.Message)
			return
		}
	}
	var body object
	if raw, _ := io.ReadAll(r.Body); len(raw) > 0 {
		if err := json.Unmarshal(raw, &body); err != nil {
			f.refuse(w, 400, "BadRequest", "%v", err)
			return
		}
	}
	switch {
	case verb == "list":
		items := []object{}
		for _, key := range slices.Sorted(maps.Keys(f.objects[resource])) {
			if item := f.objects[resource][key]; selected(r, item) {
				items = append(items, item)
			}
		}
		f.answer(w, 200, object{"kind": "List", "metadata": object{"resourceVersion": strconv.Itoa(f.version)}, "items": items})
	case verb == "get":
		f.answer(w, 200, o)
	case verb == "create" && sub == "eviction":
		f.evict(o, "EvictionByEvictionAPI")
		f.answer(w, 201, object{"kind": "Status", "status": "Success"})
	case verb == "create":
		f.create(w, r, resource, body)
	case verb == "patch":
		if was, is := at(o, "spec", "activeDeadlineSeconds"), at(body, "spec", "activeDeadlineSeconds"); resource == "pods" && is != nil && (is.(float64) < 1 || was != nil && is.(float64) > was.(float64)) {
			f.refuse(w, 422, "Invalid", `Pod %q is invalid: spec.activeDeadlineSeconds: Invalid value: %v: must be less than or equal to previous value`, name, is)
			return
		}
		merged := clone(o)
		merge(merged, body)
		f.put(resource, "MODIFIED", merged)
		f.answer(w, 200, merged)
	case verb == "delete":
		if uid := text(body, "preconditions", "uid"); uid != "" && uid != text(o, "metadata", "uid") {
			f.refuse(w, 409, "Conflict", "Operation cannot be fulfilled on Job.batch %q: the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", name, uid, text(o, "metadata", "uid"))
			return
		}
		if resource == "jobs" {
			f.put("jobs", "DELETED", o)
			for _, p := range f.podsOf(name) {
				f.remove(p, false)
			}
		} else {
			f.remove(o, at(body, "gracePeriodSeconds") == 0.0)
		}
		f.answer(w, 200, o)
	}
}

// create makes an object as the API server does.
func (f *fake) create(w http.ResponseWriter, r *http.Request, resource string, o object) {
	name, wrong := text(o, "metadata", "name"), []string{}
	if list, _ := at(o, "spec", "template", "spec", "containers").([]any); len(list) == 0 {
		wrong = append(wrong, "spec.template.spec.containers: Required value")
	}
	if text(o, "spec", "template", "spec", "restartPolicy") != "Never" {
		wrong = append(wrong, `spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`)
	}
	dry := r.URL.Query().Get("dryRun") == "All"
	switch {
	case resource == "jobs" && !dry && len(f.hindered) > 0:
		no := f.hindered[0]
		f.hindered = f.hindered[1:]
		f.refuse(w, no.Code, no.Reason, "%s", no.Message)
		return
	case f.objects[resource][name] != nil:
		f.refuse(w, 409, "AlreadyExists", "%s %q already exists", full(resource), name)
		return
	case resource == "jobs" && len(wrong) > 0:
		f.refuse(w, 422, "Invalid", `Job.batch %q is invalid: [%s]`, name, strings.Join(wrong, ", "))
		return
	case resource == "jobs" && f.jobQuota > 0 && len(f.objects["jobs"]) >= f.jobQuota:
		f.refuse(w, 403, "Forbidden", `%s %q is forbidden: exceeded quota: few, requested: count/jobs.batch=1, used: count/jobs.batch=%d, limited: count/jobs.batch=%d`, full(resource), name, f.jobQuota, f.jobQuota)
		return
	}
	m := o["metadata"].(object)
	m["uid"], m["creationTimestamp"], m["namespace"] = rand.Text(), now(), f.namespace
	if !dry {
		f.put(resource, "ADDED", o)
	}
	f.answer(w, 201, o)
}

// merge is RFC 7386, but for conditions.
func merge(to, patch object) {
	for k, v := range patch {
		inner, isMap := v.(object)
		old, wasMap := to[k].(object)
		switch {
		case v == nil:
			delete(to, k)
		case isMap && wasMap:
			merge(old, inner)
		case k == "conditions": // a strategic patch changes those that it names
			list, _ := to[k].([]any)
			for _, c := range v.([]any) {
				list = slices.DeleteFunc(slices.Clone(list), func(was any) bool { return text(was, "type") == text(c, "type") })
				list = append(list, c)
			}
			to[k] = list
		default:
			to[k] = v
		}
	}
}

func selected(r *http.Request, o object) bool {
	for _, s := range strings.Split(r.URL.Query().Get("labelSelector"), ",") {
		if name, value, ok := strings.Cut(s, "="); ok && text(o, "metadata", "labels", name) != value {
			return false
		}
	}
	for _, s := range strings.Split(r.URL.Query().Get("fieldSelector"), ",") {
		if name, value, ok := strings.Cut(s, "="); ok && text(o, strings.Split(name, ".")...) != value {
			return false
		}
	}
	return true
}

func (f *fake) watch(w http.ResponseWriter, r *http.Request, resource string) {
	since, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	wake := make(chan struct{}, 1)
	f.mu.Lock()
	f.watchers[wake] = true
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.watchers, wake)
		f.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for r.Context().Err() == nil {
		f.mu.Lock()
		var fresh []change
		for _, c := range f.history {
			if c.version > since && c.resource == resource && selected(r, c.object) {
				fresh = append(fresh, c)
			}
		}
		since = max(since, f.version)
		down := f.down
		f.mu.Unlock()
		if down {
			return
		}
		for _, c := range fresh {
			_ = json.NewEncoder(w).Encode(object{"type": c.kind, "object": c.object})
		}
		w.(http.Flusher).Flush()
		select {
		case <-wake:
		case <-r.Context().Done():
		}
	}
}

// set changes how the fake answers, and ends what goes on if it is down then.
func (f *fake) set(how func()) {
	f.mu.Lock()
	how()
	f.reconcile()
	for w := range f.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
	f.mu.Unlock()
}

func (f *fake) podsOf(job string) (list []object) {
	for _, name := range slices.Sorted(maps.Keys(f.objects["pods"])) {
		if p := f.objects["pods"][name]; text(p, "metadata", "labels", jobLabel) == job {
			list = append(list, p)
		}
	}
	return list
}

// remove deletes a pod: at once if nobody runs it, and else when the kubelet says that it has ended.
func (f *fake) remove(p object, force bool) {
	phase := text(p, "status", "phase")
	if force || text(p, "spec", "nodeName") == "" || phase == "Succeeded" || phase == "Failed" {
		f.put("pods", "DELETED", p)
		return
	}
	p = clone(p)
	p["metadata"].(object)["deletionTimestamp"] = now()
	f.put("pods", "MODIFIED", p)
}

func (f *fake) evict(p object, reason string) {
	p = clone(p)
	status := p["status"].(object)
	list, _ := status["conditions"].([]any)
	status["conditions"] = append(list, object{"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "Eviction API: evicting", "lastTransitionTime": now()})
	f.put("pods", "MODIFIED", p)
	f.remove(p, false)
}

// reconcile is the Job controller and the scheduler; the lock is held.
func (f *fake) reconcile() {
	for _, name := range slices.Sorted(maps.Keys(f.objects["jobs"])) {
		f.reconcileJob(f.objects["jobs"][name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.objects["pods"])) {
		p := f.objects["pods"][name]
		if text(p, "spec", "nodeName") != "" {
			continue
		}
		why := f.unschedulable
		if why == "" && len(f.objects["nodes"]) == 0 {
			why = "no nodes available to schedule pods"
		}
		bound := clone(p)
		if why != "" {
			if at(p, "status", "conditions") == nil {
				bound["status"].(object)["conditions"] = []any{object{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": why, "lastTransitionTime": now()}}
				f.put("pods", "MODIFIED", bound)
			}
			continue
		}
		bound["spec"].(object)["nodeName"] = slices.Sorted(maps.Keys(f.objects["nodes"]))[0]
		bound["status"].(object)["conditions"] = []any{object{"type": "PodScheduled", "status": "True", "lastTransitionTime": now()}}
		f.put("pods", "MODIFIED", bound)
	}
}

func (f *fake) reconcileJob(j object) {
	if at(j, "status", "conditions") != nil || at(j, "spec", "suspend") == true {
		return
	}
	name, active, failed, ok := text(j, "metadata", "name"), false, false, false
	for _, p := range f.podsOf(name) {
		disrupted := strings.Contains(fmt.Sprint(at(p, "status", "conditions")), "DisruptionTarget")
		switch text(p, "status", "phase") {
		case "Succeeded":
			ok = true
		case "Failed":
			failed = failed || !disrupted
		default:
			active = true
		}
	}
	ended := func(kinds ...string) {
		c := []any{}
		for _, kind := range kinds {
			reason, message := "CompletionsReached", "Reached expected number of succeeded pods"
			if failed {
				reason, message = "BackoffLimitExceeded", "Job has reached the specified backoff limit"
			}
			c = append(c, object{"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now()})
			j = clone(j)
			j["status"].(object)["conditions"] = slices.Clone(c)
			f.put("jobs", "MODIFIED", j)
		}
	}
	if at(j, "status", "startTime") == nil {
		j = clone(j)
		j["status"] = object{"startTime": now()}
		f.put("jobs", "MODIFIED", j)
	}
	switch {
	case ok:
		ended("SuccessCriteriaMet", "Complete")
	case failed:
		ended("FailureTarget", "Failed")
	case active:
	case f.podQuota != "":
		f.put("events", "ADDED", object{"metadata": object{"name": name + rand.Text()}, "reason": "FailedCreate", "message": f.podQuota, "lastTimestamp": now(), "involvedObject": object{"kind": "Job", "name": name}})
	default:
		template := clone(at(j, "spec", "template").(object))
		m := template["metadata"].(object)
		m["name"], m["namespace"], m["uid"], m["creationTimestamp"] = name+"-"+strings.ToLower(rand.Text()[:5]), f.namespace, rand.Text(), now()
		m["labels"].(object)[jobLabel] = name
		f.put("pods", "ADDED", object{"metadata": m, "spec": template["spec"], "status": object{"phase": "Pending"}})
	}
}
