package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/space"
)

// What problems with several objectives are made of, in package front.

// Samples draws functions of Gaussian processes on the unit cube, as many as count, and a price that does not depend on them. Each replication has its own.
func Samples(name string, replication uint64, dim, count int) (functions []func(u []float64) float64, price func(u []float64) float64) {
	d := newDice(name, replication)
	for range count {
		functions = append(functions, drawSample(d, matern52, lengthsAround(d, dim, typicalLength[dim])).at)
	}
	log := smooth(d, dim, nil)
	return functions, func(u []float64) float64 { return math.Exp(log(u)) }
}

// Trainings are those of networks on a task of LCBench.
type Trainings struct {
	Params []space.Param
	Mean   float64 // the mean of the seconds of full trainings

	// Train returns seconds of training, the accuracy in percent on the validation part and the cross-entropy on the test part.
	Train func(space.Setting) (seconds, accuracy, entropy float64)
}

// LCBenchTrainings reads the surrogate from a folder of data sets; "" is the one named by EKE_DATA. No accuracy counts above the optimum.
func LCBenchTrainings(id string, epochs bool, data string) (*Trainings, error) {
	i := slices.IndexFunc(lcTable, func(t lcTask) bool { return t.id == id })
	if i < 0 {
		return nil, fmt.Errorf("LCBench has no task %q", id)
	}
	s, err := lcSurrogate(data)
	if err != nil {
		return nil, err
	}
	t := &Trainings{Params: lcParams(), Mean: lcTable[i].seconds, Train: func(setting space.Setting) (float64, float64, float64) {
		out := s.outputs(id, setting)
		return math.Max(float64(out[0]), 0.1), math.Min(float64(out[1]), lcTable[i].best), float64(out[4])
	}}
	if epochs {
		t.Params = append(t.Params, logWhole(epochsName, 1, lcEpochs))
	}
	return t, nil
}
