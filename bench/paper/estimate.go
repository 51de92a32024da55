package paper

import "fmt"

// Rough relative durations of replications, as measured. Suggestions take longer the further a policy looks, and the more
// dimensions and trials a problem has. They are used for a kind until one of its replications has ended.
var (
	policyWeight  = map[string]float64{"random": 0.3, "ei": 0.3, "ei-puc": 0.5, "ei-puc-cc": 0.4, "log-ei-puc": 0.5, "gittins": 0.5, "gittins-d": 0.5, "rollout": 5, "2-bmsei-p": 2, "4-bmsei-p": 3, "2-bmsei": 4, "4-bmsei": 30}
	problemWeight = map[string]float64{"dropwave": 0.3, "alpine1": 1, "ackley": 1.5, "shekel5": 4, "lda": 0.2, "cnn": 5, "boston": 1, "robot": 0.6}
)

// Kind is shared by replications that take about as long.
func (k Key) Kind() string { return fmt.Sprintf("%s %s %g", k.Problem, k.contender(), k.Budget) }

// Weight guesses how long a replication takes.
func (k Key) Weight() float64 {
	weight := func(table map[string]float64, name string) float64 {
		if w, ok := table[name]; ok {
			return w
		}
		return 1
	}
	g := weight(policyWeight, k.Policy) * weight(problemWeight, k.Problem)
	if k.Preset == "default" {
		g *= 4 // it searches longer
	}
	return g
}
