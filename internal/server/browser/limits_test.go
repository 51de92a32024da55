package browser_test

import (
	"strings"
	"testing"
)

// Results by hand carry what is limited. Before a result meets the limits the page says so; then the best one does, and what does not count is
// told apart. A limit that is changed judges what was measured anew.
func TestLimits(t *testing.T) {
	s := serve(t)
	s.create("name: net\nobjective: {name: loss, goal: minimize}\nlimits: {memory: {max: 8, unit: GB}}\ncost: {source: reported, unit: euros}\nbudget: {total: 30}\nparameters:\n  layers: {type: float, min: 1, max: 8}\n")
	p := s.open("/studies/net/enter")
	p.click("ask")
	p.fill("result-value", "0.5")
	p.fill("result-cost", "1")
	p.is(at("tell")+".disabled", false) // memory may be left out
	p.fill("result-memory", "lots")
	p.is(at("tell")+".disabled", true)
	p.fill("result-memory", "9")
	p.click("tell")
	p.wait(at("told") + "?.innerText.includes('loss 0.5')")
	p.click("tab-overview")
	p.wait(at("no-best") + "?.innerText === 'The only result does not meet the limits yet: memory at most 8 GB (nearest: 9).'")
	for i, memory := range []float64{6, 7, 10} {
		s.answer("net", func(t *trial) {
			t.value, t.cost, t.metrics = 0.4-0.1*float64(i), 1, map[string]float64{"memory": memory}
		})
	}
	p.wait(at("best-metrics") + "?.innerText === 'memory 7 GB'") // trial 4 has a lower loss
	p.see("metric-chart")
	p.is(at("metric-chart")+".querySelectorAll('line.budgetline').length", 1)
	p.shoot("limits")
	p.click("tab-trials")
	p.is("document.querySelectorAll('tr.uncounted').length", 2)

	p.visit("/studies/net/edit")
	p.see("yaml")
	var file string
	p.into(at("yaml")+".value", &file)
	p.fill("yaml", strings.Replace(file, "max: 8", "max: 6.5", 1))
	p.click("save-study")
	p.see("changed")
	p.click("tab-overview")
	p.wait(at("best-metrics") + "?.innerText === 'memory 6 GB'")
	p.quiet()
}
