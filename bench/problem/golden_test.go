package problem

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/internal/golden"
)

// figures are the reference's values and costs of one problem.
type figures struct {
	Alpha, B, Gamma float64 // of the synthetic costs
	X               [][]float64
	Objective       []float64
	Cost            []float64
}

// readGolden decodes one problem of the reference's figures.
func readGolden(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(golden.Dir("../../testdata/golden"), "problem_values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[name], into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Max(1, math.Abs(want))
}

func TestFormulasMeetTheReference(t *testing.T) {
	for name, f := range map[string]formula{
		"dropwave": dropwaveFormula, "alpine1": alpine1Formula, "ackley": ackleyFormula, "shekel5": shekel5Formula,
	} {
		var want figures
		readGolden(t, name, &want)
		if len(want.X) == 0 {
			t.Fatalf("%s: no figures", name)
		}
		p := f.priced(waves{want.Alpha, want.B * f.beta0, want.Gamma, f.centre()})
		for i, x := range want.X {
			value, cost := p.Evaluate(x)
			if !near(value, want.Objective[i], 1e-12) || !near(cost, want.Cost[i], 1e-12) {
				t.Errorf("%s point %d: value %v cost %v, want %v and %v", name, i, value, cost, want.Objective[i], want.Cost[i])
			}
		}
	}
}
