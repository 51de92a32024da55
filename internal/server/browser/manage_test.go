package browser_test

import (
	"fmt"
	"strings"
	"testing"
)

// Studies are found, sorted and paged through; one is labelled, renamed, archived, duplicated, and deleted by whoever types its name.
func TestStudiesAreManaged(t *testing.T) {
	s := serve(t)
	for i := range 30 {
		s.create(strings.Replace(net1, "name: net", fmt.Sprintf("name: net-%02d", i), 1))
	}
	p := s.open("/")
	p.is(at("study-count")+"?.innerText", "30 studies")
	names := `[...document.querySelectorAll('.studyname a')].map(a => a.innerText)`
	p.is(names+".length", 25)
	p.is(names+"[0]", "net-29") // the newest
	p.click("page-next")
	p.is(names, []string{"net-04", "net-03", "net-02", "net-01", "net-00"})
	p.is(at("page-now")+".innerText", "26 to 30 of 30")
	p.fill("search", "net-1")
	p.is(names+".length", 10)
	p.choose("list-sort", "name")
	p.is(names+"[0]", "net-10")
	p.click("list-down")
	p.is(names+"[0]", "net-19")
	p.shoot("list-search")
	p.wait("location.search === '?search=net-1&sort=name&down=true'")
	p.eval("document.querySelector('.studyname a').click()")
	p.is("location.pathname", "/studies/net-19")
	p.eval("history.back()") // to the list as it was
	p.is(names+"[0]", "net-19")
	p.is(at("search")+".value", "net-1")
	p.click("nav-studies") // to all
	p.is(at("study-count")+"?.innerText", "30 studies")
	p.is(at("search")+".value", "")
	p.fill("search", "net-1")
	p.is(names+".length", 10)

	p.visit("/studies/net-10")
	p.click("edit-labels")
	p.fill("edit-tags", "kiln, night")
	p.fill("edit-notes", "# Plan\n\nSee [the page](https://example.org/a) and **this**.\n\n- [x](javascript:alert(1))\n- <img src=x onerror=alert(1)>\n")
	p.click("save-labels")
	p.is("[...document.querySelectorAll('[data-testid=\"tags\"] .tag')].map(t => t.innerText)", []string{"kiln", "night"})
	p.is("(m => [m.querySelector('h3').innerText, m.querySelector('b').innerText, m.querySelectorAll('a').length, m.querySelector('a').href, m.querySelectorAll('img').length])(document.querySelector('.markdown'))",
		[]any{"Plan", "this", 1, "https://example.org/a", 0})
	p.shoot("labels")
	open := func(id string) {
		t.Helper()
		p.see("manage")
		p.eval(at("manage") + ".open = true")
		p.click(id)
	}
	open("rename-study")
	p.fill("rename-name", "kiln")
	p.click("rename-submit")
	p.is("location.pathname", "/studies/kiln")
	p.is("document.querySelector('h1')?.innerText", "kiln")
	open("archive-study")
	p.is(at("state")+"?.innerText", "archived")
	open("archive-study")
	p.is(at("state")+"?.innerText", "not begun")

	open("copy-study")
	p.fill("copy-name", "kiln-again")
	p.fill("copy-total", "250")
	p.fill("copy-changes", "{")
	p.click("copy-submit")
	p.wait(at("copy-dialog") + ".innerText.includes('This is not JSON')")
	p.fill("copy-changes", `{"parallel": 3}`)
	p.shoot("copy")
	p.click("copy-submit")
	p.is("location.pathname", "/studies/kiln-again")
	p.is(attr("gauge", "data-total"), "250")

	open("delete-study")
	p.fill("delete-name", "kiln")
	p.is(at("delete-submit")+".disabled", true)
	p.fill("delete-name", "kiln-again")
	p.shoot("delete")
	p.click("delete-submit")
	p.is("location.pathname", "/")
	p.is(at("study-count")+"?.innerText", "30 studies")
	p.click("tag-night")
	p.is(names, []string{"kiln"})
	p.is("document.querySelectorAll('*').length < 2000", true)
	p.quiet()
}

// A page that nobody sees while its study is deleted, and another is made under the name, does nothing to that one, and then shows it.
func TestAnotherStudyOfTheName(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 3)
	p := s.open("/studies/net")
	p.is(attr("money-chart", "data-count"), "3")
	p.is(attr("live", "data-state"), "live")
	hide := func(hidden bool) {
		t.Helper()
		p.eval(fmt.Sprintf("(Object.defineProperty(document, 'hidden', {value: %v, configurable: true}), document.dispatchEvent(new Event('visibilitychange')))", hidden))
	}
	hide(true)
	p.is(attr("live", "data-state"), "connecting")
	if err := s.post("/studies/net/delete", "application/json", []byte(`{"confirm": "net"}`), nil); err != nil {
		t.Fatal(err)
	}
	s.create(strings.Replace(net1, "total: 100", "total: 50", 1))
	p.click("pause")
	p.is(attr("trouble", "data-code"), "not_found")
	p.click("add-budget")
	p.fill("budget-amount", "20")
	p.click("budget-submit")
	p.is(at("budget-dialog")+"?.querySelector('[data-testid=trouble]')?.dataset.code", "not_found")
	hide(false)
	p.see("no-trials")
	p.is(at("state")+".innerText", "not begun") // it was not paused
	p.is(attr("gauge", "data-total"), "50")
	p.is(at("trouble"), nil)
	p.is(at("budget-dialog"), nil)
	if err := s.post("/studies/net/budget", "application/json", []byte(`{"add": 5}`), nil); err != nil {
		t.Fatal(err)
	}
	p.is(attr("gauge", "data-total"), "55") // live
	p.click("pause")
	p.is(at("state")+".innerText", "paused")
	p.quiet()
}
