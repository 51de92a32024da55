package problem

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is an experiment with a price, on the unit cube; the objective is maximised.
type Problem struct {
	Name       string
	Dim        int
	Budget     float64   // the paper's, in the units of the cost
	Best       float64   // f*, the largest value
	BestAt     []float64 // a point of the unit cube with that value
	BestSource string    // where Best comes from: "known", or the search that found it

	// Evaluate returns value and cost at a point of the unit cube. Equal points have equal values and costs, and
	// it may be called from several goroutines.
	Evaluate func(unit []float64) (value, cost float64)
}

// known is the source of a Best that follows from the formula.
const known = "known"

// maker makes the problem of one replication. data is the folder with the data sets that are not part of the
// module.
type maker struct {
	name string
	make func(replication uint64, data string) (*Problem, error)
}

// makers lists the problems in the paper's order.
var makers = []maker{
	{"dropwave", dropwave},
	{"alpine1", alpine1},
	{"ackley", ackley},
	{"shekel5", shekel5},
	{"lda", lda},
	{"cnn", cnn},
	{"boston", bostonProblem},
	{"robot", robot},
}

// Names returns the names that New knows, in the paper's order.
func Names() []string {
	names := make([]string, len(makers))
	for i, m := range makers {
		names[i] = m.name
	}
	return names
}

// New returns a problem by name. The number of the replication determines what differs between
// replications: the costs of the formulas, and the robot's target. Data names a folder of data sets; ""
// means the one named by EKE_DATA.
func New(name string, replication uint64, data string) (*Problem, error) {
	i := slices.IndexFunc(makers, func(m maker) bool { return m.name == name })
	if i < 0 {
		return nil, fmt.Errorf("problem %q is not known; there are %s", name, strings.Join(Names(), ", "))
	}
	p, err := makers[i].make(replication, data)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", name, err)
	}
	p.Name = name
	return p, nil
}
