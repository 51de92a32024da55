package problem

import (
	"math"
	"math/rand/v2"
)

// Robot pushing: where to put down the hand, x and y from −5 to 5, and how long to push, 1 to 30, so that the disc of push.go
// comes to rest on a target. The value is minus the distance left.
var robotBox = box{{-5, 5}, {-5, 5}, {1, 30}}

// robotTargets is the number of targets. A replication has the target of its number modulo
// robotTargets.
const robotTargets = 20

// robotEpsilon is what an evaluation costs in addition to the disc's displacement. The paper has an ε but does not give its value.
// It must not be zero: a hand that misses would cost nothing, and ln c would not exist.
const robotEpsilon = 0.1

// robotTarget returns a target: 1 < |w₁|, |w₂| < 5, uniform.
func robotTarget(number int) (x, y float64) {
	rng := rand.New(rand.NewPCG(uint64(number), 0x726f626f))
	draw := func() float64 {
		v := interval{1, 5}.at(rng.Float64())
		if rng.IntN(2) == 0 {
			return -v
		}
		return v
	}
	return draw(), draw()
}

func robot(replication uint64, _ string) (*Problem, error) {
	number := int(replication % robotTargets)
	targetX, targetY := robotTarget(number)
	return &Problem{
		Dim: 3, Budget: 200,
		Best: robotBest, BestAt: robotBestAt[number], BestSource: robotBestSource,
		Evaluate: func(unit []float64) (value, cost float64) {
			at := robotBox.at(unit)
			x, y := push(at[0], at[1], at[2])
			return -math.Hypot(targetX-x, targetY-y), math.Hypot(x, y) + robotEpsilon
		},
	}, nil
}
