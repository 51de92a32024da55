package browser_test

import (
	"fmt"
	"testing"
)

const curves = `
name: curves
objective: {name: loss, goal: minimize}
cost: {unit: euros, source: reported}
budget: {total: 200}
parameters:
  lr: {type: float, min: 0.0001, max: 1, log: true}
fidelity: {name: epochs, min: 1, max: 81, log: true, stop_early: median}
policy: {name: random}
`

// learn evaluates a trial that reports values on its way. It is stopped early if it is bad.
func (s *served) learn(study string, bad float64) {
	s.t.Helper()
	t, err := s.ask(study)
	if err != nil {
		s.t.Fatal(err)
	}
	place := fmt.Sprintf("/studies/%s/trials/%d/", study, t.Number)
	for step := 1.0; step <= 81; step *= 3 {
		t.value, t.cost = bad+1/step, step/10
		var out struct{ Stop bool }
		if err := s.post(place+"report", "application/json", fmt.Appendf(nil, `{"step": %v, "value": %v, "cost": %v}`, step, t.value, t.cost), &out); err != nil {
			s.t.Fatal(err)
		}
		if out.Stop {
			break
		}
	}
	if err := s.tell(study, t); err != nil {
		s.t.Fatal(err)
	}
}

// The page draws what trials showed on their way, live, and says where the money went. It has no such chart without a fidelity.
func TestLearningCurves(t *testing.T) {
	s := serve(t)
	s.create(curves)
	for n := range 5 {
		s.learn("curves", 1-float64(n)/10)
	}
	s.learn("curves", 2)
	p := s.open("/studies/curves")
	p.see("learning-chart", "saved")
	p.is(attr("learning-chart", "data-count"), "6")
	paths := func(kind string) string {
		return fmt.Sprintf("%s.querySelector('g[class=\"learning %s\"] path').getAttribute('d').split('M').length - 1", at("learning-chart"), kind)
	}
	p.is(paths("early"), 1)
	p.is(paths(""), 4)
	p.is(paths("top"), 1)
	p.is(attr("learning-chart-log-x", "aria-pressed"), "true") // as the study file has it
	s.learn("curves", 3)
	p.is(attr("learning-chart", "data-count"), "7")
	p.is(paths("early"), 2)
	for _, theme := range []string{"light", "dark"} {
		p.prefer(theme)
		p.wait(readable(theme))
		p.wait(inked("learning-chart", "value"))
		p.shoot("learning-" + theme)
	}
	s.create(net1)
	s.work("net", 3)
	p.visit("/studies/net")
	p.see("money-chart")
	p.is(at("learning"), nil)
	p.quiet()
}
