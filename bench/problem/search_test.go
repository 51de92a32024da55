package problem

import (
	"os"
	"testing"
)

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

// FindBest finds the values that the problems state. The searches of boston and cnn take minutes.
func TestFindBest(t *testing.T) {
	if os.Getenv("EKE_LONG") == "" {
		t.Skip("takes minutes; EKE_LONG=1 runs it")
	}
	for _, p := range every(t, 3) {
		at, value, evaluations, err := FindBest(p.Name, 3, dataFolder(ldaFile))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v at %v after %d", p.Name, value, at, evaluations)
		if !near(value, p.Best, 1e-8) {
			t.Errorf("%s: %v, want %v", p.Name, value, p.Best)
		}
	}
}
