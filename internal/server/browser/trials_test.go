package browser_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// column is what the table shows in one column, row by row.
func column(n int) string {
	return fmt.Sprintf(`[...document.querySelectorAll('[data-testid^="trial-"][aria-rowindex]')].map(r => Number(r.cells[%d].innerText))`, n)
}

// Trials are sorted by the keyboard, filtered, brushed, and looked at one by one; the lines beside them are of the same trials.
func TestTrialsAreSortedFilteredAndBrushed(t *testing.T) {
	s := serve(t)
	s.create(net1)
	told := s.work("net", 14)
	p := s.open("/studies/net/trials")
	p.is(at("trial-count")+"?.innerText", "14 trials")

	var values []float64
	for _, t := range told {
		values = append(values, t.value)
	}
	slices.Sort(values)
	p.press("sort-value", kb.Enter)
	p.is(`document.querySelector('th[aria-sort]').getAttribute('aria-sort')`, "ascending")
	p.is(column(2), values)
	p.press("sort-value", kb.Enter)
	p.is(`document.querySelector('th[aria-sort]').getAttribute('aria-sort')`, "descending")
	slices.Reverse(values)
	p.is(column(2), values)

	// Every trial is a line, and the best one is the one that stands out.
	best := bestOf(told)
	p.is(at("parallel")+".querySelectorAll('path.ray').length", 14)
	p.wait(fmt.Sprintf(`%s.querySelector('path.ray.qbest').dataset.tip.startsWith('trial %d: loss ')`, at("parallel"), best.Number))

	p.fill("filter", "#12")
	p.is(column(0), []int{12})
	p.click("trial-12")
	p.is("location.search", "?trial=12")
	p.see("selected", "why-words")
	p.wait("(b => b.top >= 0 && b.top < innerHeight - 100)(" + at("trial-detail") + ".getBoundingClientRect())") // not below the fold
	p.shoot("trial")
	p.fill("filter", "optimizer=adam")
	adams := 0
	for _, t := range told {
		if t.Setting["optimizer"] == "adam" {
			adams++
		}
	}
	p.is(at("trial-count")+".innerText", fmt.Sprintf("%d of 14 trials", adams))
	p.fill("filter", "no such words")
	p.is(column(0), []int{})
	p.fill("filter", "x")
	p.press("filter", kb.Backspace)
	p.is(at("trial-count")+".innerText", "14 trials")

	brushValues(p)
	p.quiet()
}

// brushValues drags along the upper half of the axis of values, and finds the same number in the table and among the lines.
func brushValues(p *page) {
	p.t.Helper()
	b := p.box("brush-value", "")
	x, top, middle := b.X+b.W/2, b.Y+b.H*0.2, b.Y+b.H*0.6
	p.do(chromedp.MouseEvent(chromedp.MousePressed, x, top, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, x, (top+middle)/2, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseMoved, x, middle, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseReleased, x, middle, chromedp.ButtonLeft))
	p.see("brush-clear")
	p.wait(at("trial-count") + ".innerText.endsWith(', in the brush')")
	var inside int
	p.into(at("parallel")+".querySelectorAll('path.ray:not(.out)').length", &inside)
	if inside == 0 || inside == 14 {
		p.t.Errorf("%d of 14 trials are within the brush", inside)
	}
	p.wait(fmt.Sprintf("%s.innerText.startsWith('%d trial')", at("brush-count"), inside))
	p.is(at("trial-count")+".innerText", fmt.Sprintf("%d of 14 trials, in the brush", inside))
	p.shoot("brushed")
	p.click("brush-clear")
	p.is(at("trial-count")+".innerText", "14 trials")
}
