package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// painted is a promise of how many milliseconds after the beginning of the visit a chart was on the screen.
func painted(chart string) string {
	return "new Promise(done => { const look = () => " + at(chart) + "?.querySelector('.pane') ? requestAnimationFrame(() => setTimeout(() => done(performance.now()))) : requestAnimationFrame(look); look(); })"
}

// BenchmarkFirstPaint is how long a visitor waits for the charts of a study with 20,000 trials, and for the study alone.
//
//	go test -run '^$' -bench FirstPaint -benchtime 5x ./internal/server/browser
func BenchmarkFirstPaint(b *testing.B) {
	s := serve(b)
	s.create(strings.Replace(net1, "total: 100", "total: 50000", 1))
	s.fillUp("net", 20000)
	var charts, all, study, bytes, requests float64
	once := func() {
		p := s.open("/studies/net")
		var ms float64
		p.into(painted("money-chart"), &ms)
		charts += ms
		p.into(painted("burn-chart"), &ms)
		all += ms
		var got struct{ Study, Bytes, Requests float64 }
		p.into(`(list => ({
			study: list.find(e => e.name.endsWith("/studies/net")).duration,
			bytes: list.reduce((sum, e) => sum + e.transferSize, 0),
			requests: list.length,
		}))(performance.getEntriesByType("resource").filter(e => e.name.includes("/api/")))`, &got)
		study, bytes, requests = study+got.Study, bytes+got.Bytes, requests+got.Requests
		p.quiet()
		p.do(chromedp.Navigate("about:blank")) // so that it asks the server for nothing more
	}
	once() // the server has read the study
	charts, all, study, bytes, requests = 0, 0, 0, 0, 0
	for range b.N {
		once()
	}
	n := float64(b.N)
	b.ReportMetric(charts/n, "charts-ms") // those on the screen
	b.ReportMetric(all/n, "all-charts-ms")
	b.ReportMetric(study/n, "study-ms")
	b.ReportMetric(bytes/n/1e6, "MB")
	b.ReportMetric(requests/n, "requests")
}
