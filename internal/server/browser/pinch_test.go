package browser_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
)

// touch sends what fingers do: each is a place in a box, in parts of its size.
func (p *page) touch(kind input.DispatchTouchEventType, b box, fingers ...[2]float64) {
	p.t.Helper()
	points := make([]*input.TouchPoint, len(fingers))
	for i, f := range fingers {
		id := float64(i)
		points[i] = &input.TouchPoint{X: b.X + f[0]*b.W, Y: b.Y + f[1]*b.H, ID: &id}
	}
	call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
}

// On a touch screen two fingers zoom and move a chart, along the axis that they lie on; one reads.
func TestChartsArePinched(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 8)
	p := s.open("/studies/net")
	p.window(390, 800)
	call(p, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 5})
	p.see("money-chart", "rest")
	drawn := at("money-chart") + ".querySelector('.curve').getAttribute('d')"
	all := p.still(drawn)
	pane := p.box("money-chart", ".querySelector('.pane')")
	p.touch("touchStart", pane, [2]float64{0.4, 0.5})
	p.touch("touchStart", pane, [2]float64{0.4, 0.5}, [2]float64{0.6, 0.5})
	p.touch("touchMove", pane, [2]float64{0.3, 0.5}, [2]float64{0.7, 0.5})
	p.touch("touchMove", pane, [2]float64{0.2, 0.5}, [2]float64{0.8, 0.5})
	p.is(attr("money-chart", "data-zoomed"), "true")
	p.wait(drawn + " !== '" + all + "'")
	near := p.still(drawn)
	p.touch("touchMove", pane, [2]float64{0.1, 0.5}, [2]float64{0.7, 0.5}) // both go to the left, and what is shown with them
	p.wait(drawn + " !== '" + near + "'")
	p.touch("touchEnd", pane)
	p.wait(drawn + " !== '" + near + "'")
	p.is("visualViewport.scale", 1) // the page itself is not zoomed
	p.shoot("pinched")
	pane = p.box("money-chart", ".querySelector('.pane')")
	p.touch("touchStart", pane, [2]float64{0.1, 0.5}, [2]float64{0.9, 0.5})
	p.touch("touchMove", pane, [2]float64{0.48, 0.5}, [2]float64{0.52, 0.5})
	p.is(attr("money-chart", "data-zoomed"), "false")
	p.touch("touchEnd", pane)
	p.is(drawn, all)

	p.touch("touchStart", pane, [2]float64{0.4, 0.5})
	p.touch("touchMove", pane, [2]float64{0.5, 0.5})
	p.wait(at("money-chart") + ".querySelector('.plottip').textContent.startsWith('trial ')")
	p.touch("touchEnd", pane)
	p.is(attr("money-chart", "data-zoomed"), "false")
	p.quiet()
}
