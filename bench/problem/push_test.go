package problem

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Two figures for each case. Ours is from another port of Box2D (Planck.js 1.4.2) with its friction joint fixed. In that port the
// impulse before a step is an alias of the one after, so friction comes one step late, and the disc goes up to 0.1 farther. The
// reference's figures are from the unchanged port.
func TestPushMeetsOtherPorts(t *testing.T) {
	var reference struct {
		Cases []struct{ X, Object []float64 }
	}
	readGolden(t, "robot", &reference)
	fixed := [][2]float64{
		{1.3363842078309904, -0.8426888130723976},
		{-2.336309525719309, 0.6258185361855453},
		{3.232377852902926, 3.1157618783369143},
		{-0.8902802863327718, -0.22334816955063072},
	}
	if len(reference.Cases) != len(fixed) {
		t.Fatalf("%d figures, want %d", len(reference.Cases), len(fixed))
	}
	for i, c := range reference.Cases {
		x, y := push(c.X[0], c.X[1], c.X[2])
		if off := math.Hypot(x-fixed[i][0], y-fixed[i][1]); off > 1e-9 {
			t.Errorf("pushed at %v: (%v, %v), want %v", c.X, x, y, fixed[i])
		}
		if off := math.Hypot(x-c.Object[0], y-c.Object[1]); off > 0.1 {
			t.Errorf("pushed at %v: (%v, %v), reference %v", c.X, x, y, c.Object)
		}
	}
}

// A push along the drift is a problem of one dimension, solved here without the library: force, friction, and an impact in which hand
// and disc take on one velocity.
func TestPushAgainstOneDimension(t *testing.T) {
	along := math.Atan2(handDrift.Y, handDrift.X)
	for _, c := range []struct{ distance, time float64 }{{2, 4}, {3, 10}, {4, 20}, {4.5, 28}} {
		got, off := push(-c.distance*math.Cos(along), -c.distance*math.Sin(along), c.time)
		want := pushStraight(c.distance, c.time)
		if math.Abs(math.Hypot(got, off)-want) > 0.02 {
			t.Errorf("from %v for %v: %v, want %v", c.distance, c.time, math.Hypot(got, off), want)
		}
		if turned := math.Remainder(math.Atan2(off, got)-along, 2*math.Pi); math.Abs(turned) > 1e-6 {
			t.Errorf("from %v for %v: turned by %v", c.distance, c.time, turned)
		}
	}
}

func pushStraight(distance, time float64) float64 {
	const dt = 1. / stepsPerSecond
	const handMass, discMass = 0.1 * 0.6 * 2, 0.05 * math.Pi
	const handFriction, discFriction = 2, 5
	const touch = 1 + 0.3 + 0.005 // radius, half a side, and the skin that Box2D leaves around polygons
	slowed := func(v, force, mass float64) float64 { return math.Max(0, v-dt*force/mass) }
	wanted := handSpeed + math.Hypot(handDrift.X, handDrift.Y)
	hand, disc, v := -distance, 0.0, 0.0
	touching := false
	for i := range int(stepsPerTime*time) + settle {
		if i < int(stepsPerTime*time) {
			v += dt * handGain * (wanted - v) * mass(touching, handMass, handMass+discMass)
		}
		if !touching && disc-hand <= touch {
			touching = true
			v *= handMass / (handMass + discMass)
		}
		if touching {
			v = slowed(v, handFriction+discFriction, handMass+discMass)
			disc += dt * v
		} else {
			v = slowed(v, handFriction, handMass)
		}
		hand += dt * v
	}
	return disc
}

// mass returns the share of the hand's force that acts on a velocity: all of it before the impact, and after it the
// hand's share of both masses.
func mass(touching bool, hand, both float64) float64 {
	if touching {
		return hand / both
	}
	return 1
}

func TestPushIsDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 10 {
		at := robotBox.at([]float64{rng.Float64(), rng.Float64(), rng.Float64()})
		x, y := push(at[0], at[1], at[2])
		if x2, y2 := push(at[0], at[1], at[2]); x2 != x || y2 != y {
			t.Errorf("pushed at %v: (%v, %v), then (%v, %v)", at, x, y, x2, y2)
		}
	}
}

// A hand that does not arrive moves nothing. A hand on the middle of the disc has no direction, but still gives a result.
func TestPushAtTheEnds(t *testing.T) {
	if x, y := push(-5, -5, 1); x != 0 || y != 0 {
		t.Errorf("too short a push moved the disc to (%v, %v)", x, y)
	}
	for _, at := range [][2]float64{{0, 0}, {0, 3}, {0, -3}, {0.1, 0.1}} {
		x, y := push(at[0], at[1], 5)
		if r := math.Hypot(x, y); math.IsNaN(r) || r > 20 {
			t.Errorf("hand at %v: the disc went to (%v, %v)", at, x, y)
		}
	}
}

func TestRobotTargets(t *testing.T) {
	seen := map[[2]float64]bool{}
	for i := range robotTargets {
		x, y := robotTarget(i)
		seen[[2]float64{x, y}] = true
		for _, v := range []float64{x, y} {
			if a := math.Abs(v); a <= 1 || a >= 5 {
				t.Errorf("target %d at (%v, %v)", i, x, y)
			}
		}
	}
	if len(seen) != robotTargets {
		t.Errorf("%d different targets", len(seen))
	}
}

func BenchmarkPush(b *testing.B) {
	for b.Loop() {
		push(-3, 2, 15)
	}
}
