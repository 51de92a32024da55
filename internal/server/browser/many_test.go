package browser_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

const many = 10000

// fillUp writes many trials into a study's log, as asking for them would take too long.
func (s *served) fillUp(name string, many int) {
	s.t.Helper()
	s.fillWith(name, many, func(int) float64 { return 1 })
}

// fillWith is fillUp with trials that cost something else.
func (s *served) fillWith(name string, many int, cost func(trial int) float64) {
	s.t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Now().UTC().Add(-time.Hour)
	var log []study.Event
	add := func(e study.Event) {
		e.Seq, e.At = int64(len(log)+1), now.Add(time.Duration(len(log))*time.Millisecond)
		log = append(log, e)
	}
	for n := 1; n <= many; n++ {
		lr, layers := random.Float64(), 1+random.Int64N(8)
		setting := space.Setting{"lr": space.Float(1e-5 + 0.09*lr), "layers": space.Int(layers), "optimizer": space.String("adam")}
		add(study.Event{Kind: study.EventAsked, Trial: n, Runner: "lease-w", Asked: &study.Asked{Setting: setting, Point: []float64{lr, float64(layers) / 9, 0.5}, Reserved: 1}})
		add(study.Event{Kind: study.EventStarted, Trial: n, Runner: "lease-w"})
		add(study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: random.Float64(), Charged: cost(n)}})
	}
	if err := s.store.Append(s.t.Context(), name, 0, log...); err != nil {
		s.t.Fatal(err)
	}
}

// Ten thousand trials are as quick to sort, filter and scroll as twenty: only the rows that can be seen are there.
func TestManyTrials(t *testing.T) {
	s := serve(t)
	s.create(strings.Replace(net1, "total: 100", "total: 20000", 1))
	s.fillUp("net", many)
	p := s.open("/studies/net/trials")
	p.is(at("trial-count")+"?.innerText", "10,000 trials")
	rows := at("rows") + ".querySelectorAll('tbody tr').length"
	few := func() {
		t.Helper()
		var n int
		if p.into(rows, &n); n < 10 || n > 100 {
			t.Errorf("the table has %d rows, want those that can be seen", n)
		}
	}
	few()
	quick := func(what, act, seen string) {
		t.Helper()
		begin := time.Now()
		p.eval(act)
		p.wait(seen)
		t.Logf("%s: %v", what, time.Since(begin))
		few()
	}
	quick("sort", at("sort-value")+".click()", `document.querySelector('th[aria-sort=ascending] [data-testid="sort-value"]')`)
	var shown []float64
	if p.into(column(2), &shown); shown[0] > 0.01 {
		t.Errorf("the least value is shown as %v", shown[0])
	}
	// A sorted table goes back to its top, which may come after the first try.
	down := at("rows") + ".scrollTo(0, 1e9)"
	quick("scroll", down, fmt.Sprintf(`(%s, document.querySelector('tr[aria-rowindex="%d"]'))`, down, many+1))
	p.shoot("many")
	p.fill("filter", "#9876")
	p.is(column(0), []int{9876})
	p.visit("/studies/net/models")
	p.see("many-to-fit") // nobody waits for models of so many who did not ask for them
	p.is("performance.getEntriesByType('resource').some(e => e.name.includes('/insight'))", false)
	p.visit("/studies/net")
	p.is(attr("money-chart", "data-count"), fmt.Sprint(many))
	p.shoot("many-overview")
	p.quiet()
}

// Two studies side by side.
func TestCompare(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.create(strings.Replace(net1, "name: net", "name: other", 1))
	net, other := s.work("net", 5), s.work("other", 3)
	p := s.open("/")
	p.click("choose-net")
	p.click("choose-other")
	p.click("compare")
	p.is("location.pathname", "/compare")
	p.is(attr("compare-chart", "data-count"), "2")
	rows := at("compare-table") + ".querySelectorAll('tbody tr')"
	p.is("["+"..."+rows+"].map(r => [r.cells[0].innerText, Number(r.cells[2].innerText), Number(r.cells[6].innerText)])",
		[][]any{{"net", bestOf(net).value, 5}, {"other", bestOf(other).value, 3}})
	p.wait(inked("compare-chart", "c0"))
	p.wait(inked("compare-chart", "c1"))
	p.shoot("compare")
	p.quiet()
}
