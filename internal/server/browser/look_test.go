package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// prefer has the browser say which colours its user likes.
func (p *page) prefer(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

const (
	// Brightness from 0 to 255 of what stands behind the page, and of its text.
	ground  = `(c => (c[0]*299 + c[1]*587 + c[2]*114) / 1000)(getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number))`
	writing = `(c => (c[0]*299 + c[1]*587 + c[2]*114) / 1000)(getComputedStyle(document.querySelector('h1')).color.match(/\d+/g).map(Number))`
)

// Both themes are dark on light and light on dark, in the charts, too; the choice stays, and without one the system's holds.
func TestThemes(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 6)
	p := s.open("/studies/net")
	for _, theme := range []string{"dark", "light"} {
		p.prefer(theme)
		p.see("money-chart")
		p.wait(readable(theme))
		p.wait(inked("money-chart", "value")) // with the colour of this theme
	}
	p.click("theme")
	p.is("document.documentElement.dataset.theme", "dark")
	p.wait(readable("dark"))
	p.wait(inked("money-chart", "value"))
	p.do(chromedp.Reload())
	p.see("money-chart")
	p.is("document.documentElement.dataset.theme", "dark")
	p.wait(readable("dark"))
	p.shoot("overview-dark")
	p.visit("/studies/net/models")
	p.see("heat-map")
	p.wait(coloured("heat-map"))
	p.shoot("models-dark")
	p.visit("/studies/net/trials?trial=6")
	p.see("why-words")
	p.shoot("trials-dark")
	p.visit("/")
	p.see("study-net")
	p.shoot("list-dark")
	p.click("theme")
	p.is("document.documentElement.dataset.theme", "light")
	p.wait(readable("light"))
	p.quiet()
}

func readable(theme string) string {
	if theme == "dark" {
		return ground + " < 70 && " + writing + " > 180"
	}
	return ground + " > 200 && " + writing + " < 90"
}

// On a phone nothing sticks out at the side, wherever one goes.
func TestPhone(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.create(strings.Replace(net1, "name: net", "name: a-study-with-a-name-that-is-rather-longer-than-a-phone-is-wide", 1))
	s.work("net", 7)
	if _, err := s.ask("net"); err != nil { // one that runs
		t.Fatal(err)
	}
	if err := s.post("/studies/net/queue", "application/json", []byte(`{"setting": {"lr": 0.01, "layers": 2, "optimizer": "sgd"}, "note": "as in the paper"}`), nil); err != nil {
		t.Fatal(err)
	}
	p := s.open("/")
	p.window(375, 740)
	for _, place := range []struct{ path, see, picture string }{
		{"/", "study-net", "phone-list"},
		{"/new", "yaml", "phone-new"},
		{"/studies/net", "drop-1", "phone-overview"},
		{"/studies/net/trials?trial=3", "why-words", "phone-trials"},
		{"/studies/net/models", "heat-map", "phone-models"},
		{"/studies/net/enter", "ask", "phone-enter"},
		{"/studies/net/edit", "save-study", "phone-change"},
		{"/compare?study=net&study=a-study-with-a-name-that-is-rather-longer-than-a-phone-is-wide", "compare-table", "phone-compare"},
		{"/studies/a-study-with-a-name-that-is-rather-longer-than-a-phone-is-wide", "no-trials", "phone-empty"},
	} {
		p.visit(place.path)
		p.see(place.see)
		p.is("innerWidth", 375)
		var width int
		if p.into("document.documentElement.scrollWidth", &width); width > 375 {
			t.Errorf("%s is %d pixels wide", place.path, width)
		}
		p.is("[...document.querySelectorAll('.tabs')].every(t => t.scrollWidth <= t.clientWidth)", true)
		p.is("[...document.querySelectorAll('table.trials tbody tr')].every(r => getComputedStyle(r).display === 'table-row')", true)
		p.shoot(place.picture)
	}
	p.quiet()
}
