package problem

import (
	"math"
	"math/rand/v2"
	"slices"
)

const robotBestSource = "long search"

var robotBest [robotTargets]candidate

// searchRobot looks for the push that brings the disc nearest to a target. That is not always as near as one likes: the hand meets
// the disc at a whole step of the simulation, so that the disc's way is a function of the hand's distance with steps in it. But
// what can be good is nearly known, which Search does not know: the hand stands opposite to the target, at any distance, and pushes just
// long enough. So all distances are looked at, and the best of what they give is climbed from.
func searchRobot(number int) (best candidate, evaluations int) {
	const distances, climbs = 400, 20
	p, _ := robot(uint64(number), "") // reads no file, so there is nothing to go wrong
	x, y := robotTarget(number)
	aim := aim{angle: math.Atan2(y, x), distance: math.Hypot(x, y)}
	var starts []candidate
	for i := range distances {
		starts = append(starts, aim.from(math.Sqrt(50)*(float64(i)+0.5)/distances)...)
	}
	for i := range starts {
		starts[i].value, _ = p.Evaluate(starts[i].at)
	}
	slices.SortStableFunc(starts, byValue)
	evaluations = aim.pushes + len(starts)
	rng := rand.New(rand.NewPCG(uint64(number), 0x636c696d))
	for _, c := range starts[:min(climbs, len(starts))] {
		evaluations += c.climb(p, rng)
		if best.at == nil || c.value > best.value {
			best = c
		}
		if best.value > -1e-9 {
			break // no distance is less than nothing
		}
	}
	return best, evaluations
}

// aim is a target in polar coordinates.
type aim struct {
	angle, distance float64
	pushes          int
}

// from returns the two best pushes with the hand put down at a distance: the disc falls short of the target with one and goes
// beyond with the other. There are none where the hand would stand outside the box.
func (a *aim) from(hand float64) []candidate {
	turn := 0.0 // how far the disc's way is turned from the hand's direction, by the drift
	at := func(time float64) []float64 {
		side := a.angle + math.Pi - turn
		return robotBox.unit([]float64{hand * math.Cos(side), hand * math.Sin(side), time})
	}
	shoot := func(time float64) float64 {
		a.pushes++
		v := robotBox.at(at(time))
		x, y := push(v[0], v[1], v[2])
		if way := math.Hypot(x, y); way > 0 {
			turn += math.Remainder(math.Atan2(y, x)-a.angle, 2*math.Pi)
			return way
		}
		return 0
	}
	// Whole steps of the simulation, each at its middle: the disc goes the farther the longer the push.
	times := func(steps int) float64 { return (float64(steps) + 0.5) / stepsPerTime }
	short, beyond := 1*stepsPerTime, 30*stepsPerTime-1
	for beyond-short > 1 {
		if middle := (short + beyond) / 2; shoot(times(middle)) < a.distance {
			short = middle
		} else {
			beyond = middle
		}
	}
	var found []candidate
	for _, steps := range []int{short, beyond} {
		for range 2 {
			shoot(times(steps)) // sets the turn
		}
		unit := at(times(steps))
		if slices.Min(unit) >= 0 && slices.Max(unit) <= 1 {
			found = append(found, candidate{at: unit})
		}
	}
	return found
}
