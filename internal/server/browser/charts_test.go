package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// drag goes with the mouse from one part of a box to another.
func (p *page) drag(b box, x0, y0, x1, y1 float64, how ...chromedp.MouseOption) {
	p.t.Helper()
	how = append(how, chromedp.ButtonLeft)
	at := func(x, y float64) (float64, float64) { return b.X + x*b.W, b.Y + y*b.H }
	x, y := at(x0, y0)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseEvent(chromedp.MousePressed, x, y, how...))
	x, y = at((x0+x1)/2, (y0+y1)/2)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y, how...))
	x, y = at(x1, y1)
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y, how...), chromedp.MouseEvent(chromedp.MouseReleased, x, y, how...))
}

// labels are the texts of a chart, of its axes for the most part.
func labels(chart string) string {
	return fmt.Sprintf("[...%s.querySelectorAll('.lines text')].map(t => t.textContent).join(' ')", at(chart))
}

// Charts are zoomed by dragging, by the wheel and by keys, moved, and made logarithmic; a trial is marked in all of them, and opened.
func TestChartsAreWorkedWith(t *testing.T) {
	s := serve(t)
	s.create(net1)
	told := s.work("net", 12)
	p := s.open("/studies/net")
	p.see("money-chart", "trade-chart", "burn-chart", "rest") // the forecast changes the axes
	all := p.still(labels("money-chart"))
	pane := p.box("money-chart", ".querySelector('.pane')")
	p.drag(pane, 0.3, 0.3, 0.7, 0.7)
	p.is(attr("money-chart", "data-zoomed"), "true")
	p.wait(fmt.Sprintf("%s !== %q", labels("money-chart"), all)) // its axes have changed
	part := p.still(labels("money-chart"))
	p.drag(pane, 0.5, 0.5, 0.3, 0.5, chromedp.ButtonModifiers(8)) // with Shift
	p.wait(fmt.Sprintf("%s !== %q", labels("money-chart"), part))
	p.click("money-chart-reset")
	p.is(labels("money-chart"), all)
	p.press("money-chart", "+")
	p.is(attr("money-chart", "data-zoomed"), "true")
	p.press("money-chart", "0")
	p.is(attr("money-chart", "data-zoomed"), "false")
	wheel := fmt.Sprintf("%s.querySelector('.pane').dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, deltaY: -150, clientX: %v, clientY: %v}))", at("money-chart"), pane.X+pane.W/2, pane.Y+pane.H/2)
	p.is(wheel, false) // the page does not scroll
	p.is(attr("money-chart", "data-zoomed"), "true")
	p.press("money-chart", kb.Escape)
	p.is(labels("money-chart"), all)
	p.eval("document.activeElement.blur()")
	p.is(wheel, true) // without the focus, it does
	p.is(attr("money-chart", "data-zoomed"), "false")
	drawn := "[..." + at("money-chart") + ".querySelectorAll('.lines')].map(l => l.outerHTML).join()" // the same numbers may stand elsewhere
	plain := p.still(drawn)
	for _, axis := range []string{"x", "y"} {
		p.click("money-chart-log-" + axis)
		p.wait(fmt.Sprintf("%s !== %q", drawn, plain))
		p.click("money-chart-log-" + axis)
		p.wait(fmt.Sprintf("%s === %q", drawn, plain))
	}

	// The best is the end of the front. Pointing at its row marks it in the charts, and pointing into a chart marks its row.
	best := bestOf(told)
	rings := "[...document.querySelectorAll('.ring')].filter(r => !r.hidden).length"
	p.is(fmt.Sprintf("%s.querySelector('tbody tr').dataset.trial", at("trade-table")), fmt.Sprint(best.Number))
	row := p.box("trade-table", ".querySelector('tbody tr')")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, row.X+row.W/2, row.Y+row.H/2))
	p.is(rings, 3)
	p.is(at("trade-table")+".querySelector('tbody tr').classList.contains('lit')", true)
	var ring box // from the corner of its chart
	p.into("(c => (r => ({x: r.x - c.getBoundingClientRect().x, y: r.y - c.getBoundingClientRect().y, w: r.width, h: r.height}))(c.querySelector('.ring').getBoundingClientRect()))("+at("trade-chart")+")", &ring)
	p.shoot("charts")
	chart := p.box("trade-chart", "")
	x, y := chart.X+ring.X+ring.W/2, chart.Y+ring.Y+ring.H/2
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, 1, 1), chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	p.is(rings, 3)
	p.wait(fmt.Sprintf("%s.querySelector('.plottip').textContent.startsWith('trial %d: loss ')", at("trade-chart"), best.Number))
	p.do(chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft), chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft))
	p.is("location.pathname + location.search", fmt.Sprintf("/studies/net/trials?trial=%d", best.Number))
	p.see("trial-detail")
	p.quiet()
}

// Twenty choices and sixty parameters have their axes; what is drawn can be saved, and holds no formulas.
func TestChartsOfManyAndTheirExport(t *testing.T) {
	s := serve(t)
	var file strings.Builder
	file.WriteString("name: wide\nobjective: {name: loss, goal: minimize}\ncost: {source: reported, unit: euros}\nbudget: {total: 20}\nstop: never\npolicy: {name: random}\nparameters:\n")
	file.WriteString("  kind: {type: choice, values: ['=1+1'")
	for i := range 19 {
		fmt.Fprintf(&file, ", choice-%d", i)
	}
	file.WriteString("]}\n")
	for i := range 59 {
		fmt.Fprintf(&file, "  parameter_%d: {type: float, min: 0, max: 1}\n", i)
	}
	s.create(file.String())
	for range 10 {
		trial, err := s.ask("wide")
		if err != nil {
			t.Fatal(err)
		}
		trial.value, trial.cost = trial.Setting["parameter_0"].(float64), 2
		if err := s.tell("wide", trial); err != nil {
			t.Fatal(err)
		}
	}
	p := s.open("/studies/wide")
	p.wait(at("finished") + "?.innerText.includes('Its budget of 20 euros is spent.')")
	p.see("trade-chart")
	p.eval("(window.saved = [], URL.createObjectURL = (make => b => (saved.push(b), make(b)))(URL.createObjectURL.bind(URL)), true)")
	save := func(chart, as string) {
		t.Helper()
		p.eval(fmt.Sprintf("(saved.length = 0, %s.open = true, %s.querySelector('[data-as=%s]').click())", at("export-"+chart), at("export-"+chart), as))
		p.wait("saved.length === 1")
	}
	save("money-chart", "svg")
	p.is(`saved[0].text().then(t => { const d = new DOMParser().parseFromString(t, "image/svg+xml"); return [d.querySelectorAll("parsererror").length, d.querySelectorAll("path[stroke]").length > 5, d.querySelectorAll("[class], [style]").length]; })`, []any{0, true, 0})
	save("trade-chart", "png")
	p.is(`saved[0].arrayBuffer().then(b => [...new Uint8Array(b).slice(1, 4)].map(c => String.fromCharCode(c)).join("") + (b.byteLength > 5000))`, "PNGtrue")
	save("burn-chart", "csv")
	p.is(`saved[0].text().then(t => t.split("\r\n").filter((_, k) => k === 0 || k === 11).map(l => l.replace(/,[^,]*,/, ",…,")))`, []string{`trial,…,"left, euros"`, "10,…,0"})

	p.visit("/studies/wide/trials")
	p.see("parallel")
	p.is(at("parallel")+".querySelectorAll('.pillar').length", 62)
	p.is(at("parallel")+".scrollWidth <= 1300", true)
	p.is(at("brush-p.kind")+".querySelectorAll('.mark').length", 20)
	p.eval("(window.saved = [], URL.createObjectURL = (make => b => (saved.push(b), make(b)))(URL.createObjectURL.bind(URL)), true)")
	save("parallel", "csv")
	p.is(`saved[0].text().then(t => t.split("\r\n").some(l => /^\d+,=/.test(l)))`, false)
	axis := p.box("brush-p.kind", "")
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, axis.X+axis.W-8, axis.Y+axis.H/2))
	p.shoot("wide")

	p.fill("filter", "parameter_0 < 0.5 and number <= 9")
	p.wait("/^\\d of 10 trials$/.test(" + at("trial-count") + ".innerText)")
	p.fill("filter", "parameter_0 <")
	p.wait(at("filter-error") + ".innerText === 'A value must follow <.'")
	p.is(attr("filter", "aria-invalid"), "true")
	p.is(at("trial-count")+".innerText", "10 trials")
	p.fill("filter", "nothing > 3")
	p.wait(at("filter-error") + ".innerText.startsWith('There is no nothing; there are number')")
	p.eval(at("columns") + ".open = true")
	head := "[...document.querySelectorAll('table.trials th')].slice(0, 3).map(h => h.innerText.trim())"
	p.click("column-state")
	p.click("left-charged")
	p.click("left-charged") // past the state, which is hidden, and the value
	p.is(head, []string{"#", "cost, euros", "loss"})
	p.shoot("columns")
	p.do(chromedp.Reload())
	p.see("rows")
	p.is(head, []string{"#", "cost, euros", "loss"})
	p.quiet()
}
