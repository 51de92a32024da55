package browser_test

import "testing"

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
	p.click("retry-trial")
	p.see("thought")

	p.visit("/studies/net/enter")
	p.see("own-lr")
	p.fill("own-lr", "1e-3")
	p.fill("own-layers", "4")
	p.click("own-submit")
	p.see("trouble") // the optimizer is missing
	p.fill("own-optimizer", "adam")
	p.click("own-submit")
	p.wait(at("own-said") + "?.textContent.includes('number 2 in the queue')")
	p.fill("own-value", "0.5")
	p.fill("own-cost", "2")
	p.click("own-submit")
	p.wait(at("own-said") + "?.textContent.includes('knows this result now')")
	p.shoot("own")
}
