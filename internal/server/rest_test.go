package server_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
)

const restful = `name: restful
objective: {name: loss, goal: minimize}
cost: {source: reported, unit: euros}
budget: {total: 40}
parameters: {x: {type: float, min: 0, max: 1}}
policy: {name: log-ei-puc}
stop: {gain: 100}
`

// A study on a server ends when the rest is not worth it, says what the rest would buy, and goes on when it is told to.
func TestStudyStopsAndGoesOn(t *testing.T) {
	g := serve(t)
	g.create(restful)
	var ahead server.Ahead
	var s api.Study
	g.get("/studies/restful/rest").fine(200, &ahead)
	if ahead.Rest != nil {
		t.Errorf("of nothing it expects %+v", ahead.Rest)
	}
	number := 0
	for ; number < 20; number++ {
		a := g.post("/studies/restful/ask", `{"worker":"w"}`)
		if a.status != 200 {
			break
		}
		var l api.Leases
		a.fine(200, &l)
		x, _ := l.Trials[0].Setting["x"].Number()
		g.post(fmt.Sprintf("/studies/restful/trials/%d/tell", number+1), map[string]any{"value": math.Cos(5 * x), "cost": 1}).fine(200, nil)
	}
	if number < 3 || number > 8 {
		t.Errorf("it ended after %d trials", number)
	}
	g.post("/studies/restful/ask", `{"worker":"w"}`).refused(409, fault.NotWorth, "")
	g.get("/studies/restful").fine(200, &s)
	if s.Finished == nil || s.Finished.Code != fault.NotWorth || !strings.Contains(s.Finished.Reason, "not worth its price") {
		t.Errorf("%+v", s.Finished)
	}
	again := serve(t, func(c *server.Config) { c.Store = g.store }) // which nobody has asked for a trial yet
	if again.get("/studies/restful/rest").fine(200, &ahead); ahead.Finished == nil || ahead.Finished.Code != fault.NotWorth {
		t.Errorf("%+v", ahead.Finished)
	}
	s.Finished = nil
	if again.get("/studies/restful").fine(200, &s); s.Finished == nil {
		t.Error("the server has forgotten why the study is over")
	}
	g.get("/studies/restful/rest?add=5").fine(200, &ahead)
	if r := ahead.Rest; r == nil || r.Left != 45-float64(number) || len(r.Fan) == 0 || !(r.Better <= r.Median && r.Median <= r.Best) {
		t.Errorf("with 5 more it expects %+v", ahead.Rest)
	}
	g.post("/studies/restful/stop", `{"stop":"never"}`).fine(200, &s)
	if !s.Definition.Stop.Never || s.Finished != nil {
		t.Errorf("the definition says %+v", s.Definition.Stop)
	}
	g.post("/studies/restful/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/restful/stop", `{"stop":{"gain":0.5}}`).fine(200, &s)
	if s.Definition.Stop.Gain != 0.5 {
		t.Errorf("the definition says %+v", s.Definition.Stop)
	}
	for _, body := range []string{`{"stop":"always"}`, `{"stop":{"gain":-1}}`, `{"stop":{}}`, `{}`, `{"stop":7}`} {
		if a := g.post("/studies/restful/stop", body); a.status < 400 || a.status >= 500 || !strings.Contains(string(a.body), "stop") {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	g.get("/studies/restful/rest?add=-1").refused(422, fault.BadRequest, "")
	g.post("/studies/restful/end", nil).fine(200, nil)
	g.get("/studies/restful/rest").fine(200, &ahead)
	if ahead.Rest != nil {
		t.Errorf("of a study that has ended it expects %+v", ahead.Rest)
	}
}
