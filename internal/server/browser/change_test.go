package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/server"
)

// A study that has begun is changed by its form and its file, which stay in step. What cannot change is marked where it stands.
func TestStudyIsChanged(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 3)
	p := s.open("/studies/net")
	p.see("manage")
	p.eval(at("manage") + ".open = true")
	p.click("change-study")
	p.is("location.pathname", "/studies/net/edit")
	p.see("yaml", "form")
	p.is(at("form-budget-total")+".value", "100")
	p.fill("form-budget-total", "120")
	p.wait(at("yaml") + ".value.includes('total: 120')")
	var file string
	p.into(at("yaml")+".value", &file)
	wrong := strings.Replace(strings.Replace(file, "goal: minimize", "goal: maximize", 1), "parameters:\n", "parameters:\n  width: {type: int, min: 1, max: 9}\n", 1)
	p.fill("yaml", wrong)
	p.is(at("form-width-max")+".value", "9")
	p.click("save-study")
	p.is(`[...document.querySelectorAll('[data-testid="yaml-error"]')].map(e => Number(e.dataset.line))`, []int{lineOf(wrong, "goal: maximize"), lineOf(wrong, "width: ")})
	p.wait(at("yaml-errors") + ".innerText.includes('needs a default')")
	p.shoot("change-errors")
	p.fill("yaml", strings.Replace(strings.Replace(wrong, "goal: maximize", "goal: minimize", 1), "max: 9}", "max: 9, default: 4}", 1))
	p.click("save-study")
	p.wait(at("changed") + "?.innerText.includes('The budget was raised from 100 GPU-hours to 120 GPU-hours. The parameters have changed.')")
	p.is("[...document.querySelectorAll('button')].find(b => b.innerText === 'Start over').disabled", true) // once the file has been read again
	p.shoot("change")
	p.is("document.querySelector('.goal').innerText.includes('120 GPU-hours · 4 parameters')", true)

	// Whoever edits a file does not undo what others did meanwhile.
	if err := s.post("/studies/net/budget", "application/json", []byte(`{"add":5}`), nil); err != nil {
		t.Fatal(err)
	}
	p.fill("form-parallel", "3")
	p.click("save-study")
	p.wait(at("trouble") + "?.innerText.includes('somebody else has changed the study meanwhile')")
	p.click("tab-trials")
	p.see("rows")
	p.quiet()
}

// give has a file chosen, or dropped.
func (p *page) give(text string, drop bool) {
	p.t.Helper()
	do := `(d => (d.items.add(new File([%q], "results.csv")), e.files = d.files, e.dispatchEvent(new Event("change", {bubbles: true}))))(new DataTransfer())`
	id := "import-file"
	if drop {
		do = `(d => (d.items.add(new File([%q], "results.csv")), e.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: d}))))(new DataTransfer())`
		id = "import-drop"
	}
	p.see(id)
	p.eval("(e => " + fmt.Sprintf(do, text) + ")(" + at(id) + ")")
}

// Results in a file are looked at before they are added; a trial's neighbours are listed with what differs.
func TestFileIsImportedAndNeighboursAreShown(t *testing.T) {
	s := serve(t)
	s.create(net1)
	told := s.work("net", 3)
	p := s.open("/studies/net/enter")
	const file = "rate,layers,optimizer,loss,cost\n0.001,3,adam,0.5,2\n0.002,4,sgd,0.75,3\n7,4,sgd,0.75,3\n0.001,3,adam,,1\n"
	p.give(file, false)
	p.see("import-preview")
	p.is(at("import-submit")+".disabled", true)
	p.is(at("match-lr")+".getAttribute('aria-invalid')", "true")
	p.shoot("import-missing")
	p.choose("match-lr", "rate")
	p.is(at("import-sum")+"?.innerText", "2 results would be added, 1 row without a result, 1 row left out. They would cost 0 GPU-hours.")
	p.is("[...document.querySelectorAll('[data-testid=\"import-refused\"] b')].map(b => b.innerText)", []string{"line 4"})
	p.click("import-charge")
	p.wait(at("import-sum") + "?.innerText.endsWith('They would cost 5 GPU-hours.')")
	p.click("import-charge")
	p.wait(at("import-sum") + "?.innerText.endsWith('They would cost 0 GPU-hours.')")
	p.shoot("import")
	p.click("import-submit")
	p.is(at("import-said")+"?.innerText", "2 results added, charged 0 GPU-hours.")
	p.is(at("import-preview"), nil)
	p.give(`[{"lr":0.001,"layers":3,"optimizer":"adam","loss":0.5,"cost":2}]`, true) // which is known
	p.wait(at("import-sum") + "?.innerText.startsWith('0 results would be added, 1 are known already')")
	p.is(at("import-submit")+".disabled", true)
	p.give("", true)
	p.see("trouble")

	p.visit("/studies/net/trials?trial=1")
	p.see("neighbours")
	p.is("document.querySelectorAll('[data-testid=\"neighbour\"]').length", 4)
	p.wait(fmt.Sprintf("%s.innerText.includes('(here %v)')", at("neighbours"), told[0].Setting["layers"]))
	p.shoot("neighbours")
	p.eval(`document.querySelector('[data-testid="neighbour"] a').click()`)
	p.wait("/trial=[23]$/.test(location.search)")
	p.quiet()
}

// An admin says to whom a study belongs; a reader sees neither that nor how to change it. A study that is over says why.
func TestOwnerIsChanged(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 6)
	s.create(strings.Replace(net1, "name: net", "name: later", 1) + "start_from: net\n")
	secret := s.issue(server.Admin)
	s.token = s.issue(server.Worker)
	reader := s.issue(server.Reader)
	s.closed(secret, s.token, reader)
	p := s.open("/studies/later")
	p.fill("token", secret)
	p.click("token-submit")
	p.wait(at("start-from") + "?.innerText.startsWith('net, with 6 results')")
	p.click("edit-labels")
	p.see("edit-owner", "edit-group")
	p.wait(at("edit-owner") + "?.options?.length === 3") // once the tokens are there: nobody, and two that are no readers
	p.eval(fmt.Sprintf(`(s => { s.value = s.options[1].value; s.dispatchEvent(new Event("change", {bubbles: true})); })(%s)`, at("edit-owner")))
	p.fill("edit-group", "physics")
	p.shoot("owner")
	p.click("save-labels")
	p.wait(at("whose") + "?.innerText.includes('Only the group physics')")
	p.click("end-study")
	p.click("end-submit")
	p.wait(at("state") + "?.innerText === 'ended'")
	p.shoot("start-from")
	p.eval("(sessionStorage.setItem('eke-token', '" + reader + "'), setTimeout(() => location.reload()))")
	p.see("start-from")
	for _, id := range []string{"edit-labels", "whose", "change-study"} {
		p.is(at(id), nil)
	}
	p.quiet()
}
