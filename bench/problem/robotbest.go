package problem

import (
	"math"
	"slices"
)

// robotBest is the largest value: no distance is below zero, and every target can be reached.
const (
	robotBest       = 0
	robotBestSource = "known: no distance is below zero, and searchRobot meets every target to 1e-13 in 5000 pushes"
)

// robotBestAt are the pushes that searchRobot found, one row per target.
var robotBestAt = [robotTargets][]float64{
	{0.5472070943811332, 0.36191185387202773, 0.5327586206896552},
	{0.2071657643728094, 0.8827264509676508, 0.9327586206896552},
	{0.5636327131152331, 0.42996019375055344, 0.5224137931034483},
	{0.5844988177419771, 0.5383885979097174, 0.4189655172413793},
	{0.8041636235836517, 0.8871264184784645, 0.656896551724138},
	{0.43193551056391677, 0.8008659665657969, 0.6327586206896553},
	{0.5152590480841949, 0.48399975381464017, 0.656896551724138},
	{0.5924201244152094, 0.5464211048438298, 0.5499999999999999},
	{0.14814738445543216, 0.116300258894073, 0.9879310344827585},
	{0.25867023906769615, 0.42174967456692825, 0.5637931034482759},
	{0.9965867946624335, 0.8463868958610731, 0.7086206896551724},
	{0.5955285029223251, 0.30565891623263985, 0.5603448275862069},
	{0.4849705877406333, 0.5161859950472305, 0.44310344827586207},
	{0.5579114291164173, 0.5792137639820274, 0.1810344827586207},
	{0.4816706663894326, 0.46281055685839356, 0.48103448275862065},
	{0.20336258239864735, 0.40325873797374745, 0.5189655172413793},
	{0.45511116738181406, 0.48660910968219456, 0.3568965517241379},
	{0.3368428081239781, 0.1933423240804636, 0.36724137931034484},
	{0.6920332795135298, 0.29355172868444573, 0.6982758620689655},
	{0.4609207155706182, 0.46037995988091346, 0.4086206896551724},
}

// searchRobot looks for the push that brings the disc nearest to a target. Near the best pushes the value is a steep valley with
// steps across it, because the hand meets the disc at a whole step of the simulation. Search gets stuck in it. But the position of
// the valley is nearly known: the hand stands opposite the target, at any distance, and pushes just long enough. So all distances
// are tried, and Newton's method then corrects the position of the hand.
func searchRobot(number int) (best candidate, pushes int) {
	const distances, corrected = 400, 100
	x, y := robotTarget(number)
	a := &aim{x: x, y: y}
	var starts []candidate
	for i := range distances {
		starts = append(starts, a.from(math.Sqrt(50)*(float64(i)+0.5)/distances)...)
	}
	slices.SortStableFunc(starts, byValue)
	best = starts[0]
	for _, c := range starts[:min(corrected, len(starts))] {
		a.correct(&c)
		if c.value > best.value {
			best = c
		}
		if best.value > -1e-12 {
			break // no distance is below zero
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

// from returns the two best pushes with the hand put down at a distance: with one the disc stops short of the target, and with
// the other it goes beyond. There are none if the hand would stand outside the box.
func (a *aim) from(hand float64) []candidate {
	angle, distance := math.Atan2(a.y, a.x), math.Hypot(a.x, a.y)
	turn := 0.0 // how far the disc's way is turned from the hand's direction, by the drift
	at := func(steps int) []float64 {
		side := angle + math.Pi - turn
		time := (float64(steps) + 0.5) / stepsPerTime // the middle of the times with this number of steps
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

// correct moves the hand by Newton's method, with the length of the push unchanged, until the
// miss is zero or grows.
func (a *aim) correct(c *candidate) {
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
