package problem

import (
	"math"
	"slices"
)

const robotBestSource = "long search"

var robotBest [robotTargets]candidate

// searchRobot looks for the push that brings the disc nearest to a target. Near the best pushes the value is a steep valley with steps
// across it, because the hand meets the disc at a whole step of the simulation, and Search stays somewhere in it. But where the valley
// is, is nearly known: the hand stands opposite to the target, at any distance, and pushes just long enough. So all
// distances are looked at, and the place of the hand is then mended by Newton's method.
func searchRobot(number int) (best candidate, pushes int) {
	const distances, mended = 400, 100
	x, y := robotTarget(number)
	a := &aim{x: x, y: y}
	var starts []candidate
	for i := range distances {
		starts = append(starts, a.from(math.Sqrt(50)*(float64(i)+0.5)/distances)...)
	}
	slices.SortStableFunc(starts, byValue)
	best = starts[0]
	for _, c := range starts[:min(mended, len(starts))] {
		a.mend(&c)
		if c.value > best.value {
			best = c
		}
		if best.value > -1e-12 {
			break // no distance is less than nothing
		}
	}
	return best, a.pushes
}

// aim is a target, and how many pushes were tried at it.
type aim struct {
	x, y   float64
	pushes int
}

// miss returns by how much a push misses.
func (a *aim) miss(unit []float64) (dx, dy float64) {
	a.pushes++
	at := robotBox.at(unit)
	x, y := push(at[0], at[1], at[2])
	return x - a.x, y - a.y
}

// from returns the two best pushes with the hand put down at a distance: with one the disc falls short of the target, with the
// other it goes beyond. There are none where the hand would stand outside the box.
func (a *aim) from(hand float64) []candidate {
	angle, distance := math.Atan2(a.y, a.x), math.Hypot(a.x, a.y)
	turn := 0.0 // how far the disc's way is turned from the hand's direction, by the drift
	at := func(steps int) []float64 {
		side := angle + math.Pi - turn
		time := (float64(steps) + 0.5) / stepsPerTime // the middle of those that mean as many steps
		return robotBox.unit([]float64{hand * math.Cos(side), hand * math.Sin(side), time})
	}
	shoot := func(steps int) (unit []float64, value, way float64) {
		unit = at(steps)
		dx, dy := a.miss(unit)
		x, y := a.x+dx, a.y+dy
		if x != 0 || y != 0 {
			turn += math.Remainder(math.Atan2(y, x)-angle, 2*math.Pi)
		}
		return unit, -math.Hypot(dx, dy), math.Hypot(x, y)
	}
	short, beyond := 1*stepsPerTime, 30*stepsPerTime-1
	for beyond-short > 1 { // the longer the push, the farther the disc
		middle := (short + beyond) / 2
		if _, _, way := shoot(middle); way < distance {
			short = middle
		} else {
			beyond = middle
		}
	}
	var found []candidate
	for _, steps := range []int{short, beyond} {
		shoot(steps) // sets the turn
		unit, value, _ := shoot(steps)
		if slices.Min(unit) >= 0 && slices.Max(unit) <= 1 {
			found = append(found, candidate{unit, value})
		}
	}
	return found
}

// mend moves the hand by Newton's method, with the push as long as it is, until the miss is nothing or grows.
func (a *aim) mend(c *candidate) {
	const iterations, h = 12, 1e-6
	for range iterations {
		dx, dy := a.miss(c.at)
		xx, yx := a.miss([]float64{c.at[0] + h, c.at[1], c.at[2]})
		xy, yy := a.miss([]float64{c.at[0], c.at[1] + h, c.at[2]})
		xx, yx, xy, yy = (xx-dx)/h, (yx-dy)/h, (xy-dx)/h, (yy-dy)/h
		det := xx*yy - xy*yx
		next := []float64{c.at[0] - (yy*dx-xy*dy)/det, c.at[1] - (xx*dy-yx*dx)/det, c.at[2]}
		if !(slices.Min(next) >= 0 && slices.Max(next) <= 1) { // NaN, too
			return
		}
		nx, ny := a.miss(next)
		value := -math.Hypot(nx, ny)
		if !(value > c.value) {
			return
		}
		c.at, c.value = next, value
	}
}
