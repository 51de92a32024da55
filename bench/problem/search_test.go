package problem

import "testing"

func TestSearchFindsWhatIsKnown(t *testing.T) {
	for name, close := range map[string]float64{"dropwave": 1e-9, "alpine1": 1e-7, "ackley": 1e-7, "shekel5": 1e-9} {
		p, err := New(name, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		at, best, evaluations := Search(p, 20000, 20, 1)
		if value, _ := p.Evaluate(at); value != best {
			t.Errorf("%s: says %v for a point with value %v", name, best, value)
		}
		if best < p.Best-close || !near(min(best, p.Best), best, 1e-14) || evaluations <= 20000 {
			t.Errorf("%s: %v after %d evaluations, want %v", name, best, evaluations, p.Best)
		}
	}
}
