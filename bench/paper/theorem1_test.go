package paper

import (
	"math"
	"testing"
)

func TestTheorem1Formulas(t *testing.T) {
	// One small point is a look like that at the big one; of two, E[max(0, Z₁, Z₂)] = (1 + 1/√2)/√(2π).
	one, two := shop{1, 0.5}, shop{0.6, 0.5}
	near(t, "one small point", one.allSmall(), 0.5*oneLook, 1e-6)
	near(t, "two small points", two.allSmall(), 0.5*oneLook*(1+1/math.Sqrt2), 1e-6)
}

// The games must be those of the theorem: EI-PUC buys all small points and nothing else, and EI buys only the big
// one.
func TestTheorem1Played(t *testing.T) {
	for _, epsilon := range []float64{0.2, 0.05} {
		misleadsPUC, misleadsEI := shop{epsilon, epsilon}, shop{epsilon, 1 - epsilon}
		for _, c := range []struct {
			name    string
			world   shop
			perCost bool
			want    float64
		}{
			{"EI-PUC misled", misleadsPUC, true, misleadsPUC.allSmall()},
			{"EI where EI-PUC is misled", misleadsPUC, false, misleadsPUC.optimal()},
			{"EI misled", misleadsEI, false, oneLook},
			{"EI-PUC where EI is misled", misleadsEI, true, misleadsEI.optimal()},
		} {
			mean, standardError := c.world.play(c.perCost, 20_000, 7)
			near(t, c.name, mean, c.want, 4.5*standardError)
		}
		if !(misleadsPUC.allSmall() < misleadsPUC.optimal() && oneLook < misleadsEI.optimal()) {
			t.Errorf("ε = %v misleads nobody", epsilon)
		}
	}
}
