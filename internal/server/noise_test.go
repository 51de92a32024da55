package server_test

import (
	"fmt"
	"testing"

	"github.com/eke-bo/eke/internal/api"
)

const noisy = `name: noisy
objective: {name: loss, goal: minimize}
noise: true
cost: {source: reported, unit: euros}
budget: {total: 40, per_trial: 2}
parameters: {x: {type: float, min: 0, max: 1}}
`

// Where evaluations have noise, the best is the setting that the models expect to be the best, everywhere in the interface, and its
// value is an estimate from all that was seen there.
func TestBestWithNoise(t *testing.T) {
	g := serve(t)
	g.create(noisy)
	for i, c := range []struct{ x, value float64 }{{0.2, 0.25}, {0.2, 0.2}, {0.8, 0.9}, {0.8, 1.1}, {0.8, 0.15}} {
		g.post("/studies/noisy/queue", map[string]any{"setting": map[string]any{"x": c.x}}).fine(200, nil)
		g.post("/studies/noisy/ask", `{"worker":"w"}`).fine(200, nil)
		g.post(fmt.Sprintf("/studies/noisy/trials/%d/tell", i+1), map[string]any{"value": c.value, "cost": 1}).fine(200, nil)
	}
	var best, trial api.Trial
	var s api.Study
	var all api.Studies
	g.get("/studies/noisy/best").fine(200, &best)
	g.get("/studies/noisy").fine(200, &s)
	g.get("/studies").fine(200, &all)
	for name, b := range map[string]*api.Trial{"best": &best, "study": s.Best, "list": all.Studies[0].Best} {
		e := b.Estimate
		if e == nil || b.Number != 1 || *b.Value != e.Value || !(e.Low < e.Value && e.Value < e.High && e.SD > 0) || fmt.Sprint(e.Values) != "[0.25 0.2]" {
			t.Errorf("%s: %+v, %+v", name, b, e)
		}
	}
	if g.get("/studies/noisy/trials/1").fine(200, &trial); *trial.Value != 0.25 || trial.Estimate != nil {
		t.Errorf("the trial itself is %+v", trial)
	}
	var in struct{ Best int }
	if g.get("/studies/noisy/insight").fine(200, &in); in.Best != 1 {
		t.Errorf("the insight goes through trial %d", in.Best)
	}
	g.post("/studies/noisy/forget", `{"trials":[1,2]}`).fine(200, &s)
	if b := s.Best; b == nil || b.Number != 3 || b.Estimate == nil || len(b.Estimate.Values) != 3 {
		t.Errorf("after that was forgotten: %+v", b)
	}
	if g.get("/studies/noisy/insight").fine(200, &in); in.Best != 3 {
		t.Errorf("after that was forgotten, the insight goes through trial %d", in.Best)
	}
}
