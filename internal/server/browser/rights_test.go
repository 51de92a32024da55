package browser_test

import (
	"testing"

	"github.com/eke-bo/eke/internal/server"
)

// as opens the page with a token.
func (p *page) as(token string) {
	p.t.Helper()
	p.eval("(sessionStorage.setItem('eke-token', '" + token + "'), 1)")
}

// Who may not do something is told so at its address, and sees no button for it anywhere.
func TestPagesThatNeedAnotherToken(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 3)
	s.token = s.issue(server.Admin)
	reader, worker := s.issue(server.Reader), s.issue(server.Worker)
	s.closed(s.token, reader, worker)
	if err := s.post("/studies/net/queue", "application/json", []byte(`{"setting": {"lr": 0.01, "layers": 2, "optimizer": "sgd"}}`), nil); err != nil {
		t.Fatal(err)
	}
	p := s.open("/")
	needs := func(place, role string) {
		t.Helper()
		p.visit(place)
		p.is(attr("needs", "data-role"), role)
		p.is("document.querySelectorAll('main form, main textarea, main input').length", 0)
	}
	p.as(reader)
	needs("/new", "admin")
	needs("/tokens", "admin")
	needs("/studies/net/edit", "admin")
	needs("/studies/net/enter", "worker")
	p.wait(at("needs") + ".innerText.includes('you need the token of a worker. Yours is that of a reader.')")
	p.shoot("needs")
	// All that a reader may press, by its words: nothing of it changes anything.
	buttons := "[...document.querySelectorAll('main button, main summary')].filter(b => b.checkVisibility() && !b.closest('.tools, .choice, table.trials, .menu')).map(b => b.innerText.trim())"
	p.visit("/studies/net")
	p.see("queue-1", "money-chart", "why-words")
	p.is(buttons, []string{"More"})
	p.eval(at("manage") + ".open = true")
	p.is("[..."+at("manage")+".querySelectorAll('button')].map(b => b.innerText)", []string{"Download a report"})
	p.visit("/studies/net/trials?trial=2")
	p.see("trial-detail", "neighbours")
	p.is(buttons, []string{"More", "CSV", "JSON", "Columns", "✕"})
	p.visit("/studies/net/models")
	p.see("heat-map")
	p.is(buttons, []string{"More"})

	p.as(worker)
	needs("/new", "admin")
	needs("/studies/net/edit", "admin")
	p.wait(at("needs") + `.innerText.includes("or of the study's owner")`)
	p.visit("/studies/net/enter")
	p.see("own-form")
	p.is(at("own-value"), nil) // only an admin adds results that cost nothing
	p.is(at("import-card"), nil)
	p.visit("/studies/net")
	p.see("drop-1", "queue-add")
	for _, id := range []string{"add-budget", "pause", "end-study", "edit-labels"} {
		p.is(at(id), nil)
	}
	p.as(reader)
	p.visit("/new")
	p.click("other-token")
	p.fill("token", s.token)
	p.click("token-submit")
	p.see("form", "create") // and with the right token, one is there
	p.quiet()
}
