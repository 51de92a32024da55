package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A study whose trials all fail says so, in the list and in the gauge: the money is gone without a value.
func TestStudyThatFails(t *testing.T) {
	s := serve(t)
	s.create(net1)
	for range 3 {
		trial, err := s.ask("net")
		if err == nil {
			err = s.post(fmt.Sprintf("/studies/net/trials/%d/fail", trial.Number), "application/json", []byte(`{"cost": 2.5, "note": "diverged"}`), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := s.open("/")
	p.is(at("study-net")+"?.querySelector('[data-testid=\"state\"]').innerText", "all failed")
	p.wait(at("study-net") + ".innerText.includes('7.5 of 100 GPU-hours')")
	p.visit("/studies/net")
	p.is(at("part-lost")+"?.innerText", "spent without a result 7.5 GPU-hours")
	p.is(at("buys")+".innerText", "unknown until a trial has a result")
	p.tip("money-chart", 5.0/7.5, "t === 'trial 2 failed: cost 2.5 GPU-hours'")
	p.shoot("failing")
	p.visit("/studies/net/trials")
	p.wait(at("trial-3") + "?.innerText.includes('diverged')")
	p.visit("/studies/nought")
	p.wait(at("nowhere") + "?.innerText.includes('There is no study nought')")
	p.quiet()
}

// What the rest buys is told in words, and the burn-down tells what was left after each trial, over trials and over time.
func TestWhatIsLeft(t *testing.T) {
	s, begun := serve(t), time.Now()
	s.create(net1)
	told := s.work("net", 3)
	time.Sleep(time.Since(begun) / 4) // so that the last two are apart on an axis of time, however slow the machine is
	told = append(told, s.work("net", 1)...)
	left := 100.0
	for _, trial := range told {
		left -= trial.cost
	}
	p := s.open("/studies/net")
	p.is(at("part-left")+"?.innerText", fmt.Sprintf("left %g GPU-hours", left))
	p.wait("/^about \\d+ trials of [\\d.]+ GPU-hours each$/.test(" + at("buys") + ".innerText)")
	for _, over := range []int{0, 1} {
		p.eval(fmt.Sprintf("%s.querySelectorAll('button')[%d].click()", at("burn-over"), over))
		p.is(fmt.Sprintf("%s.querySelectorAll('button')[%d].getAttribute('aria-pressed')", at("burn-over"), over), "true")
		p.tip("burn-chart", 0.99, fmt.Sprintf("t.startsWith('after trial 4') && t.endsWith(': %g GPU-hours left')", left))
	}
	p.quiet()
}

// All of it can be done without a mouse.
func TestKeyboard(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 5)
	p := s.open("/studies/net")
	p.see("money-chart", "add-budget") // whoever is looking is known
	focus := func() string { return "document.activeElement.dataset.testid ?? document.activeElement.id" }
	p.do(chromedp.KeyEvent(kb.Tab))
	p.is(focus(), "skip")
	p.wait("document.activeElement.getBoundingClientRect().top >= 0") // and it can be seen
	p.do(chromedp.KeyEvent(kb.Enter))
	p.is(focus(), "main")
	p.do(chromedp.KeyEvent(kb.Tab))
	p.is(focus(), "add-budget")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.is(focus(), "budget-amount")
	p.do(chromedp.KeyEvent("7"), chromedp.KeyEvent(kb.Enter))
	p.is(attr("gauge", "data-total"), "107")
	p.is(focus(), "add-budget")
	p.do(chromedp.KeyEvent(kb.Tab))
	p.is(focus(), "pause")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.is(at("state")+".textContent", "paused")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.is(at("pause")+".textContent", "Pause")
	p.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.wait(at("end-dialog") + "?.open") // it is there a moment before it is shown
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait("!" + at("end-dialog"))
	p.is(focus(), "end-study")
	for range 3 { // past the menu and the overview, to the trials
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	p.is(focus(), "tab-trials")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.see("brush-value")
	p.press("brush-value", kb.ArrowUp)
	p.see("brush-clear")
	p.press("brush-value", kb.Escape)
	p.wait("!" + at("brush-clear"))
	p.eval(at("trial-4") + ".querySelector('button').focus()")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.is("location.search", "?trial=4")
	p.is(at("trial-detail")+"?.querySelector('h2').innerText", "Trial 4")
	p.quiet()
}
