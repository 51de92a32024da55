package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.9g, want %.9g", what, got, want)
	}
}

// Student's own example, hours of sleep gained by two drugs (The probable error of a mean, 1908); the figures are
// R's t.test(paired = TRUE).
func TestPairedTOnSleep(t *testing.T) {
	first := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	second := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	var differences []float64
	for i := range first {
		differences = append(differences, first[i]-second[i])
	}
	mean, halfWidth := Interval95(differences)
	near(t, "mean", mean, -1.58, 1e-12)
	near(t, "half-width", halfWidth, (2.4598858-0.7001142)/2, 1e-7)
	near(t, "p", PairedT(differences), 0.002833, 5e-7)
}

// The example of Hollander and Wolfe (1973, p. 29) that R's wilcox.test shows, and Darwin's maize, which SciPy's wilcoxon
// shows.
func TestWilcoxonTextbookExamples(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	var differences []float64
	for i := range before {
		differences = append(differences, before[i]-after[i])
	}
	near(t, "depression", Wilcoxon(differences), 0.0390625, 1e-12)

	maize := []float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}
	near(t, "maize", Wilcoxon(maize), 0.041259765625, 1e-12)
	near(t, "maize, normal", normalTail(signedRanks(maize)), 0.04088813291185591, 1e-9)
}

// The slow twin: all 2ⁿ assignments of signs, ranks found by counting, ties and zeros included.
func TestWilcoxonAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		differences := make([]float64, 1+rng.IntN(10))
		for i := range differences {
			differences[i] = float64(rng.IntN(9) - 4)
		}
		near(t, "p", Wilcoxon(differences), enumerated(differences), 1e-12)
	}
}

func enumerated(differences []float64) float64 {
	var ranks []float64
	observed := 0.0 // the sum of signed ranks
	for _, d := range differences {
		if d == 0 {
			continue
		}
		smaller, equal := 0.0, 0.0
		for _, e := range differences {
			if e != 0 && math.Abs(e) < math.Abs(d) {
				smaller++
			}
			if math.Abs(e) == math.Abs(d) {
				equal++
			}
		}
		ranks = append(ranks, smaller+(equal+1)/2)
		observed += math.Copysign(ranks[len(ranks)-1], d)
	}
	extreme := 0
	for signs := range 1 << len(ranks) {
		sum := 0.0
		for i, r := range ranks {
			if signs>>i&1 == 1 {
				r = -r
			}
			sum += r
		}
		if math.Abs(sum) >= math.Abs(observed) {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(ranks))
}

// Beyond the exact p-values the normal approximation must continue them, with ties too.
func TestWilcoxonNormalContinuesExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		differences := make([]float64, 50)
		for i := range differences {
			differences[i] = math.Round(4*(rng.NormFloat64()+0.3)) + 0.5
		}
		twice, positive := signedRanks(differences)
		exact := exactTail(twice, positive)
		near(t, "p", normalTail(twice, positive), exact, 0.02*exact+0.002)
	}
	many := make([]float64, exactUpTo+1)
	for i := range many {
		many[i] = 1
	}
	// All equal and positive: ranks 26, so the sum is 51·26, its mean half of that and its variance 51·26²/4.
	near(t, "p of 51 wins", Wilcoxon(many), math.Erfc(math.Sqrt(51.0/2)), 1e-18)
}

// R: p.adjust(p, "holm").
func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		{[]float64{0.04, 0.01, 0.6}, []float64{0.08, 0.03, 0.6}},
		{[]float64{0.9, 0.8}, []float64{1, 1}},
		{[]float64{0.02, math.NaN(), 0.03}, []float64{0.04, math.NaN(), 0.04}},
	} {
		for i, got := range Holm(c.p) {
			if math.IsNaN(c.want[i]) != math.IsNaN(got) || math.Abs(got-c.want[i]) > 1e-12 {
				t.Errorf("Holm(%v)[%d] = %v, want %v", c.p, i, got, c.want[i])
			}
		}
	}
}

func TestTestsOfTooLittle(t *testing.T) {
	if p := PairedT([]float64{1}); !math.IsNaN(p) {
		t.Errorf("t-test of one pair: %v", p)
	}
	if p := PairedT([]float64{0, 0, 0}); p != 1 {
		t.Errorf("t-test of no difference: %v, want 1", p)
	}
	if p := Wilcoxon([]float64{0, 0}); p != 1 {
		t.Errorf("Wilcoxon of no difference: %v, want 1", p)
	}
	if _, halfWidth := Interval95([]float64{3}); !math.IsNaN(halfWidth) {
		t.Errorf("interval of one: ±%v", halfWidth)
	}
}
