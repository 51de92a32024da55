package browser_test

import (
	"fmt"
	"testing"
)

// What the models have learnt is drawn: a slice for every parameter, a map of two, what was foreseen; and why a trial was chosen.
func TestModelsAreDrawn(t *testing.T) {
	s := serve(t)
	s.create(net1 + "policy: {name: 4-bmsei-p, design: 8}\nstop: never\n") // a plan can be drawn
	first := s.work("net", 1)[0]
	p := s.open("/studies/net/models")
	p.see("not-enough")

	told := s.work("net", 13) // and the first
	p.see("importance", "slices", "heat-map")
	p.is(at("importance")+".querySelectorAll('tbody tr').length", 3)
	p.wait(share("layers", 2) + " > 80") // nothing else costs anything
	p.wait(share("lr", 1) + " > 20")
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
	// Lines of equal values, as many as have their place in the map, with labels; the trials lie over them.
	lines := at("heat-map") + ".querySelectorAll('.contours path.contour')"
	p.wait(lines + ".length >= 3")
	p.is("[..."+lines+"].every(l => l.getTotalLength() > 20 && [...document.querySelectorAll('.legend span')].some(t => t.innerText === l.dataset.level))", true)
	p.is("[..."+at("heat-map")+".querySelectorAll('.contours text')].map(t => t.textContent).every((t, _, all) => all.length >= 2 && [..."+lines+"].some(l => l.dataset.level === t))", true)
	p.is(at("heat-map")+".querySelector('.contours').compareDocumentPosition("+at("heat-map")+".querySelector('.heatdot')) === Node.DOCUMENT_POSITION_FOLLOWING", true)
	p.wait(at("heat") + ".innerText.includes('All others stay as in the best trial: ')")
	p.shoot("models")
	p.press("forecast-value", "+")
	p.is(attr("forecast-value", "data-zoomed"), "true")
	p.click("forecast-value-reset")
	p.is(attr("forecast-value", "data-zoomed"), "false")
	p.eval(at("heat-of") + ".querySelectorAll('button')[2].click()")
	p.is(attr("heat-map", "data-of"), "cost")
	p.wait(coloured("heat-map"))

	p.choose("slice-through", "3")
	p.is("document.querySelector('#slices-title').innerText", "Around trial 3")

	last := told[len(told)-1].Number
	p.visit(fmt.Sprintf("/studies/net/trials?trial=%d", last))
	p.see("why-words", "plan-path")
	p.wait(at("plan-path") + ".querySelectorAll('circle.stop').length >= 2") // the trial, and what may come after it
	p.is(at("plan-path")+".querySelectorAll('circle.stop.first').length", 1)
	// The line it had to beat: the last was asked for when all others were told.
	before := bestOf(append([]trial{first}, told[:len(told)-1]...))
	p.is("Number("+at("plan-path")+".querySelector('text.here').textContent.replace('best before ', ''))", before.value)
	p.shoot("why")
	p.quiet()
}

// One parameter is a picture of its value beside one of its cost, and no map.
func TestModelOfOneParameter(t *testing.T) {
	s := serve(t)
	s.create("name: one\nobjective: {name: loss, goal: minimize}\ncost: {source: reported, unit: euros}\nbudget: {total: 100}\nparameters:\n  layers: {type: float, min: 1, max: 8}\nstop: never\n")
	s.work("one", 8)
	p := s.open("/studies/one/models")
	p.see("slice-value-layers", "slice-cost-layers")
	p.is("(a => b => a.top === b.top && a.right <= b.left)("+at("slice-value-layers")+".getBoundingClientRect())("+at("slice-cost-layers")+".getBoundingClientRect())", true)
	p.is(at("heat"), nil)
	p.shoot("one-parameter")
	p.quiet()
}

// share is what a parameter has to say, in percent, in a column of the table of importance.
func share(parameter string, column int) string {
	return fmt.Sprintf("parseFloat([...%s.querySelectorAll('tbody tr')].find(r => r.cells[0].innerText === '%s').cells[%d].innerText.replace(/[<>]/, ''))", at("importance"), parameter, column)
}

// coloured says whether a chart's canvas has many colours, as a map must.
func coloured(chart string) string {
	return fmt.Sprintf(`(canvas => {
		const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
		for (let i = 0; i < all.length; i += 4) if (all[i+3] > 0) seen.add(all[i] << 16 | all[i+1] << 8 | all[i+2]);
		return seen.size > 20;
	})(%s.querySelector('canvas'))`, at(chart))
}
