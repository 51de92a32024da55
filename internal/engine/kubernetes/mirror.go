package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// mirror keeps what the API server has of a study's Jobs and pods: one list of each, and then a watch. A pod that is evicted is deleted
// moments after it has ended, so asking now and then would miss what it has cost.
type mirror struct {
	c                   *client
	namespace, selector string
	changed             func()

	mu    sync.Mutex // of what follows
	jobs  map[string]*kubeJob
	pods  map[string]map[string]*kubePod // by Job and UID; those that were deleted stay until they are taken
	live  bool                           // watches run
	turn  int                            // of the watches that run: what earlier ones still say is old
	since time.Time                      // when they began; what came and went before nobody has seen
	idle  *time.Timer
	begin sync.Mutex // one at a time lists
}

// restAfter is how long a mirror is kept that nobody looks at.
const restAfter = 5 * time.Minute

// look returns a Job and its pods as they are now. Pods that are gone are handed out once.
func (m *mirror) look(name string) (j *kubeJob, pods []*kubePod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.jobs[name]; known != nil {
		copied := *known
		j = &copied
	}
	for uid, p := range m.pods[name] {
		copied := *p
		pods = append(pods, &copied)
		if p.gone {
			delete(m.pods[name], uid)
		}
	}
	return j, pods
}

// holds reports whether there are pods of a Job that have not ended, or whose end nobody has looked at.
func (m *mirror) holds(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pods[name] {
		if _, _, over := p.times(); !over || p.gone {
			return true
		}
	}
	return false
}

// sawAll reports whether nothing that happened since then can have been missed.
func (m *mirror) sawAll(since time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.since.Before(since)
}

// sync sees that the mirror is true: it lists, unless watches run.
func (m *mirror) sync(ctx context.Context) error {
	m.begin.Lock()
	defer m.begin.Unlock()
	m.mu.Lock()
	live := m.live
	if live {
		m.idle.Reset(restAfter)
	}
	m.mu.Unlock()
	if live {
		return nil
	}
	var jobs struct {
		Metadata meta       `json:"metadata"`
		Items    []*kubeJob `json:"items"`
	}
	var pods struct {
		Metadata meta       `json:"metadata"`
		Items    []*kubePod `json:"items"`
	}
	query := url.Values{"labelSelector": {m.selector}}
	if err := m.c.do(ctx, request{verb: "list", resource: "jobs", method: http.MethodGet, path: jobsPath(m.namespace), query: query}, &jobs); err != nil {
		return m.c.explain(err, m.namespace)
	}
	if err := m.c.do(ctx, request{verb: "list", resource: "pods", method: http.MethodGet, path: podsPath(m.namespace), query: query}, &pods); err != nil {
		return m.c.explain(err, m.namespace)
	}
	watching, stop := context.WithCancel(context.Background())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = map[string]*kubeJob{}
	for _, j := range jobs.Items {
		m.jobs[j.Metadata.Name] = j
	}
	before := m.pods
	m.pods = map[string]map[string]*kubePod{}
	for _, p := range pods.Items {
		m.put(p)
	}
	for job, known := range before { // what vanished meanwhile is handed out as it was last seen
		for uid, p := range known {
			if m.pods[job][uid] == nil {
				p.lost = !p.gone
				p.gone = true
				m.put(p)
			}
		}
	}
	m.live, m.since = true, time.Now()
	m.turn++
	turn := m.turn
	m.idle = time.AfterFunc(restAfter, stop)
	end := func() {
		stop()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.live = m.live && m.turn != turn
	}
	go func() {
		defer end()
		watch(watching, m, request{verb: "watch", resource: "jobs", method: http.MethodGet, path: jobsPath(m.namespace)}, jobs.Metadata.ResourceVersion, func(kind string, j *kubeJob) { m.seeJob(turn, kind, j) })
	}()
	go func() {
		defer end()
		watch(watching, m, request{verb: "watch", resource: "pods", method: http.MethodGet, path: podsPath(m.namespace)}, pods.Metadata.ResourceVersion, func(kind string, p *kubePod) { m.seePod(turn, kind, p) })
	}()
	return nil
}

// put notes a pod; the caller has the lock.
func (m *mirror) put(p *kubePod) {
	job := p.Metadata.Labels[jobLabel]
	if m.pods[job] == nil {
		m.pods[job] = map[string]*kubePod{}
	}
	m.pods[job][p.Metadata.UID] = p
}

func (m *mirror) seeJob(turn int, kind string, j *kubeJob) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.turn != turn:
	case kind == "DELETED":
		delete(m.jobs, j.Metadata.Name)
	default:
		m.jobs[j.Metadata.Name] = j
	}
}

func (m *mirror) seePod(turn int, kind string, p *kubePod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.gone = kind == "DELETED"; m.turn == turn {
		m.put(p)
	}
}

// forget drops a Job that has ended and was recorded.
func (m *mirror) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.jobs, name)
	delete(m.pods, name)
}

// watch hears of changes until something goes wrong, or ctx ends. The server ends a watch now and then, and it is begun again where it ended.
func watch[T interface{ version() string }](ctx context.Context, m *mirror, r request, version string, see func(kind string, object *T)) {
	for ctx.Err() == nil {
		r.query = url.Values{"labelSelector": {m.selector}, "watch": {"true"}, "resourceVersion": {version}, "allowWatchBookmarks": {"true"}, "timeoutSeconds": {"290"}}
		body, err := m.c.open(ctx, r)
		if err != nil {
			return
		}
		lines := json.NewDecoder(body)
		heard := false
		for {
			var change struct {
				Type   string `json:"type"`
				Object T      `json:"object"`
			}
			if err = lines.Decode(&change); err != nil {
				break
			}
			if change.Type == "ERROR" {
				body.Close()
				return // the version is too old: list again
			}
			heard = true
			version = change.Object.version()
			if change.Type == "BOOKMARK" {
				continue
			}
			see(change.Type, &change.Object)
			m.changed()
		}
		body.Close()
		if !errors.Is(err, io.EOF) && !heard {
			return
		}
	}
}
