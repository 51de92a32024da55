package paper

import "time"

// How long replications take in proportion to each other, roughly as measured: suggestions take longer the further a policy
// looks, and the more dimensions and trials a problem has. Used for kinds of which none has ended yet.
var (
	policyWeight  = map[string]float64{"random": 0.3, "ei": 0.3, "ei-puc": 0.5, "ei-puc-cc": 0.4, "2-bmsei-p": 2, "4-bmsei-p": 3, "2-bmsei": 4, "4-bmsei": 30}
	problemWeight = map[string]float64{"dropwave": 0.3, "alpine1": 1, "ackley": 1.5, "shekel5": 4, "lda": 0.2, "cnn": 5, "boston": 1, "robot": 0.6}
)

func (k kind) guess() float64 {
	weight := func(table map[string]float64, name string) float64 {
		if w, ok := table[name]; ok {
			return w
		}
		return 1
	}
	g := weight(policyWeight, k.contender.Policy) * weight(problemWeight, k.problem)
	if k.contender.Preset == "default" {
		g *= 4 // it searches longer
	}
	return g
}

// secondsLeft estimates how long the rest will take from how long replications of each kind took.
func (p *Progress) secondsLeft() (float64, bool) {
	measured, guessed := 0.0, 0.0
	for k, t := range p.taken {
		measured += t.seconds
		guessed += k.guess() * float64(t.count)
	}
	if guessed == 0 {
		return 0, false
	}
	each := func(k kind) float64 {
		if t, ok := p.taken[k]; ok {
			return t.seconds / float64(t.count)
		}
		return k.guess() * measured / guessed
	}
	sum, last := 0.0, 0.0
	for k, n := range p.left {
		sum += each(k) * float64(n)
	}
	for k, begin := range p.running {
		run, whole := time.Since(begin).Seconds(), each(kindOf(k))
		rest := max(whole-run, 0.1*run) // one that is late already will take some time more
		sum += rest - whole
		last = max(last, rest)
	}
	return max(sum/float64(p.workers), last), true
}
