package suite

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
)

// fingerprint is equal for equal problems. It covers parameters, goal, budget, noise, and a few values and costs.
func fingerprint(t *problem.Task) string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %v %s %v %v %v %v %d %.6g %.6g", t.Name, t.Params, t.Goal, t.Budget, t.FreeDesign, t.Noise, t.CostNoise, t.Seed(), t.Best, t.Scale)
	if sp, err := space.New(t.Params); err == nil {
		for _, u := range sobol.Points(3, sp.Dim(), t.Seed()) {
			value, cost := t.Evaluate(sp.Decode(u))
			fmt.Fprintf(h, " %.9g %.9g", value, cost)
		}
	}
	if t.Fidelity != nil {
		fmt.Fprintf(h, " %v", t.Fidelity)
	}
	for _, c := range t.Changeover {
		text, _ := json.Marshal(c) // its pointers would print as addresses
		fmt.Fprintf(h, " %s %v %v %d", text, t.ChangesLearnt, t.ChangesReported, t.Workers)
	}
	return fmt.Sprintf("%08x", h.Sum32())
}
