package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
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
	p := s.open("/")
	for _, place := range []struct{ path, see, open string }{
		{"/", "study-net", ""}, {"/new", "form", ""}, {"/tokens", "make-token", ""}, {"/studies/net", "rest", "manage"}, {"/studies/net/trials?trial=10", "output-text", "columns"},
		{"/studies/net/models", "heat-map", "export-heat-map"}, {"/studies/net/enter", "ask", ""}, {"/studies/net/edit", "save-study", ""}, {"/compare?study=net", "compare-table", ""},
	} {
		p.visit(place.path)
		p.see(place.see)
		if place.open != "" {
			p.eval(at(place.open) + ".open = true")
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
				t.Errorf("%s, %s: %s", place.path, theme, fault)
			}
			p.shoot("axe-" + theme + strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(place.path))
		}
	}
	p.quiet()
}
