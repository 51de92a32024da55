package spirals

import (
	"math"
	"math/rand/v2"
)

// Few points to learn from and many to be measured by: a large network can learn the noise by heart, and that
// it did shows.
const (
	trainingPoints   = 512
	validationPoints = 1000
	turns            = 2    // of each spiral
	noise            = 0.04 // standard deviation; the spirals' radius is 1, and their arms are a quarter apart
	scale            = 4    // of the whole; small inputs keep the units in their straight part, and learning slow
)

// point is a place in the plane and the spiral that it belongs to.
type point struct {
	x, y   float64
	second bool
}

// generate returns n points, half of them of each spiral. It is the two-spirals problem of Lang and Witbrock,
// Learning to tell two spirals apart (1988), with noise and fewer turns.
func generate(random *rand.Rand, n int) []point {
	points := make([]point, n)
	for i := range points {
		second := i%2 == 1
		radius := math.Sqrt(0.02 + 0.98*random.Float64()) // as many points on every inch, not on every degree
		angle := 2 * math.Pi * turns * radius
		if second {
			angle += math.Pi
		}
		points[i] = point{
			x:      scale * (radius*math.Cos(angle) + noise*random.NormFloat64()),
			y:      scale * (radius*math.Sin(angle) + noise*random.NormFloat64()),
			second: second,
		}
	}
	return points
}
