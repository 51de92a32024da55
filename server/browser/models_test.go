package browser_test

import (
	"fmt"
	"testing"
)

// What the models have learnt is drawn: a slice for every parameter, a map of two, what was foreseen; and why a trial was chosen.
func TestModelsAreDrawn(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 1)
	p := s.open("/studies/net/models")
	p.see("not-enough")

	told := s.work("net", 13) // and the first
	p.see("importance", "slices", "heat-map")
	p.is(at("importance")+".querySelectorAll('tbody tr').length", 3)
	p.visit("/studies/net/models") // so that all of them are in the models
	p.see("slices", "heat-map", "forecast-value", "forecast-cost")
	for _, kind := range []string{"value", "cost"} {
		for _, name := range []string{"lr", "layers"} {
			chart := at("slice-" + kind + "-" + name)
			p.wait(chart + "?.querySelector('path.curve')?.getTotalLength() > 50")
			p.is(chart+".querySelectorAll('path.band').length", 1)
			// One stroke at the bottom for each trial.
			p.is(chart+".querySelector('path.rug').getAttribute('d').split('M').length - 1", 14)
		}
		p.is(at("slice-"+kind+"-optimizer")+".querySelectorAll('circle.m').length", 2)
		p.wait(at("forecast-"+kind) + ".querySelectorAll('circle.m').length > 3")
		p.is(at("forecast-"+kind)+".querySelectorAll('circle.m').length === "+at("forecast-"+kind)+".querySelectorAll('path.bar').length", true)
	}
	p.is(at("heat-map")+".querySelectorAll('circle.heatdot').length", 14)
	p.is(at("heat-map")+".querySelectorAll('circle.heatdot.best').length", 1)
	p.wait(coloured("heat-map"))
	p.shoot("models")

	p.eval(fmt.Sprintf(`(s => { s.value = "3"; s.dispatchEvent(new Event("change", {bubbles: true})); })(%s)`, at("slice-through")))
	p.is("document.querySelector('#slices-title').innerText", "Around trial 3")

	last := told[len(told)-1].Number
	p.visit(fmt.Sprintf("/studies/net/trials?trial=%d", last))
	p.see("why-words", "plan-path")
	p.wait(at("plan-path") + ".querySelectorAll('circle.stop').length >= 2") // the trial, and what may come after it
	p.is(at("plan-path")+".querySelectorAll('circle.stop.first').length", 1)
	p.shoot("why")
	p.quiet()
}

// coloured says whether a chart's canvas has many colours, as a map must.
func coloured(chart string) string {
	return fmt.Sprintf(`(canvas => {
		const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
		for (let i = 0; i < all.length; i += 4) if (all[i+3] > 0) seen.add(all[i] << 16 | all[i+1] << 8 | all[i+2]);
		return seen.size > 20;
	})(%s.querySelector('canvas'))`, at(chart))
}
