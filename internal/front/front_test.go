package front

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/internal/normal"
)

// somePoints draws points of a grid, so that many have equal coordinates, or of a cube, some below the reference.
func somePoints(rng *rand.Rand, n, m int, grid bool) [][]float64 {
	list := make([][]float64, n)
	for i := range list {
		list[i] = make([]float64, m)
		for j := range list[i] {
			if list[i][j] = rng.Float64()*6 - 1; grid {
				list[i][j] = math.Round(list[i][j])
			}
		}
	}
	return list
}

// eachFront calls f with random fronts of two and three objectives.
func eachFront(f func(points [][]float64, worst []float64, rng *rand.Rand)) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := Least + int(seed%2)
		f(somePoints(rng, int(seed)%12, m, seed%4 < 2), make([]float64, m), rng)
	}
}

// dominated says whether a place is below one of the points, by looking at all of them.
func dominated(points [][]float64, y []float64) bool {
	return slices.ContainsFunc(points, func(p []float64) bool {
		for j, v := range y {
			if v > p[j] {
				return false
			}
		}
		return true
	})
}

func TestFrontIsWhatNothingDominates(t *testing.T) {
	eachFront(func(points [][]float64, worst []float64, _ *rand.Rand) {
		places := Of(points, worst)
		for i, p := range points {
			on := slices.Contains(places, i)
			others := slices.ContainsFunc(points, func(q []float64) bool { return Dominates(q, p) })
			first := !slices.ContainsFunc(points[:i], func(q []float64) bool { return slices.Equal(p, q) })
			if want := Above(p, worst) && !others && first; on != want {
				t.Errorf("%v of %v: on the front %v, want %v", p, points, on, want)
			}
		}
	})
	if got := Of([][]float64{{math.NaN(), 3}, {1, 1}}, []float64{0, 0}); !slices.Equal(got, []int{1}) {
		t.Errorf("with NaN: %v", got)
	}
}

// Every place above the reference is in exactly one box if nothing dominates it, and in none otherwise.
func TestBoxesAreWhatIsNotDominated(t *testing.T) {
	eachFront(func(points [][]float64, worst []float64, rng *rand.Rand) {
		boxes := Boxes(points, worst)
		if n := len(Of(points, worst)); len(boxes) > (len(worst)-1)*n+1 {
			t.Errorf("%d boxes of %d points", len(boxes), n)
		}
		for range 300 {
			y := make([]float64, len(worst))
			for j := range y {
				y[j] = 6 * rng.Float64()
			}
			in := 0
			for _, b := range boxes {
				inside := true
				for j, v := range y {
					inside = inside && b.Low[j] < v && v <= b.High[j]
				}
				if inside {
					in++
				}
			}
			if want := 1; dominated(points, y) && in != 0 || !dominated(points, y) && in != want {
				t.Fatalf("%v is in %d boxes of %v", y, in, points)
			}
		}
	})
}

// sliced is the hypervolume of points of a grid, by counting cells.
func sliced(points [][]float64, m int) (n float64) {
	var count func(y []float64)
	count = func(y []float64) {
		if len(y) == m {
			if dominated(points, y) {
				n++
			}
			return
		}
		for k := range 6 {
			count(append(slices.Clone(y), float64(k)+0.5))
		}
	}
	count(nil)
	return n
}

func TestVolumeAndGainByCounting(t *testing.T) {
	eachFront(func(points [][]float64, worst []float64, rng *rand.Rand) {
		for _, p := range points {
			for j := range p {
				p[j] = math.Round(p[j])
			}
		}
		before := sliced(points, len(worst))
		if got := Volume(points, worst); math.Abs(got-before) > 1e-9 {
			t.Errorf("volume %v of %v, want %v", got, points, before)
		}
		y := somePoints(rng, 1, len(worst), true)[0]
		if got, want := Gain(Boxes(points, worst), y), sliced(append(slices.Clone(points), y), len(worst))-before; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v adds %v to %v, want %v", y, got, points, want)
		}
	})
}

// A volume in other units is the same volume to the last bit, however large or small the sides are, and never infinite.
func TestVolumeInAnyUnits(t *testing.T) {
	eachFront(func(points [][]float64, worst []float64, _ *rand.Rand) {
		for _, exps := range [][]int{{1, -3, 2}, {1000, -1000, 20}, {1020, 1020, 1020}} {
			sum, scaled := 0, make([][]float64, len(points))
			for j := range worst {
				sum += exps[j]
			}
			for i, p := range points {
				for j, v := range p {
					scaled[i] = append(scaled[i], math.Ldexp(v, exps[j]))
				}
			}
			want := math.Min(math.Ldexp(Volume(points, worst), sum), math.MaxFloat64)
			if got := Volume(scaled, worst); got != want {
				t.Errorf("%v in units of 2^%v: %v, want %v", points, exps, got, want)
			}
		}
	})
	most := math.MaxFloat64
	if got := Volume([][]float64{{most, 1}, {1, most}}, []float64{-most, -most}); got != most {
		t.Errorf("all there is: %v", got)
	}
	if got := Volume([][]float64{{most, 0x1p-600}}, []float64{-most, 0}); got != 0x1p-600*most*2 {
		t.Errorf("wide and flat: %v", got)
	}
}

// byDraws compares the expected gain and the chance to extend a front with the means over draws. Objectives that take whole numbers are rounded.
func byDraws(t *testing.T, rng *rand.Rand, boxes []Box, m int, whole []bool, least float64) {
	t.Helper()
	mean, sd := somePoints(rng, 1, m, false)[0], make([]float64, m)
	for j := range sd {
		sd[j] = least + rng.Float64()
	}
	const draws = 8000
	sum, squares, hits := 0.0, 0.0, 0.0
	for range draws {
		y := make([]float64, m)
		for j := range y {
			if y[j] = mean[j] + sd[j]*rng.NormFloat64(); len(whole) > j && whole[j] {
				y[j] = math.Round(y[j])
			}
		}
		g := Gain(boxes, y)
		if sum, squares = sum+g, squares+g*g; g > 0 {
			hits++
		}
	}
	ln, want, slack := NewGainer(boxes, whole).Log(mean, sd, make([]float64, m), make([]float64, m)), sum/draws, 1e-4
	if whole != nil {
		slack += 0.01 * want
	}
	if doubt := 4 * math.Sqrt((squares/draws-want*want)/draws); math.Abs(math.Exp(ln)-want) > doubt+slack {
		t.Errorf("%d objectives: expected gain %v, by draws %v ± %v", m, math.Exp(ln), want, doubt)
	}
	if got, want := Chance(Rounded(boxes, whole), mean, sd, normal.CDF), hits/draws; math.Abs(got-want) > 0.025 {
		t.Errorf("%d objectives: chance %v, by draws %v", m, got, want)
	}
}

func TestExpectedGainByDraws(t *testing.T) {
	for m := Least; m <= Most; m++ {
		rng := rand.New(rand.NewPCG(7, uint64(m)))
		for range 4 {
			byDraws(t, rng, Boxes(somePoints(rng, 8, m, false), make([]float64, m)), m, nil, 0.3)
		}
	}
}

// Of an objective that takes whole numbers only, outcomes are rounded. A tie extends nothing.
func TestGainOfWholeNumbersByDraws(t *testing.T) {
	for m := Least; m <= Most; m++ {
		rng := rand.New(rand.NewPCG(17, uint64(m)))
		whole := make([]bool, m)
		whole[m-1] = true
		for range 4 {
			points := somePoints(rng, 8, m, false)
			for _, p := range points {
				p[m-1] = math.Round(p[m-1])
			}
			worst := make([]float64, m)
			worst[m-1] = 0.3 // no whole number
			byDraws(t, rng, Boxes(points, worst), m, whole, 0.5)
		}
	}
	boxes, sure := Boxes([][]float64{{2, 6}}, []float64{0, 0}), []float64{1e-3, 0.1}
	whole, none := []bool{false, true}, make([]float64, 2)
	tie := []float64{1, 6}
	if got, gain := Chance(Rounded(boxes, whole), tie, sure, normal.CDF), NewGainer(boxes, whole).Log(tie, sure, none, none); got > 1e-6 || gain > -10 {
		t.Errorf("a tie extends the front with a chance of %v, by the exponential of %v", got, gain)
	}
	if got := Chance(Rounded(boxes, whole), []float64{1, 7}, sure, normal.CDF); got < 1-1e-6 {
		t.Errorf("one more extends the front with a chance of %v", got)
	}
}

// TestGradientOfTheExpectedGain goes from above the front to far below it, and through boxes that are narrow and wide.
func TestGradientOfTheExpectedGain(t *testing.T) {
	for m := Least; m <= Most; m++ {
		rng := rand.New(rand.NewPCG(11, uint64(m)))
		whole := make([]bool, m)
		for _, far := range []float64{3, 0, -5, -60} {
			for _, wide := range []float64{0.02, 1, 30} {
				points := somePoints(rng, 9, m, false)
				whole[m-1] = !whole[m-1]
				g := NewGainer(Boxes(points, make([]float64, m)), whole)
				x := make([]float64, 2*m)
				for j := range m {
					x[j], x[m+j] = far*wide*rng.Float64()+2, math.Log(wide)+rng.NormFloat64()/3
				}
				gradcheck.Check(t, func(grad, x []float64) float64 {
					sd, dMean, dSD := make([]float64, m), make([]float64, m), make([]float64, m)
					for j := range sd {
						sd[j] = math.Exp(x[m+j])
					}
					v := g.Log(x[:m], sd, dMean, dSD)
					for j := range m {
						if grad != nil {
							grad[j], grad[m+j] = dMean[j], dSD[j]*sd[j]
						}
					}
					return v
				}, x, gradcheck.Settings{Step: 1e-4})
			}
		}
	}
}

// A narrow box is judged by a rule of three points, and a wide one by a difference. They agree with a sum over slices, and with each other where they meet.
func TestBetweenIsAnIntegral(t *testing.T) {
	for _, low := range []float64{-30, -3, 0, 2, 9} {
		for _, width := range []float64{1e-9, 1e-3, 0.04999, 0.0501, 0.3, 4} {
			high := low + width*math.Min(1, 1/math.Max(1, low))
			got, sum := between(0, 1, low, high), 0.0
			const slices = 4000
			top, _ := normal.LogCDF(-low)
			for k := range slices {
				v, _ := normal.LogCDF(-(low + (high-low)*(float64(k)+0.5)/slices))
				sum += math.Exp(v-top) / slices
			}
			if want := top + math.Log(sum) + math.Log(high-low); math.Abs(got.v-want) > 1e-6*math.Max(1, math.Abs(want)) {
				t.Errorf("from %v to %v: %v, want %v", low, high, got.v, want)
			}
		}
	}
	for _, low := range []float64{-8, 0, 5} {
		high := low + narrow/math.Max(1, low+0.01)
		a, b := thin(0, 1, low, high), between(0, 1, low, high*(1+1e-12)+1e-12)
		if math.Abs(a.v-b.v) > 1e-9 || math.Abs(a.dMean-b.dMean) > 1e-6 || math.Abs(a.dSD-b.dSD) > 1e-6 {
			t.Errorf("at %v: %v and %v", low, a, b)
		}
	}
}

func TestNearestOnTheFront(t *testing.T) {
	points := [][]float64{{1, 4}, {3, 2}, {2, 3}}
	for x, want := range map[float64][]int{0.5: {0}, 1.5: {2, 0}, 2.5: {1, 2}, 9: {1}} {
		if got := Nearest(points, []float64{x, 0}); !slices.Equal(got, want) {
			t.Errorf("%v lies between %v, want %v", x, got, want)
		}
	}
}

// onSphere draws points of a sphere: all of them are on the front.
func onSphere(n, m int) (points [][]float64) {
	rng := rand.New(rand.NewPCG(1, uint64(m)))
	for range n {
		p, length := make([]float64, m), 0.0
		for j := range p {
			p[j] = math.Abs(rng.NormFloat64())
			length += p[j] * p[j]
		}
		for j := range p {
			p[j] /= math.Sqrt(length)
		}
		points = append(points, p)
	}
	return points
}

func BenchmarkGain(b *testing.B) {
	for m := Least; m <= Most; m++ {
		b.Run(fmt.Sprint(m, " objectives"), func(b *testing.B) {
			g := NewGainer(Boxes(onSphere(40, m), make([]float64, m)), nil)
			mean, sd, dMean, dSD := make([]float64, m), slices.Repeat([]float64{0.3}, m), make([]float64, m), make([]float64, m)
			for b.Loop() {
				g.Log(mean, sd, dMean, dSD)
			}
		})
	}
}

// What lies beyond the bounds counts as if it were at them.
func TestBelowTheBounds(t *testing.T) {
	eachFront(func(points [][]float64, worst []float64, rng *rand.Rand) {
		boxes, most := Boxes(points, worst), make([]float64, len(worst))
		for j := range most {
			if most[j] = math.Inf(1); rng.IntN(3) > 0 {
				most[j] = 5 * rng.Float64()
			}
		}
		below := Below(boxes, most)
		open := Open(below, most)
		for range 20 {
			y, clipped := somePoints(rng, 1, len(worst), false)[0], make([]float64, len(worst))
			for j, v := range y {
				clipped[j] = math.Min(v, most[j])
			}
			want := Gain(boxes, clipped)
			if got := Gain(below, y); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%v below %v gains %v, want %v", y, most, got, want)
			}
			sure := Chance(open, y, slices.Repeat([]float64{1e-9}, len(y)), normal.CDF)
			if math.Abs(sure-math.Ceil(math.Min(want, 1))) > 1e-9 && want == 0 || want > 1e-6 && sure < 1-1e-9 {
				t.Fatalf("%v below %v extends the front by %v with a chance of %v", y, most, want, sure)
			}
		}
	})
}

// The fast expectation is that of the logarithm, and a front with one more point has the boxes without what the point dominates.
func TestExpectationAndWithout(t *testing.T) {
	eachFront(func(points [][]float64, worst []float64, rng *rand.Rand) {
		boxes, most, whole := Boxes(points, worst), make([]float64, len(worst)), make([]bool, len(worst))
		for j := range most {
			if most[j], whole[j] = math.Inf(1), rng.IntN(3) == 0; rng.IntN(3) == 0 {
				most[j] = 5 * rng.Float64()
			}
		}
		mean, sd, scratch := make([]float64, len(worst)), make([]float64, len(worst)), make([]float64, len(worst))
		for range 5 {
			for j := range mean {
				mean[j], sd[j] = 6*rng.Float64()-2, 0.01+2*rng.Float64()
			}
			for _, of := range [][]Box{boxes, Below(boxes, most)} {
				for _, whole := range [][]bool{nil, whole} {
					got, want := NewExpectation(of, whole).Gain(mean, sd), math.Exp(NewGainer(of, whole).Log(mean, sd, scratch, slices.Clone(scratch)))
					if math.Abs(got-want) > 1e-9*math.Max(want, 1e-3) {
						t.Fatalf("gain %v, want %v (whole: %v)", got, want, whole)
					}
				}
			}
		}
		more := somePoints(rng, 1, len(worst), false)[0]
		cut, anew := Without(boxes, more), Boxes(append(slices.Clone(points), more), worst)
		for _, y := range somePoints(rng, 20, len(worst), false) {
			if got, want := Gain(cut, y), Gain(anew, y); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%v gains %v beside %v, want %v", y, got, more, want)
			}
		}
	})
}

func BenchmarkExpectation(b *testing.B) {
	for m := Least; m <= Most; m++ {
		e := NewExpectation(Boxes(onSphere(40, m), make([]float64, m)), nil)
		mean, sd := slices.Repeat([]float64{0.6}, m), slices.Repeat([]float64{0.2}, m)
		b.Run(fmt.Sprint(m, " objectives"), func(b *testing.B) {
			for b.Loop() {
				e.Gain(mean, sd)
			}
		})
	}
}
