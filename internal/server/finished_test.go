package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/study"
)

// listedAs returns a study as the list has it.
func (g *given) listedAs(name string) api.Summary {
	g.t.Helper()
	var list api.Studies
	g.get("/studies?search="+name).fine(200, &list)
	if len(list.Studies) != 1 {
		g.t.Fatalf("%+v", list)
	}
	return list.Studies[0]
}

// A study that is over is listed as finished, and says why, from the moment that this is known.
func TestFinishedIsListed(t *testing.T) {
	g := serve(t)
	g.create(named("spent"))
	g.create(named("active"))
	if s := g.listedAs("spent"); s.Finished != nil {
		t.Errorf("%+v", s.Finished)
	}
	g.post("/studies/spent/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/spent/trials/1/tell", `{"value":1,"cost":100}`).fine(200, nil)
	if s := g.listedAs("spent"); s.Finished == nil || s.Finished.Code != fault.BudgetSpent || !strings.Contains(s.Finished.Reason, "100 euros") {
		t.Errorf("%+v", s.Finished)
	}
	var list api.Studies
	for state, want := range map[string]string{"finished": "spent", "active": "active"} {
		if g.get("/studies?state="+state).fine(200, &list); len(list.Studies) != 1 || list.Studies[0].Name != want {
			t.Errorf("%s: %+v", state, list)
		}
	}
	g.post("/studies/spent/budget", `{"add":1}`).fine(200, nil)
	if s := g.listedAs("spent"); s.Finished != nil {
		t.Errorf("%+v", s.Finished)
	}
}

// Where it takes an ask to find out that a study is over, the list knows from then on, though the log has not grown.
func TestRefusalIsListed(t *testing.T) {
	g := serve(t)
	g.create("name: two\nobjective: {goal: minimize}\ncost: {source: reported, unit: euros}\nbudget: {total: 100}\nparameters: {on: {type: bool}}\n")
	for n := range 2 {
		g.post("/studies/two/ask", `{"worker":"w"}`).fine(200, nil)
		g.post("/studies/two/trials/"+string(rune('1'+n))+"/tell", `{"value":1,"cost":1}`).fine(200, nil)
	}
	if s := g.listedAs("two"); s.Finished != nil {
		t.Errorf("%+v", s.Finished)
	}
	p := g.post("/studies/two/ask", `{"worker":"w"}`).refused(409, fault.Exhausted, "")
	if s := g.listedAs("two"); s.Finished == nil || s.Finished.Code != p.Code {
		t.Errorf("%+v, %+v", s.Finished, p)
	}
}

// A server that was started anew finds out by itself, without another ask, and does not tell it as news.
func TestRefusalIsListedAfterARestart(t *testing.T) { ownClock(t, testRefusalIsListedAfterARestart) }

func testRefusalIsListedAfterARestart(t *testing.T) {
	g := serveInside(t)
	for _, name := range []string{"two", "going"} {
		g.create("name: " + name + "\nobjective: {goal: minimize}\ncost: {source: reported, unit: euros}\nbudget: {total: 100}\nparameters: {on: {type: bool}}\n")
		g.post("/studies/"+name+"/ask", `{"worker":"w"}`).fine(200, nil)
		g.post("/studies/"+name+"/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	}
	g.post("/studies/two/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/two/trials/2/tell", `{"value":1,"cost":1}`).fine(200, nil)
	var h heard
	again := serveInside(t, func(c *server.Config) { c.Store, c.Notify = g.store, h.hear })
	var rest struct{ Finished *api.End }
	if again.get("/studies/two/rest").fine(200, &rest); rest.Finished == nil || rest.Finished.Code != fault.Exhausted {
		t.Errorf("asked as soon as the server began: %+v", rest.Finished)
	}
	waitFor(t, func() bool {
		s := again.listedAs("two")
		return s.Finished != nil && s.Finished.Code == fault.Exhausted && strings.Contains(s.Finished.Reason, "every setting has been tried")
	})
	var s api.Study
	if again.get("/studies/two").fine(200, &s); s.Finished == nil || s.Version != 6 {
		t.Errorf("%+v", s.Summary)
	}
	if s := again.listedAs("going"); s.Finished != nil || s.Version != 3 {
		t.Errorf("%+v", s)
	}
	for i := 0; len(h.all()) == 0; i++ { // until it has looked for the first time, nothing is news
		again.create(named(fmt.Sprint("probe-", i)))
		again.post(fmt.Sprintf("/studies/probe-%d/end", i), nil).fine(200, nil)
		time.Sleep(200 * time.Millisecond)
	}
	if h.has(study.NoticeEnd, "two", "") {
		t.Errorf("%+v", h.all())
	}
}

// A deadline passes without a change of the log.
func TestOverdueIsListed(t *testing.T) { ownClock(t, testOverdueIsListed) }

func testOverdueIsListed(t *testing.T) {
	g := serveInside(t)
	g.create(strings.Replace(named("late"), "total: 100", "total: 100, deadline: 1s", 1))
	g.post("/studies/late/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/late/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
	if s := g.listedAs("late"); s.Finished != nil {
		t.Errorf("before its deadline: %+v", s.Finished)
	}
	time.Sleep(time.Second + time.Millisecond)
	if s := g.listedAs("late"); s.Finished == nil || !strings.Contains(s.Finished.Reason, "deadline") {
		t.Errorf("%+v", s.Finished)
	}
}

// The reason for an end stays what was said first, until something happens: a forecast gives no other one.
func TestReasonStays(t *testing.T) {
	g := serve(t)
	g.create("name: four\nobjective: {goal: minimize}\ncost: {source: reported, unit: euros}\nbudget: {total: 100}\nparameters: {n: {type: int, min: 1, max: 4}}\n")
	for n := range 4 {
		g.post("/studies/four/ask", `{"worker":"w"}`).fine(200, nil)
		g.post(fmt.Sprintf("/studies/four/trials/%d/tell", n+1), fmt.Sprintf(`{"value":%d,"cost":1}`, n)).fine(200, nil)
	}
	g.post("/studies/four/ask", `{"worker":"w"}`).refused(409, fault.Exhausted, "")
	first := g.listedAs("four").Finished
	g.get("/studies/four/rest").fine(200, nil)
	if again := g.listedAs("four").Finished; first == nil || again == nil || *again != *first {
		t.Errorf("%+v, and after a forecast %+v", first, again)
	}
}

// The sums of the money, and what the rest buys, are those of full trials and of looks apart.
func TestSpendingIsTold(t *testing.T) {
	g := serve(t)
	g.create("name: looks\nobjective: {goal: minimize}\ncost: {source: reported, unit: euros}\nbudget: {total: 10}\nparameters: {x: {type: float, min: 0, max: 1}}\nfidelity: {name: epochs, steps: [1, 9]}\n")
	for n, told := range []struct{ setting, verb, result string }{
		{`"x":0.1,"epochs":1`, "tell", `{"value":2,"cost":0.25}`}, {`"x":0.1,"epochs":9`, "tell", `{"value":3,"cost":2}`}, {`"x":0.2,"epochs":9`, "fail", `{"cost":1}`},
	} {
		g.post("/studies/looks/queue", `{"setting":{`+told.setting+`}}`).fine(200, nil)
		g.post("/studies/looks/ask", `{"worker":"w"}`).fine(200, nil)
		g.post(fmt.Sprintf("/studies/looks/trials/%d/%s", n+1, told.verb), told.result).fine(200, nil)
	}
	var s api.Study
	g.get("/studies/looks").fine(200, &s)
	if want := (study.Spending{Results: 2, Looks: 0.25, Lost: 1}); s.Spending != want {
		t.Errorf("spent on %+v, want %+v", s.Spending, want)
	}
	if b := s.Buys; b == nil || b.Trials != 3 || b.CostEach != 2 || b.Words != "about 3 full trials of 2 euros each" {
		t.Errorf("%+v", b)
	}
	if s.Hurts != "it had a better value with fewer epochs: 2 at 1, 3 at 9; more epochs hurt, or it was luck" {
		t.Errorf("%q", s.Hurts)
	}
}

// A part of a setting waits in the queue as it is, and the trial has all of it.
func TestPartOfASetting(t *testing.T) {
	g := serve(t)
	g.create(named("kiln"))
	var item api.Item
	g.post("/studies/kiln/queue", `{"setting":{"n":3}}`).fine(200, &item)
	if !item.Part || len(item.Setting) != 1 {
		t.Errorf("%+v", item)
	}
	var leases api.Leases
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, &leases)
	if n, _ := leases.Trials[0].Setting["n"].Number(); n != 3 || len(leases.Trials[0].Setting) < 2 {
		t.Errorf("%+v", leases)
	}
	g.post("/studies/kiln/queue", `{"setting":{"n":3,"wood":1}}`).refused(422, fault.BadRequest, "body.setting")
	g.post("/studies/kiln/queue", `{"setting":{}}`).refused(422, fault.BadRequest, "body.setting")
}
