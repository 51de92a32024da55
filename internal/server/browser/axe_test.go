package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/eke-bo/eke/internal/server"
)

// axe-core is a development dependency of the page; scripts/page installs it.
var axe = filepath.Join("..", "dashboard", "web", "node_modules", "axe-core", "axe.min.js")

// faults are what axe-core has against the page, each in a line with the elements it means.
const faults = `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 4).map(n => n.target.join(" ") + " " + n.html.slice(0, 120)).join(" | ")))`

// Nothing keeps anybody from using the page, in either theme.
func TestAccessibility(t *testing.T) {
	source, err := os.ReadFile(axe)
	if err != nil {
		t.Skip("there is no axe-core (scripts/page installs it): ", err)
	}
	s := serve(t)
	s.create(net1 + "notify: {url: \"https://example.org/hook\", on: [end]}\n")
	s.work("net", 9)
	if _, err := s.ask("net"); err != nil {
		t.Fatal(err)
	}
	s.print(10, "stdout", 0, "epoch 1\n")
	for _, body := range []string{`{"setting": {"lr": 0.01, "layers": 2, "optimizer": "sgd"}}`, `{"setting": {"lr": 0.02, "layers": 2, "optimizer": "sgd"}, "note": "as in the paper"}`} {
		if err := s.post("/studies/net/queue", "application/json", []byte(body), nil); err != nil {
			t.Fatal(err)
		}
	}
	s.create(strings.NewReplacer("name: net", "name: over", "total: 100", "total: 1").Replace(net1))
	s.work("over", 1)
	p := s.open("/")
	menu := func(id string) string { return at(id) + ".open = true" }
	press := func(id string) string { return at(id) + ".click()" }
	look := func(path, see, act, then string) {
		t.Helper()
		p.visit(path)
		p.see(see)
		if act != "" {
			p.eval(act)
		}
		if then != "" {
			p.see(then)
		}
		if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[any](string(source)+";0")); err != nil {
			t.Fatal(err)
		}
		for _, theme := range []string{"light", "dark"} {
			p.prefer(theme)
			p.wait(readable(theme))
			var found []string
			p.into(faults, &found)
			for _, fault := range found {
				t.Errorf("%s %s, %s: %s", path, then, theme, fault)
			}
			p.shoot("axe-" + theme + strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path) + then)
		}
	}
	look("/", "study-end", "", "")
	look("/new", "form", "", "")
	look("/tokens", "make-token", "", "")
	look("/nowhere/at/all", "nowhere", "", "")
	look("/studies/net", "rest", menu("manage"), "queue-2")
	look("/studies/net", "queue-add", press("queue-add"), "own-form")
	look("/studies/net", "add-budget", press("add-budget"), "budget-dialog")
	look("/studies/net", "end-study", press("end-study"), "end-dialog")
	for _, act := range []string{"rename", "copy", "delete"} {
		look("/studies/net", "manage", press(act+"-study"), act+"-dialog")
	}
	look("/studies/net", "edit-labels", press("edit-labels"), "save-labels")
	look("/studies/net/trials?trial=10", "output-text", menu("columns"), "")
	look("/studies/net/trials?trial=2", "correct-trial", press("correct-trial"), "correct-form")
	look("/studies/net/models", "heat-map", menu("export-heat-map"), "")
	look("/studies/net/enter", "ask", "", "own-form")
	look("/studies/net/edit", "save-study", "", "")
	look("/studies/over", "finished", "", "")
	look("/compare?study=net", "compare-table", "", "")
	reader := s.issue(server.Reader)
	s.closed(reader)
	look("/tokens", "token-dialog", "", "")
	p.as(reader)
	look("/new", "needs", "", "")
	p.quiet()
}
