package problem

import (
	"math"
	"math/rand/v2"
)

// dice draws the random numbers of one replication of a task.
type dice struct {
	*rand.Rand
	replication uint64
	seed        uint64
}

func newDice(name string, replication uint64) *dice {
	seed := mix(hashOf(name) + 0x9e3779b97f4a7c15*(replication+1))
	return &dice{rand.New(rand.NewPCG(seed, 0x7461736b)), replication, seed}
}

// between draws uniformly.
func (d *dice) between(low, high float64) float64 { return interval{low, high}.at(d.Float64()) }

// ratio draws so that the logarithm is uniform.
func (d *dice) ratio(low, high float64) float64 {
	return math.Exp(d.between(math.Log(low), math.Log(high)))
}

// sign draws 1 or −1.
func (d *dice) sign() float64 { return float64(2*d.IntN(2) - 1) }
