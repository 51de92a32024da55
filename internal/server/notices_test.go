package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/internal/webhook"
	"github.com/eke-bo/eke/study"
)

// heard collects notices.
type heard struct {
	mu   sync.Mutex
	list []webhook.Notice
}

func (h *heard) hear(n webhook.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, n)
}

func (h *heard) all() []webhook.Notice {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]webhook.Notice{}, h.list...)
}

// has reports whether a notice was heard whose text contains something.
func (h *heard) has(event study.Notice, name, text string) bool {
	for _, n := range h.all() {
		if n.Event == event && n.Study == name && strings.Contains(n.Text, text) {
			return true
		}
	}
	return false
}

// New bests, lost workers and the end of all studies are told, whoever creates them and however they are changed. What was there when the
// server started is no news, nor is a result that is not better.
func TestNoticesOfAllStudies(t *testing.T) { ownClock(t, testNoticesOfAllStudies) }

func testNoticesOfAllStudies(t *testing.T) {
	st := openStore(t, "sqlite")
	old := serveInside(t, func(c *server.Config) { c.Store = st })
	old.create(named("old"))
	old.post("/studies/old/ask", `{"worker":"w"}`).fine(200, nil)
	old.post("/studies/old/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)

	var h heard
	g := serveInside(t, func(c *server.Config) { c.Store, c.Notify = st, h.hear })
	for i := 0; len(h.all()) == 0; i++ { // until it has looked for the first time, nothing is news
		g.create(named(fmt.Sprint("probe-", i)))
		g.post(fmt.Sprintf("/studies/probe-%d/end", i), nil).fine(200, nil)
		time.Sleep(200 * time.Millisecond)
	}
	g.create(named("first"))
	g.create(named("second"))
	tell := func(name, body string) {
		t.Helper()
		var asked api.Leases
		g.post("/studies/"+name+"/ask", `{"worker":"w"}`).fine(200, &asked)
		g.post("/studies/"+name+"/trials/"+string(rune('0'+asked.Trials[0].Number))+"/tell", body).fine(200, nil)
	}
	tell("first", `{"value":1,"cost":2}`)
	waitFor(t, func() bool { return h.has(study.NoticeBest, "first", "strength 1 for 2 euros (") })
	tell("second", `{"value":7,"cost":100}`)
	waitFor(t, func() bool {
		return h.has(study.NoticeBest, "second", "7") && h.has(study.NoticeEnd, "second", "its budget of 100 euros is spent")
	})
	tell("first", `{"value":0,"cost":2}`) // worse: it is maximized
	tell("first", `{"value":3,"cost":2}`)
	waitFor(t, func() bool { return h.has(study.NoticeBest, "first", "strength 3") })
	g.post("/studies/first/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/first/trials/4/fail", `{"state":"abandoned","cost":1}`).fine(200, nil)
	waitFor(t, func() bool { return h.has(study.NoticeTrouble, "first", "1 trial abandoned") })
	counted := 0
	for _, n := range h.all() {
		if !strings.HasPrefix(n.Study, "probe") {
			counted++
		}
		if n.Study == "old" || n.Event == study.NoticeBest && n.Trial.(api.Trial).Why != nil || strings.Contains(n.Text, "strength 0") {
			t.Errorf("%+v", n)
		}
	}
	if counted != 5 {
		t.Errorf("%d notices: %+v", counted, h.all())
	}
}
