package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// patience is how long the page may take for what it is waited for, on a machine that does much besides.
const patience = 3 * time.Minute

// page is a tab with the dashboard in it.
type page struct {
	t   testing.TB
	ctx context.Context
	url string // of the server

	acts int // how many were done with reach

	mu       sync.Mutex
	troubles []string // what the browser said was wrong
}

// open opens a place of the page in a fresh profile.
func (s *served) open(place string) *page {
	s.t.Helper()
	ctx, quit := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	s.t.Cleanup(quit)
	p := &page{t: s.t, ctx: ctx, url: s.url}
	p.do() // opens the tab, whose context must outlast any timeout
	p.ctx, quit = context.WithTimeout(ctx, 20*time.Minute)
	s.t.Cleanup(quit)
	go p.hear(chromedp.Console(p.ctx))
	p.window(1280, 900)
	p.visit(place)
	return p
}

// hear notes what nobody should have to read in a console: exceptions, and breaches of the content security policy.
func (p *page) hear(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.IsException() || m.Source == "security" || strings.Contains(m.Text, "Content Security Policy") {
			p.mu.Lock()
			p.troubles = append(p.troubles, m.String())
			p.mu.Unlock()
		}
	}
}

// quiet expects that the browser had nothing to complain of.
func (p *page) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, trouble := range p.troubles {
		p.t.Errorf("the browser says: %s", trouble)
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// call sends the browser a command that has no action of its own.
func call[P, R any](p *page, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) visit(place string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.url + place))
}

func (p *page) window(width, height int64) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
}

// at is an element by its test id, in JavaScript.
func at(id string) string { return fmt.Sprintf("document.querySelector('[data-testid=\"%s\"]')", id) }

// css selects one by its test id.
func css(id string) chromedp.CSS { return chromedp.CSS(`[data-testid="` + id + `"]`) }

// attr is an attribute of one, or null.
func attr(id, name string) string { return fmt.Sprintf("%s?.getAttribute('%s')", at(id), name) }

// eval is the value of an expression, as JSON. An element that was seen a moment ago may be gone for another moment, as the page is drawn
// anew, or be on a page that was left: an expression that fails is tried again.
func (p *page) eval(expression string) string {
	p.t.Helper()
	// An element or nothing at all has no JSON of its own; a promise is waited for.
	look := chromedp.Evaluate[string]("Promise.resolve("+expression+").then(v => JSON.stringify(v ?? null))", chromedp.EvalAwaitPromise)
	for end := time.Now().Add(patience); ; time.Sleep(15 * time.Millisecond) {
		text, err := chromedp.Run(p.ctx, look)
		if err == nil {
			return text
		}
		if p.ctx.Err() != nil || time.Now().After(end) {
			p.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// into reads the value of an expression.
func (p *page) into(expression string, v any) {
	p.t.Helper()
	if text := p.eval(expression); json.Unmarshal([]byte(text), v) != nil {
		p.t.Fatalf("%s is %s", expression, text)
	}
}

// still is a text once the browser has drawn the page ten times without changing it: a chart is drawn again when its place has another
// size, which the browser says when it draws.
func (p *page) still(expression string) (text string) {
	p.t.Helper()
	p.into(expression, &text)
	for same, end := 0, time.Now().Add(patience); same < 10; {
		was := text
		p.eval("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
		if p.into(expression, &text); text == was {
			same++
		} else if same = 0; time.Now().After(end) {
			p.t.Fatalf("never still: %s", expression)
		}
	}
	return text
}

// text is what an element says.
func (p *page) text(id string) (text string) {
	p.t.Helper()
	p.into(at(id)+"?.innerText", &text)
	return text
}

// wait waits until an expression is true. Polling from here, as the page's policy forbids scripts made of strings.
func (p *page) wait(expression string) {
	p.t.Helper()
	for end := time.Now().Add(patience); p.eval("Boolean("+expression+")") != "true"; time.Sleep(15 * time.Millisecond) {
		if time.Now().After(end) {
			p.shoot("stuck-" + filepath.Base(p.t.Name()))
			p.t.Fatalf("never: %s; the page says:\n%s", expression, p.eval("document.body.innerText"))
		}
	}
}

// see waits for elements.
func (p *page) see(ids ...string) {
	p.t.Helper()
	for _, id := range ids {
		p.wait(at(id))
	}
}

// is waits until an expression has a value.
func (p *page) is(expression string, want any) {
	p.t.Helper()
	raw, err := json.Marshal(want)
	if err != nil {
		p.t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(15 * time.Millisecond) {
		got := p.eval(expression)
		if got == string(raw) {
			return
		}
		if time.Now().After(end) {
			p.shoot("stuck-" + filepath.Base(p.t.Name()))
			p.t.Fatalf("%s is %s, want %s; the page says:\n%s", expression, got, raw, p.eval("document.body.innerText"))
		}
	}
}

// reach does something to an element until the element has had the event of it. What is done to an element that the page draws anew at
// that moment, or that is disabled, is lost.
func (p *page) reach(id, event string, do func()) {
	p.t.Helper()
	p.see(id)
	for end := time.Now().Add(patience); ; {
		p.acts++
		had := fmt.Sprintf("window.had%d", p.acts)
		p.eval(fmt.Sprintf("(%s = false, addEventListener('%s', e => %s ||= Boolean(e.target.closest?.('%s')), true))", had, event, had, css(id)))
		do()
		for soon := time.Now().Add(time.Second); time.Now().Before(soon); time.Sleep(15 * time.Millisecond) {
			if p.eval(had+" ?? true") == "true" { // a page that was left has had it
				return
			}
		}
		if time.Now().After(end) {
			p.shoot("stuck-" + filepath.Base(p.t.Name()))
			p.t.Fatalf("%s never had a %s; the page says:\n%s", id, event, p.eval("document.body.innerText"))
		}
	}
}

// click clicks with the mouse on an element that is there, or will be.
func (p *page) click(id string) {
	p.t.Helper()
	p.reach(id, "click", func() {
		p.wait(at(id) + ".checkVisibility()")
		b := p.box(id, "")
		p.do(chromedp.MouseClickXY(b.X+b.W/2, b.Y+b.H/2))
	})
}

// press presses a key on an element.
func (p *page) press(id, key string) {
	p.t.Helper()
	p.reach(id, "keydown", func() {
		p.eval(at(id) + ".focus()")
		p.do(chromedp.KeyEvent(key))
	})
}

// choose chooses one of a list.
func (p *page) choose(id, value string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })(%s)`, value, at(id)))
}

// box is where a part of an element is in the window, once it was scrolled there.
type box struct{ X, Y, W, H float64 }

func (p *page) box(id, within string) (b box) {
	p.t.Helper()
	p.into(fmt.Sprintf("(e => (e.scrollIntoViewIfNeeded(), (b => ({x: b.x, y: b.y, w: b.width, h: b.height}))(e%s.getBoundingClientRect())))(%s)", within, at(id)), &b)
	return b
}

// tip waits for what a plot says of the point at a part of its width.
func (p *page) tip(plot string, part float64, is string) {
	p.t.Helper()
	said := fmt.Sprintf("(t => %s)(%s.querySelector('.plottip')?.textContent ?? '')", is, at(plot))
	// On a busy machine a plot may be drawn anew, with new data or at a new size, after the mouse has come: then it comes again.
	for end := time.Now().Add(patience / 2); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		b := p.box(plot, ".querySelector('.pane')")
		p.do(chromedp.MouseEvent(chromedp.MouseMoved, 1, 1), chromedp.MouseEvent(chromedp.MouseMoved, b.X+part*b.W, b.Y+b.H/2))
		if p.eval("Boolean("+said+")") == "true" {
			return
		}
	}
	p.wait(said)
}

// fill replaces what is in a field, as somebody who types would.
func (p *page) fill(id, text string) {
	p.t.Helper()
	p.reach(id, "input", func() {
		// A dialog is there a moment before it is shown, and cannot have the focus until then.
		p.wait("(e => (e.focus(), e.select(), document.activeElement === e))(" + at(id) + ")")
		call(p, input.InsertText, input.InsertTextParams{Text: text})
	})
}

// shoot takes a picture of the whole page, if somebody wants to look at it.
func (p *page) shoot(name string) {
	p.t.Helper()
	folder := os.Getenv("EKE_SCREENSHOTS")
	if folder == "" {
		return
	}
	var now, all struct{ W, H int64 }
	p.into("({w: innerWidth, h: innerHeight})", &now)
	p.into("({w: innerWidth, h: Math.max(innerHeight, document.documentElement.scrollHeight)})", &all)
	p.window(all.W, all.H) // what a browser draws beyond its window may lack its canvases
	defer p.window(now.W, now.H)
	p.eval("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
