package sobol

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// take returns n points from s on.
func take(s *Sequence, n int) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = s.Next(nil)
	}
	return points
}

// halfDigit is what Next adds to keep points off the faces of the cube.
const halfDigit = 0x1p-53

func TestUnscrambledFirstPoints(t *testing.T) {
	// In eighths: the standard sequence, as from SciPy 1.10.1,
	// scipy.stats.qmc.Sobol(8, scramble=False).random(8).
	want := [8][8]float64{
		{0, 0, 0, 0, 0, 0, 0, 0},
		{4, 4, 4, 4, 4, 4, 4, 4},
		{6, 2, 2, 2, 6, 6, 2, 6},
		{2, 6, 6, 6, 2, 2, 6, 2},
		{3, 3, 5, 7, 3, 1, 3, 7},
		{7, 7, 1, 3, 7, 5, 7, 3},
		{5, 1, 7, 5, 5, 7, 1, 1},
		{1, 5, 3, 1, 1, 3, 5, 5},
	}
	for i, point := range take(newUnscrambled(8), 8) {
		for d, x := range point {
			if x != want[i][d]/8+halfDigit {
				t.Errorf("point %d, dimension %d: %v, want %v", i, d+1, x, want[i][d]/8)
			}
		}
	}
}

func TestUnscrambledFarPoints(t *testing.T) {
	// In units of 2⁻³⁰, from SciPy 1.10.1,
	// scipy.stats.qmc.Sobol(1111, scramble=False).random(4096).
	dimensions := []int{1, 2, 3, 4, 5, 6, 7, 8, 100, 500, 1000, 1111}
	for index, want := range map[int][]float64{
		100:  {444596224, 276824064, 830472192, 780140544, 947912704, 796917760, 25165824, 511705088, 947912704, 528482304, 981467136, 494927872},
		777:  {743440384, 1005584384, 175112192, 294649856, 682622976, 382730240, 204472320, 818937856, 548405248, 344981504, 412090368, 628097024},
		4095: {262144, 1010565120, 358875136, 968097792, 1009516544, 84672512, 1019478016, 419692544, 1033633792, 1007943680, 331087872, 363593728},
	} {
		s := newUnscrambled(MaxDim)
		s.Skip(index)
		point := s.Next(nil)
		for k, d := range dimensions {
			if point[d-1] != want[k]*0x1p-30+halfDigit {
				t.Errorf("point %d, dimension %d: %v, want %v", index, d, point[d-1], want[k]*0x1p-30)
			}
		}
	}
}

// The package promises that a seed always gives the same points.
func TestScrambledPointsStay(t *testing.T) {
	want := [][]float64{
		{0.4455674388187302, 0.8764110446189525, 0.6878077408799183},
		{0.6076423734458937, 0.17866439238458043, 0.0524371862548666},
		{0.8028679859240385, 0.5868322127282594, 0.8338207818468689},
		{0.1409611662258431, 0.3587975925379595, 0.4064623317219237},
	}
	for i, point := range Points(len(want), 3, 20080901) {
		if !slices.Equal(point, want[i]) {
			t.Errorf("point %d is %v, want %v", i, point, want[i])
		}
	}
}

func TestPointsAreInsideTheCube(t *testing.T) {
	for seed := range uint64(5) {
		for i, point := range Points(300, MaxDim, seed) {
			for d, x := range point {
				if !(x > 0 && x < 1) {
					t.Fatalf("seed %d, point %d, dimension %d: %v", seed, i, d+1, x)
				}
			}
		}
	}
	// The extremes of the digits.
	s := newUnscrambled(2)
	s.state[0], s.state[1] = 0, period-1
	if point := s.Next(nil); point[0] != 0x1p-53 || point[1] != 1-0x1p-53 {
		t.Errorf("extremes %v", point)
	}
}

func TestSkipEqualsNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 20).Draw(t, "dim")
		seed := rapid.Uint64().Draw(t, "seed")
		before := rapid.IntRange(0, 40).Draw(t, "before")
		n := rapid.IntRange(0, 300).Draw(t, "n")
		stepped, jumped := New(dim, seed), New(dim, seed)
		take(stepped, before+n)
		take(jumped, before)
		jumped.Skip(n)
		want := take(stepped, 3)
		for i, point := range take(jumped, 3) {
			if !slices.Equal(point, want[i]) {
				t.Fatalf("point %d after the jump is %v, want %v", i, point, want[i])
			}
		}
		jumped.Skip(-3)
		if point := jumped.Next(nil); !slices.Equal(point, want[0]) {
			t.Fatalf("after going back: %v, want %v", point, want[0])
		}
	})
}

func TestSequenceIsPeriodic(t *testing.T) {
	s := New(4, 1)
	want := take(s, 3)
	s.index = period - 1
	s.Skip(0)
	s.Next(nil)
	for i, point := range take(s, 3) {
		if !slices.Equal(point, want[i]) {
			t.Errorf("point %d of the second period is %v, want %v", i, point, want[i])
		}
	}
	s.Skip(math.MaxInt)
	s.Skip(math.MinInt)
	s.Next(nil)
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"dimension 0":  func() { New(0, 1) },
		"beyond table": func() { New(MaxDim+1, 1) },
		"short point":  func() { New(3, 1).Next(make([]float64, 2)) },
	} {
		func() {
			defer func() {
				if message, _ := recover().(string); !strings.HasPrefix(message, "sobol: ") {
					t.Errorf("%s: panic %q", name, message)
				}
			}()
			f()
		}()
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	s := New(30, 1)
	point := make([]float64, 30)
	if n := testing.AllocsPerRun(100, func() { s.Next(point); s.Skip(17) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNext(b *testing.B) {
	for _, dim := range []int{2, 10, 100, 1000} {
		s, point := New(dim, 1), make([]float64, dim)
		b.Run(fmt.Sprint(dim), func(b *testing.B) {
			for b.Loop() {
				s.Next(point)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, dim := range []int{10, 1000} {
		b.Run(fmt.Sprint(dim), func(b *testing.B) {
			for b.Loop() {
				New(dim, rand.Uint64())
			}
		})
	}
}
