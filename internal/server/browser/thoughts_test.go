package browser_test

import (
	"fmt"
	"strings"
	"testing"
)

// Somebody thinks better of a trial: forgets it, corrects it, has it tried again; and tries a setting of their own.
func TestSecondThoughts(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 3)
	p := s.open("/studies/net/trials?trial=2")
	p.see("trial-detail", "forget-trial", "retry-trial")
	p.click("forget-trial")
	p.is(at("forget-trial")+".textContent", "Count it again")
	p.wait(at("trial-2") + ".textContent.includes('forgotten')")
	p.click("forget-trial")
	p.is(at("forget-trial")+".textContent", "Forget")
	p.click("correct-trial")
	p.fill("correct-cost", "7.5")
	p.click("correct-submit")
	p.wait(at("trial-detail") + ".textContent.includes('7.5 GPU-hours')")
	// The form begins with what holds when it is opened, and does not undo what is corrected elsewhere while it is open.
	cost := func(cost string) {
		t.Helper()
		if err := s.post("/studies/net/trials/2/correct", "application/json", []byte(`{"cost": `+cost+`}`), nil); err != nil {
			t.Fatal(err)
		}
		p.wait("(t => t.includes('charged " + cost + " GPU-hours'))(" + at("trial-detail") + ".innerText.replaceAll(/\\s+/g, ' '))")
	}
	cost("8.5")
	p.click("correct-trial")
	p.is(at("correct-cost")+".value", "8.5")
	p.is(at("correct-submit")+".disabled", true) // nothing is changed
	cost("9.5")
	p.fill("correct-value", "0.125")
	p.click("correct-submit")
	p.wait("!" + at("correct-form"))
	p.is("fetch('/api/v1/studies/net/trials/2').then(r => r.json()).then(t => [t.value, t.charged])", []float64{0.125, 9.5})
	p.click("retry-trial")
	p.see("thought")

	p.visit("/studies/net/enter")
	p.see("own-lr")
	p.fill("own-lr", "1e-3")
	p.fill("own-layers", "9")
	p.click("own-submit")
	p.see("trouble") // there are at most 8
	p.fill("own-layers", "4")
	p.click("own-submit") // a part of a setting: the study chooses the optimizer
	p.wait(at("own-said") + "?.textContent.includes('in the queue, behind 1 other')")
	p.choose("own-optimizer", "adam")
	p.click("own-submit")
	p.is("fetch('/api/v1/studies/net/queue').then(r => r.json()).then(q => q.items.length)", 3)
	p.fill("own-value", "0.5")
	p.fill("own-cost", "2")
	p.click("own-submit")
	p.wait(at("own-said") + "?.textContent.includes('knows this result now')")
	p.shoot("own")
}

// Settings of people's own wait where the study is shown, whoever has added them. They can be added and taken back there.
func TestQueue(t *testing.T) {
	s := serve(t)
	s.create(net1)
	told := s.work("net", 3)
	p := s.open("/studies/net")
	p.is("document.querySelector('#queue-title').innerText", "Settings to try next: none")
	p.click("queue-add")
	p.is(at("own-submit")+".disabled", true)
	p.is(at("own-layers")+".placeholder", "1 to 8")
	p.click("own-best")
	p.is(at("own-optimizer")+".value", bestOf(told).Setting["optimizer"])
	p.fill("own-lr", "7")
	p.click("own-submit")
	p.wait(at("trouble") + "?.innerText.includes('lr')") // it is outside
	p.fill("own-lr", "0.0125")
	p.fill("own-note", "as in the paper")
	p.click("own-submit")
	p.is("["+at("queue-1")+"?.cells[1].innerText.startsWith('lr=0.0125, '), "+at("queue-1")+"?.cells[2].innerText]", []any{true, "as in the paper"})
	if err := s.post("/studies/net/queue", "application/json", []byte(`{"setting": {"lr": 0.001, "layers": 2, "optimizer": "sgd"}}`), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.post("/studies/net/retry", "application/json", []byte(`{"trials": [2]}`), nil); err != nil {
		t.Fatal(err)
	}
	p.wait(at("queue-3") + "?.innerText.includes('as in trial 2')") // live
	p.is("document.querySelector('#queue-title').innerText", "Settings to try next: 3")
	p.shoot("queue")
	p.click("drop-2")
	p.is("[...document.querySelectorAll('[data-testid=\"queue-table\"] tbody tr')].map(r => r.cells[0].innerText)", []string{"1", "3"})
	next := s.work("net", 1)[0]
	if lr := next.Setting["lr"]; lr != 0.0125 {
		t.Errorf("lr %v is tried next", lr)
	}
	p.is("document.querySelector('#queue-title').innerText", "Settings to try next: 1")
	p.quiet()
}

// If an answer is lost, the same setting is not added twice, and another one is not refused.
func TestAnswerIsLost(t *testing.T) {
	s := serve(t)
	s.create(net1)
	p := s.open("/studies/net/enter")
	lose := func() {
		t.Helper()
		p.eval(`((f) => { fetch = async (...a) => { const answer = await f(...a); if (a[1]?.method !== "POST") return answer; fetch = f; throw new TypeError("lost"); }; })(fetch)`)
		p.click("own-submit")
		p.see("trouble")
	}
	added := func(rates ...float64) {
		t.Helper()
		p.click("own-submit")
		p.see("own-said")
		p.is("fetch('/api/v1/studies/net/queue').then(r => r.json()).then(q => q.items.map(i => i.setting.lr))", rates)
	}
	p.fill("own-lr", "0.01")
	p.fill("own-layers", "2")
	lose()
	added(0.01)
	added(0.01, 0.01) // it is meant again
	lose()
	p.fill("own-lr", "0.02")
	added(0.01, 0.01, 0.01, 0.02)
	p.quiet()
}

// A trial that waits for its turn on a cluster is not taken for running, and says why it waits.
func TestQueuedTrials(t *testing.T) {
	s := serve(t)
	s.create(net1 + "parallel: 2\n")
	p := s.open("/studies/net")
	for range 2 {
		if _, err := s.ask("net"); err != nil {
			t.Fatal(err)
		}
	}
	beat := func(trial int, queued string) {
		t.Helper()
		if err := s.post(fmt.Sprintf("/studies/net/trials/%d/heartbeat", trial), "application/json", fmt.Appendf(nil, `{"worker": "oven-1", "queued": %q}`, queued), nil); err != nil {
			t.Fatal(err)
		}
	}
	beat(2, "Resources, the job is 3rd in the queue")
	p.is("document.querySelector('#running-title')?.innerText", "Running now: 1, queued: 1")
	p.is(at("queued-2")+"?.innerText", "Resources, the job is 3rd in the queue")
	p.is(at("state")+".innerText", "1 running, 1 queued")
	p.shoot("queued")
	p.visit("/studies/net/trials?trial=2")
	p.is(at("queued-why")+"?.innerText", "Resources, the job is 3rd in the queue")
	p.is(at("trial-2")+".cells[1].innerText", "queued")
	p.fill("filter", "state = queued")
	p.is(at("trial-count")+".innerText", "1 of 2 trials")
	p.visit("/")
	p.is(at("study-net")+"?.querySelector('[data-testid=state]').innerText", "1 running, 1 queued")
	beat(2, "")
	p.is(at("study-net")+"?.querySelector('[data-testid=state]').innerText", "2 running")
	p.quiet()
}

// A study that is over says so and why, on its page and in the list.
func TestFinishedIsSaid(t *testing.T) {
	s := serve(t)
	s.create(strings.Replace(net1, "total: 100", "total: 8", 1))
	s.create(strings.Replace(net1, "name: net", "name: other", 1))
	p := s.open("/")
	state := at("study-net") + "?.querySelector('[data-testid=state]').innerText"
	p.is(state, "not begun")
	for {
		trial, err := s.ask("net")
		if err != nil {
			break // no money, or nothing that is worth it
		}
		if err := s.tell("net", trial); err != nil {
			t.Fatal(err)
		}
	}
	p.is(state, "finished")
	p.wait(at("study-end") + "?.innerText.startsWith('Finished: ')")
	p.shoot("finished-list")
	p.choose("list-state", "finished")
	p.is("[...document.querySelectorAll('.study a')].map(a => a.innerText)", []string{"net"})
	why := p.text("study-end")
	p.visit("/studies/net")
	p.is(at("state")+"?.innerText", "finished")
	p.wait(fmt.Sprintf("%s?.innerText.toLowerCase().startsWith(%q)", at("finished"), strings.ToLower(strings.Replace(strings.TrimSuffix(why, "."), "Finished:", "Finished.", 1))))
	p.quiet()
}

// What is done to a study elsewhere changes what is expected of it: it is not finished for ever, and what was learnt from a trial that is
// forgotten is gone.
func TestForecastsFollowSecondThoughts(t *testing.T) {
	s := serve(t)
	s.create(net1 + "stop: {gain: 100}\n")
	post := func(path, body string) {
		t.Helper()
		if err := s.post("/studies/net"+path, "application/json", []byte(body), nil); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for ; ; n++ {
		trial, err := s.ask("net")
		if err != nil {
			break // the rest is not worth its price
		}
		if err := s.tell("net", trial); err != nil {
			t.Fatal(err)
		}
	}
	p := s.open("/studies/net")
	p.see("finished", "rest")
	post("/stop", `{"stop": "never"}`)
	p.see("pause")
	if state := p.still(at("state") + ".innerText"); state != "idle" {
		t.Errorf("the study is %s again", state)
	}
	p.wait("performance.getEntriesByType('resource').filter(r => r.name.includes('/rest?')).length > 1") // the forecast of that is there
	post("/trials/1/correct", `{"value": 0.0375}`)
	p.wait(at("rest") + "?.innerText.includes('0.0375')")

	p.visit("/studies/net/models")
	learnt := func(n int) { p.wait(fmt.Sprintf("document.body.innerText.includes('Learnt from %d trials')", n)) }
	learnt(n)
	post("/forget", `{"trials": [2]}`)
	learnt(n - 1)
	p.quiet()
}
