package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// tol bounds the relative difference between assembly and fallback.
const tol = 1e-14

// guard is written around destinations and must stay unchanged.
const guard = -12345.678

// lengths are those the vector kernels are tested at: every tail after several
// unrolled rounds, and a few long ones.
func lengths() []int {
	var ns []int
	for n := range 71 {
		ns = append(ns, n)
	}
	return append(ns, 127, 200, 255, 1000, 1023)
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// randVec returns n normal numbers that start off elements into their array,
// so that they are not aligned.
func randVec(rng *rand.Rand, n, off int) []float64 {
	v := make([]float64, n+off)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v[off:]
}

// guarded returns a copy of v with guard values on both sides, and a check
// that they are still there.
func guarded(t testing.TB, v []float64) ([]float64, func()) {
	t.Helper()
	const margin = 9
	buf := make([]float64, len(v)+2*margin)
	for i := range buf {
		buf[i] = guard
	}
	in := buf[margin : margin+len(v)]
	copy(in, v)
	return in, func() {
		t.Helper()
		for i := range margin {
			if buf[i] != guard || buf[len(buf)-1-i] != guard {
				t.Fatalf("wrote outside the destination of length %d", len(v))
			}
		}
	}
}

// bothWays runs f with the fallback and, where there is any, the assembly.
func bothWays(t *testing.T, f func(t *testing.T)) {
	for _, on := range []bool{false, true} {
		was := SetEnabled(on)
		if Enabled() == on {
			t.Run(fmt.Sprintf("asm=%v", on), f)
		}
		SetEnabled(was)
	}
}

// withAsm skips a comparison where there is nothing to compare.
func withAsm(t testing.TB) {
	t.Helper()
	was := SetEnabled(true)
	t.Cleanup(func() { SetEnabled(was) })
	if !Enabled() {
		t.Skip("no assembly for this CPU")
	}
}

// relDiff is |x−y| over the larger of the two and floor; two NaNs are equal.
func relDiff(x, y, floor float64) float64 {
	if x == y || math.IsNaN(x) && math.IsNaN(y) {
		return 0
	}
	d := math.Abs(x-y) / math.Max(floor, math.Max(math.Abs(x), math.Abs(y)))
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}

func closeAll(t testing.TB, what string, got, want []float64, floor, tol float64) {
	t.Helper()
	for i := range want {
		if d := relDiff(got[i], want[i], floor); d > tol {
			t.Fatalf("%s, length %d: entry %d is %v, want %v (difference %.2g)",
				what, len(want), i, got[i], want[i], d)
		}
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		msg, ok := recover().(string)
		if !ok || !strings.HasPrefix(msg, "simd: ") {
			t.Errorf("%s: no panic of ours, but %q", what, msg)
		}
	}()
	f()
}

// benchWays runs f as sub-benchmarks over n, with the assembly on and off. f
// returns the floating-point operations of one round, 0 for no report.
func benchWays(b *testing.B, f func(b *testing.B, n int) (flops float64)) {
	for _, n := range []int{50, 100, 200} {
		benchAt(b, n, f)
	}
}

func benchAt(b *testing.B, n int, f func(b *testing.B, n int) (flops float64)) {
	for _, on := range []bool{true, false} {
		was := SetEnabled(on)
		if Enabled() == on {
			b.Run(fmt.Sprintf("n=%d/asm=%v", n, on), func(b *testing.B) {
				if flops := f(b, n); flops > 0 {
					b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
				}
			})
		}
		SetEnabled(was)
	}
}

func TestPad(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {1, 4}, {3, 4}, {4, 4}, {5, 8}, {1000, 1000}, {1001, 1004}} {
		if got := Pad(c[0]); got != c[1] {
			t.Errorf("Pad(%d) = %d, want %d", c[0], got, c[1])
		}
	}
}

func TestSetEnabled(t *testing.T) {
	start := Enabled()
	if was := SetEnabled(false); was != start || Enabled() {
		t.Errorf("SetEnabled(false) returned %v, and Enabled %v", was, Enabled())
	}
	if was := SetEnabled(start); was || Enabled() != start {
		t.Errorf("SetEnabled(%v) returned %v, and Enabled %v", start, was, Enabled())
	}
}

// atStart is the choice that the environment and the CPU made.
var atStart = Enabled()

// TestEnvironment runs itself once more with EKE_NOSIMD set.
func TestEnvironment(t *testing.T) {
	if os.Getenv("EKE_NOSIMD") == "1" {
		if atStart {
			t.Error("the assembly is on in spite of EKE_NOSIMD=1")
		}
		return
	}
	if atStart != haveAsm() {
		t.Errorf("Enabled is %v at start, and haveAsm %v", atStart, haveAsm())
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironment$")
	cmd.Env = append(os.Environ(), "EKE_NOSIMD=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("with EKE_NOSIMD=1: %v\n%s", err, out)
	}
}

func TestNoAllocation(t *testing.T) {
	const n, rows = 40, 5
	rng := newRand(1)
	x, y, z := randVec(rng, n, 0), randVec(rng, n, 0), randVec(rng, n, 0)
	a, d := randVec(rng, rows*n, 0), make([]float64, rows*n)
	spd, w := randSPD(rng, n, n), make([]float64, n*n)
	l, inv := make([]float64, n*n), make([]float64, n*n)
	bothWays(t, func(t *testing.T) {
		got := testing.AllocsPerRun(20, func() {
			y[0] = Dot(x, y) + WeightedDiff(x, 1, y)
			Axpy(1e-3, x, y)
			AddSqDist(y, 1, x)
			Mul(z, x, x)
			Matern52(z, y, z, 1)
			Exp(y, x)
			MulUpper(d, a, w, rows, n)
			MulLower(d, a, w, rows, n)
			copy(l, spd)
			Cholesky(l, n, n)
			InvLower(inv, l, n, n)
		})
		if got != 0 {
			t.Errorf("%v allocations", got)
		}
	})
}
