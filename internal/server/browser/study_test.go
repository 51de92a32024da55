package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A study is created in the form, fills live while a worker asks and tells, and gets more money.
func TestStudyIsCreatedAndFillsLive(t *testing.T) {
	s := serve(t)
	p := s.open("/new")
	p.see("yaml")
	var file string
	p.into(at("yaml")+".value", &file)

	broken := strings.Replace(strings.Replace(file, "min: 1e-5", "min: bad", 1), "total: 100", "total: -5", 1)
	p.fill("yaml", broken)
	p.click("create")
	p.is(`[...document.querySelectorAll('[data-testid="yaml-error"]')].map(e => Number(e.dataset.line))`,
		[]int{lineOf(broken, "total: -5"), lineOf(broken, "min: bad")})
	p.wait(at("yaml-errors") + ".innerText.includes('2 mistakes')")
	p.shoot("new-errors")
	p.fill("yaml", file)
	p.click("create")
	p.is("location.pathname", "/studies/my-study")
	p.see("no-trials")
	p.is(attr("live", "data-state"), "live")
	p.into("window.unspoilt = true", new(bool)) // gone after a reload

	const n = 9
	seen := make(chan struct{}) // the first trial stays open until the page has shown it
	worked := make(chan error, 1)
	var told []trial
	go func() {
		worked <- func() error {
			for i := range n {
				t, err := s.ask("my-study")
				if err != nil {
					return err
				}
				if i == 0 {
					<-seen
				}
				told = append(told, t)
				if err := s.tell("my-study", t); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	p.see("running-table", "running-1")
	p.wait(at("running-1") + ".innerText.includes('oven-1')") // its worker
	close(seen)
	p.is(attr("money-chart", "data-count"), fmt.Sprint(n))
	if err := <-worked; err != nil {
		t.Fatal(err)
	}
	p.is("window.unspoilt", true)

	best, spent := bestOf(told), 0.0
	for _, t := range told {
		spent += t.cost
	}
	p.is(attr("best-value", "data-value"), fmt.Sprint(best.value))
	p.wait(fmt.Sprintf("(t => t.includes('trial %d') && t.includes('loss'))(%s.innerText)", best.Number, at("best")))
	p.wait(fmt.Sprintf("Math.abs(Number(%s) - %v) < 1e-9", attr("gauge", "data-spent"), spent))
	moneyChartShows(p, told)
	p.see("burn-chart", "why-words")
	p.shoot("overview")

	addBudget(p)
	p.quiet()
}

// moneyChartShows goes along the chart with the mouse: at what was spent after each trial, the chart tells of it.
func moneyChartShows(p *page, told []trial) {
	p.t.Helper()
	all, spent := 0.0, 0.0
	for _, t := range told {
		all += t.cost
	}
	for _, t := range told {
		spent += t.cost
		p.tip("money-chart", 0.999*spent/all, fmt.Sprintf("t.startsWith('trial %d: loss ')", t.Number))
	}
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, 1, 1))
	p.wait(inked("money-chart", "value"))
}

// inked says whether a chart has a curve in a colour of the theme.
func inked(chart, colour string) string {
	return fmt.Sprintf(`(() => {
		const rgb = c => { const one = document.createElement('canvas').getContext('2d'); one.fillStyle = c; return one.fillStyle; };
		const want = rgb(getComputedStyle(document.documentElement).getPropertyValue('--%s').trim());
		return [...%s.querySelectorAll('path.curve')].some(c => rgb(getComputedStyle(c).stroke) === want && c.getTotalLength() > 50);
	})()`, colour, at(chart))
}

// addBudget adds 20 to 100, after two amounts that cannot be.
func addBudget(p *page) {
	p.t.Helper()
	p.click("add-budget")
	p.fill("budget-amount", "-3")
	p.is(at("budget-submit")+".disabled", true)
	p.fill("budget-amount", "1e200")
	p.click("budget-submit")
	refused(p, "budget-amount", "1e+15")
	p.shoot("budget-refused")
	p.fill("budget-amount", "20")
	p.click("budget-submit")
	p.is(attr("gauge", "data-total"), "120")
	p.wait("!" + at("budget-dialog"))
	p.is("document.activeElement.dataset.testid", "add-budget")
}

// refused waits until a field says what the service has against it, and nothing else does.
func refused(p *page, field, why string) {
	p.t.Helper()
	p.is(attr(field, "aria-invalid"), "true")
	p.wait(fmt.Sprintf("%s.innerText.includes(%q)", at(field+"-hint"), why))
	p.is("document.getElementById("+attr(field, "aria-describedby")+") === "+at(field+"-hint"), true)
	p.is(at("trouble"), nil)
}

func lineOf(text, part string) int {
	before, _, _ := strings.Cut(text, part)
	return 1 + strings.Count(before, "\n")
}

// Somebody in a lab asks for a setting, comes back later and enters its result, with what the change cost. Then the study is ended.
func TestResultIsEnteredByHand(t *testing.T) {
	s := serve(t)
	s.create(net1 + "changeover: [{of: [layers]}]\n")
	p := s.open("/studies/net/enter")
	p.click("ask")
	p.see("try")
	p.wait("(t => t.includes('lr') && t.includes('layers'))(" + at("try") + ".innerText)")
	p.do(chromedp.Reload())
	p.see("try")
	p.is(at("enter-trial")+".value", "1")
	p.is(at("tell")+".disabled", true)
	p.fill("result-value", "1e150")
	p.fill("result-cost", "2e300")
	p.click("tell")
	refused(p, "result-value", "1e+100")
	refused(p, "result-cost", "1e+15")
	p.shoot("enter-refused")
	p.fill("result-cost", "2.5")
	p.fill("result-value", "0,125")
	p.is(at("result-value-hint")+".innerText", "Write a decimal point, not a comma.")
	p.is(at("tell")+".disabled", true)
	p.fill("result-value", "0.125")
	p.is(attr("result-value", "aria-invalid"), "false")
	p.fill("result-note", "kiln 2")
	p.fill("result-setup", "-2")
	p.is(at("tell")+".disabled", true)
	p.fill("result-setup", "2")
	p.shoot("enter")
	p.click("tell")
	p.wait(at("told") + "?.innerText.includes('0.125')")
	p.click("tab-overview")
	p.is(attr("best-value", "data-value"), "0.125")
	p.is(attr("gauge", "data-spent"), "2.5")
	p.is(at("changes")+"?.innerText", "2 GPU-hours in 1 trial, 80% of what was spent")
	p.click("tab-trials")
	p.wait(at("trial-1") + "?.innerText.includes('2.5\\t2\\t')") // the cost, and of that the change
	p.click("trial-1")
	p.is(at("setup")+"?.innerText", "2 GPU-hours")

	p.click("tab-overview")
	p.click("end-study")
	p.click("end-submit")
	p.is(at("state")+"?.innerText", "ended")
	p.click("tab-enter")
	p.is(at("ask")+"?.disabled", true)
	p.quiet()
}

// The form and the study file are two views of the same text: what is changed in one is changed in the other, and comments stay.
func TestFormAndFileGoInStep(t *testing.T) {
	s := serve(t)
	p := s.open("/new")
	p.see("form", "yaml")
	var file string
	p.into(at("yaml")+".value", &file)
	p.is(at("form-momentum-when")+".textContent", "when optimizer: sgd") // which is written in the file
	p.see("form-more")
	p.fill("form-name", "kiln")
	p.fill("form-budget-total", "250")
	p.fill("form-budget-per_trial", "20")
	p.fill("form-layers-max", "12")
	p.click("form-layers-log")
	p.click("form-momentum-remove")
	p.click("form-add")
	p.see("form-x4-min")
	var after string
	p.into(at("yaml")+".value", &after)
	want := strings.NewReplacer("name: my-study", "name: kiln", "total: 100 ", "total: 250 ", "max: 8}", "max: 12, log: true}",
		"  momentum: {type: float, min: 0, max: 0.99, when: {optimizer: sgd}}\n", "  x4: {type: float, min: 0, max: 1}\n").Replace(file)
	without := strings.Replace(after, "  per_trial: 20\n", "", 1)
	if without != want || without == after {
		t.Errorf("the form has made the file\n%s", after)
	}
	p.fill("yaml", strings.Replace(after, "total: 250", "total: 300", 1))
	p.is(at("form-budget-total")+".value", "300")
	p.fill("form-optimizer-values", `sgd, adam, "16"`) // it counts when it is left
	p.press("form-optimizer-values", "\t")
	p.wait(at("yaml") + `.value.includes('values: [sgd, adam, "16"]')`)
	p.fill("form-x4-name", "beta")
	p.press("form-x4-name", "\t")
	p.see("form-beta-min")
	p.fill("yaml", "name: [")
	p.see("form-lost")
	p.fill("yaml", after)
	p.is(at("form-name")+"?.value", "kiln")
	p.shoot("form")
	p.click("create")
	p.is("location.pathname", "/studies/kiln")
	p.is(attr("gauge", "data-total"), "250")
	p.quiet()
}

// Of several objectives the page shows all: results by hand carry them, the table lists them, and the front is drawn with what the rest of the money may add.
func TestSeveralObjectives(t *testing.T) {
	s := serve(t)
	s.create("name: two\nobjectives: {loss: {goal: minimize, worst: 9}, size: {goal: minimize, worst: 9}}\ncost: {source: reported, unit: euros}\nbudget: {total: 30}\nparameters:\n  layers: {type: float, min: 1, max: 8}\n")
	p := s.open("/studies/two/enter")
	p.click("ask")
	p.fill("result-value", "8")
	p.fill("result-cost", "1")
	p.is(at("tell")+".disabled", true) // the other objective is missing
	p.fill("result-size", "8.5")
	p.click("tell")
	p.wait(at("told") + "?.innerText.includes('loss 8')")
	for i := range 6 {
		s.answer("two", func(t *trial) {
			layers := t.Setting["layers"].(float64)
			t.value, t.cost, t.metrics = 8-layers, 1, map[string]float64{"size": layers}
			if i == 5 {
				t.value, t.metrics["size"] = -2, 9.5 // nothing beats it, but it is beyond the worst
			}
		})
	}
	p.click("tab-overview")
	p.wait("document.querySelector('p.goal').innerText.startsWith('smallest loss, smallest size')")
	p.see("front-chart", "front-table", "hypervolume", "front-band")
	p.wait(at("beyond-worst") + "?.innerText === '1 result that no other beats is not on the front, being beyond worst (size 9): trial 7.'")
	p.is(at("front-table")+".querySelectorAll('tbody tr').length", 5) // what was entered by hand is beaten
	p.wait(at("front-band") + ".querySelector('path.band').getTotalLength() > 10")
	p.shoot("front")
	p.click("tab-trials")
	p.wait("(t => /loss\\s+size/.test(t) && t.includes('8.5'))(" + at("trials") + ".innerText)")
	p.quiet()
}

// With noise the page has the front of the server, which is that of what the models expect, and shows that beside what was seen. A result of one's own carries all that
// the study asks for.
func TestFrontWithNoise(t *testing.T) {
	s := serve(t)
	s.create("name: two\nobjectives: {loss: {goal: minimize}, size: {goal: minimize}}\nlimits: {heat: {max: 9, unit: K}}\nnoise: true\ncost: {source: reported, unit: euros}\nbudget: {total: 30}\nparameters:\n  layers: {type: float, min: 1, max: 8}\n")
	for i := range 10 {
		s.answer("two", func(t *trial) {
			layers, luck := t.Setting["layers"].(float64), float64(i*7%5)-2
			t.value, t.cost, t.metrics = 8-layers+luck, 1, map[string]float64{"size": layers - luck/2, "heat": 5}
		})
	}
	p := s.open("/studies/two")
	p.see("front-table")
	const shown = `[...document.querySelectorAll('[data-testid="front-table"] tbody tr')]`
	const fetched = `fetch('/api/v1/studies/two').then(r => r.json()).then(s => s.front)`
	p.is(fetched+".then(f => f.expected.length === f.trials.length && f.seen.length === f.trials.length && f.trials.length > 0)", true)
	p.is(fetched+".then(f => f.trials.map(t => String(t.number)).join() === "+shown+".map(r => r.dataset.trial).join())", true)
	p.is(fetched+".then(f => Math.abs(f.expected[0][0] - Number("+shown+"[0].cells[1].innerText.replace('−', '-'))) < 0.01)", true)
	p.is(fetched+".then(f => Math.abs(f.seen[0][0][0] - Number("+shown+"[0].cells[2].innerText.split(',')[0].replace('−', '-'))) < 0.01)", true)
	p.shoot("front-noise")
	p.visit("/studies/two/enter")
	p.see("own-value", "own-result-size", "own-result-heat", "own-cost")
	p.fill("own-layers", "4")
	p.fill("own-value", "-3")
	p.is(at("own-submit")+".disabled", true) // the other objective is missing
	p.fill("own-result-size", "0.5")
	p.fill("own-result-heat", "6")
	p.fill("own-cost", "2")
	p.shoot("own-several")
	p.click("own-submit")
	p.wait(at("own-said") + "?.textContent.includes('knows this result now')")
	p.quiet()
}
