package browser_test

import (
	"fmt"
	"strings"
	"testing"
)

// spent is a study whose budget five trials use up.
var spent = strings.Replace(strings.Replace(net1, "name: net", "name: spent", 1), "budget: {total: 100}", "budget: {total: 10}\npolicy: {name: random}\nstop: never", 1)

// A study that is over is not live and cannot be paused. More money wakes it up.
func TestFinishedStudyIsNotLive(t *testing.T) {
	s := serve(t)
	s.create(spent)
	p := s.open("/studies/spent")
	p.is(attr("live", "data-state"), "live")
	p.see("pause")
	for range 5 {
		trial, err := s.ask("spent")
		if err != nil {
			t.Fatal(err)
		}
		trial.cost = 2
		if err := s.tell("spent", trial); err != nil {
			t.Fatal(err)
		}
	}
	p.see("finished")
	p.is(at("state")+"?.innerText", "finished")
	p.wait("!" + at("live"))
	p.is(at("pause"), nil)
	p.see("add-budget", "end-study")
	p.shoot("finished")
	p.click("add-budget")
	p.fill("budget-amount", "20")
	p.click("budget-submit")
	p.is(attr("live", "data-state"), "live")
	p.see("pause")
	p.click("end-study")
	p.click("end-submit")
	p.is(at("state")+"?.innerText", "ended")
	p.wait("!" + at("live"))
	p.quiet()
}

// The details of a trial open beside its row, which stays where it is; their times have seconds.
func TestDetailsOpenBesideTheRow(t *testing.T) {
	s := serve(t)
	s.create(net1 + "stop: never\n")
	s.work("net", 25)
	p := s.open("/studies/net/trials")
	p.see("trial-20")
	where := func(id string) (b struct{ Left, Right, Top, Bottom float64 }) {
		t.Helper()
		p.into(fmt.Sprintf("(b => ({left: b.left, right: b.right, top: b.top, bottom: b.bottom}))(%s.getBoundingClientRect())", at(id)), &b)
		return b
	}
	p.box("trial-20", "") // scrolls to it
	p.still(fmt.Sprintf("String(%s.getBoundingClientRect().top)", at("trial-20")))
	before := where("trial-20")
	p.click("trial-20")
	p.see("selected", "why-words")
	p.still(fmt.Sprintf("String(%s.getBoundingClientRect().bottom)", at("selected")))
	row, table, details := where("trial-20"), where("rows"), where("selected")
	if row.Top != before.Top {
		t.Errorf("the row that was clicked has gone from %v to %v", before.Top, row.Top)
	}
	if details.Left < table.Right || details.Top > row.Top || details.Bottom < row.Bottom || details.Top < 0 {
		t.Errorf("the details are at %+v, the row at %+v, the table at %+v", details, row, table)
	}
	p.wait("/asked\\s+\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\s/.test(" + at("trial-detail") + ".innerText)")
	p.shoot("beside")
	p.window(700, 900) // there is no room beside it: then below, and in sight
	p.click("trial-19")
	p.wait(at("trial-detail") + "?.innerText.startsWith('Trial 19')")
	p.wait("(b => b.top >= 0 && b.top < innerHeight - 100)(" + at("trial-detail") + ".getBoundingClientRect())")
	p.quiet()
}

// What is wrong with a study is said at its fields, and is gone where the field is changed. What the documentation explains is a link.
func TestMistakesAreAtTheirFields(t *testing.T) {
	s := serve(t)
	p := s.open("/new")
	p.fill("form-budget-total", "-5")
	p.fill("form-lr-min", "bad")
	p.fill("form-layers-max", "0")
	p.click("create")
	for _, id := range []string{"form-budget-total", "form-lr-min", "form-layers-max"} {
		p.is(attr(id, "aria-invalid"), "true")
	}
	p.wait(at("form-budget-total-fault") + "?.innerText.length > 10")
	p.wait(at("form-lr-fault") + "?.innerText.startsWith('from: ')")
	p.wait(at("form-layers-fault") + "?.innerText.startsWith('to: ')")
	p.is(at("form-name-fault"), nil)
	p.is(`document.getElementById(`+attr("form-budget-total", "aria-describedby")+`) === `+at("form-budget-total-fault"), true)
	p.shoot("form-mistakes")
	p.fill("form-budget-total", "50")
	p.is(at("form-budget-total-fault"), nil)
	p.is(attr("form-budget-total", "aria-invalid"), "false")
	p.is(`document.querySelectorAll('[data-testid="yaml-error"]').length`, 2)
	p.is(attr("form-lr-min", "aria-invalid"), "true")
	p.fill("form-lr-min", "1e-4")
	p.fill("form-layers-max", "6")
	p.is(`document.querySelectorAll('[data-testid="yaml-error"]').length`, 0)
	p.is("[...document.querySelectorAll('a.doc')].every(a => a.href.startsWith('https://') && /\\.md(#|$)/.test(a.href) && a.target === '_blank')", true)
	p.wait(at("form-more") + ".querySelectorAll('a.doc').length >= 4")
	p.is("/\\bdocs\\/\\w+\\.md/.test(document.body.innerText)", false) // a path that nobody can click
	p.click("create")
	p.is("location.pathname", "/studies/my-study")
	p.quiet()
}

// Long lines of a study file wrap, and every number stays at its line.
func TestLongYamlWraps(t *testing.T) {
	s := serve(t)
	p := s.open("/new")
	var file string
	p.into(at("yaml")+".value", &file)
	long := "# " + strings.Repeat("a study file may say very much in one line, ", 12) + "\n" + "command: [" + strings.Repeat(`"--an-argument-that-is-rather-long={lr}", `, 9) + "end]\n" + file
	p.fill("yaml", long)
	height := func(n int) string {
		return fmt.Sprintf("%s.children[%d].getBoundingClientRect().height", at("yaml-lines"), n)
	}
	p.wait(height(0) + " >= 100")
	p.wait(height(1) + " >= 100")
	p.is(height(2)+" <= 40", true)
	for _, width := range []int64{1280, 375} {
		p.window(width, 900)
		p.still("String(" + at("yaml") + ".clientWidth)")
		p.is(at("yaml")+".scrollWidth <= "+at("yaml")+".clientWidth", true)
		// The two layouts agree: the text fills the field, no more and no less.
		p.is("(y => y.scrollHeight === y.clientHeight && Math.abs(y.clientHeight - "+at("yaml-lines")+".offsetHeight) < 1)("+at("yaml")+")", true)
	}
	p.shoot("yaml-wraps-phone")
	p.window(1280, 900)
	p.shoot("yaml-wraps")
	p.quiet()
}

// looked is a study some of whose values are of looks, which do not count.
const looked = `
name: looked
objective: {name: loss, goal: minimize}
cost: {unit: euros, source: reported}
budget: {total: 60}
parameters:
  lr: {type: float, min: 0.0001, max: 1, log: true}
fidelity: {name: epochs, steps: [1, 9]}
policy: {name: random}
`

// What does not count is quieter than what does: in the table, and in the charts.
func TestWhatDoesNotCountIsQuieter(t *testing.T) {
	s := serve(t)
	s.create(looked)
	for k, epochs := range []int{1, 9, 1, 9, 9} {
		if err := s.post("/studies/looked/queue", "application/json", fmt.Appendf(nil, `{"setting": {"lr": 0.0%d, "epochs": %d}}`, k+1, epochs), nil); err != nil {
			t.Fatal(err)
		}
		trial, err := s.ask("looked")
		if err != nil {
			t.Fatal(err)
		}
		trial.value, trial.cost = float64(trial.Number)/float64(epochs), float64(epochs)/9
		if err := s.tell("looked", trial); err != nil {
			t.Fatal(err)
		}
	}
	p := s.open("/studies/looked")
	p.see("money-chart")
	style := func(kind, property string) string {
		return fmt.Sprintf("getComputedStyle(%s.querySelector('path.m.%s')).%s", at("money-chart"), kind, property)
	}
	p.wait("Number(" + style("beyond", "opacity") + ") < Number(" + style("done", "opacity") + ")")
	p.is(style("beyond", "fill"), "none")
	// The axis is that of what counts, below 0.6; a look at 3 is at its edge. Looks lie under the others.
	p.is(labels("money-chart")+".split(' ').includes('2')", false)
	p.is(fmt.Sprintf("(m => m.indexOf('beyond') >= 0 && m.indexOf('beyond') < m.indexOf('done'))([...%s.querySelectorAll('path.m')].map(e => e.classList[1]))", at("money-chart")), true)
	p.shoot("quieter")
	// The fidelity is part of a setting: that of the best, those that run now, and one whose result is entered.
	p.is(at("best")+".innerText.includes('epochs')", true)
	if _, err := s.ask("looked"); err != nil {
		t.Fatal(err)
	}
	p.see("running-6")
	p.is(at("running-6")+".innerText.includes('epochs')", true)
	p.click("tab-enter")
	p.see("enter-trial")
	p.choose("enter-trial", "6")
	p.wait(at("try") + "?.innerText.includes('epochs')")
	p.visit("/studies/looked/trials")
	p.see("trial-1", "trial-2")
	colour := func(n int) string {
		return fmt.Sprintf("getComputedStyle(%s.cells[2]).color", at(fmt.Sprintf("trial-%d", n)))
	}
	p.is(at("trial-1")+".innerText.includes('look')", true)
	p.wait(colour(1) + " !== " + colour(2))
	p.is(colour(1)+" === getComputedStyle(document.querySelector('.goal')).color", true) // that of all that is said by the way
	p.quiet()
}

// Slices fill their rows, whatever their number.
func TestSlicesFillTheirRows(t *testing.T) {
	s := serve(t)
	s.create(strings.Replace(net1, "  layers:", "  width: {type: int, min: 1, max: 9}\n  layers:", 1))
	s.work("net", 8)
	p := s.open("/studies/net/models")
	p.see("slice-cost-width", "slice-value-lr", "slice-value-optimizer")
	ends := `(([box, ...pairs]) => {
		const rows = new Map();
		for (const b of pairs) rows.set(Math.round(b.top), Math.max(rows.get(Math.round(b.top)) ?? 0, b.right));
		return [rows.size, [...rows.values()].every(right => Math.abs(right - box.right) < 1.5)];
	})([...document.querySelectorAll('.pairs, .pair')].map(e => e.getBoundingClientRect()))`
	p.is(ends, []any{2, true})
	p.wait(`[...document.querySelectorAll('.pair svg')].every(c => (b => c.getBoundingClientRect().right <= b.right + 1 && c.getBoundingClientRect().width > 280)(c.closest('.pair').getBoundingClientRect()))`)
	p.shoot("slices")
	p.window(800, 900)
	p.is(ends, []any{2, true})
	p.quiet()
}

// Quick trials are not two columns because of a slow one: the charts choose an axis that spreads them, and the viewer may choose another.
func TestQuickTrialsAreSpread(t *testing.T) {
	s := serve(t)
	s.create(strings.Replace(net1, "total: 100", "total: 600", 1) + "stop: never\npolicy: {name: random}\n")
	s.fillWith("net", 289, func(trial int) float64 {
		if trial == 141 {
			return 400
		}
		return 0.08 + 0.0001*float64((trial*37)%100) + 1e-6*float64(trial)
	})
	p := s.open("/studies/net")
	p.see("money-chart", "trade-chart")
	p.is(attr("money-chart", "data-count"), "289")
	// columns is how many of a hundred stretches of a chart have trials in them.
	columns := func(chart string) string {
		return fmt.Sprintf(`(c => (w => new Set([...c.querySelectorAll('path.m')].flatMap(m => m.getAttribute('d').split('M').slice(1)).map(d => Math.floor(100 * (parseFloat(d) - w.left + c.getBoundingClientRect().left) / w.width))).size)(c.querySelector('.pane').getBoundingClientRect()))(%s)`, at(chart))
	}
	p.wait(columns("money-chart") + " > 60")
	p.wait(columns("trade-chart") + " > 40")
	p.is(at("money-over")+".querySelector('[aria-pressed=true]').innerText", "over trials")
	p.wait(at("trade-beyond") + "?.innerText.includes('up to 400 GPU-hours')")
	p.tip("money-chart", 141.0/289, "t.startsWith('trial 141: loss ')")
	p.shoot("quick")
	p.eval(at("money-over") + ".querySelector('button').click()")
	p.is(at("money-over")+".querySelector('[aria-pressed=true]').innerText", "over money")
	p.wait(columns("money-chart") + " < 10")
	p.quiet()
}
