package treesearch

import (
	"context"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/lookahead"
)

// Settings say how to search. The zero value searches like the reference, with the paper's effort.
type Settings struct {
	LogForm bool // maximise ln Q, which has a gradient where Q vanishes, and polish the best trees
	Grown   bool // start from trees grown from a pool instead of blind ones

	// Planted are the caller's own starts, such as the last tree, advanced. Blind searches do not use
	// them.
	Planted [][]float64

	// RawPoints, Starts and Iterations are the effort. 0 means the paper's: 200d, 10d and 200, where d is the
	// dimension of a point.
	RawPoints, Starts, Iterations int

	Threads int    // how many goroutines may work at once; it never changes the result
	Seed    uint64 // of all random choices
}

// complete fills in the paper's effort.
func (s Settings) complete(dim int) Settings {
	usual := func(value *int, effort int) {
		if *value <= 0 {
			*value = effort
		}
	}
	usual(&s.RawPoints, 200*dim)
	usual(&s.Starts, 10*dim)
	usual(&s.Iterations, 200)
	return s
}

// Solution is a maximised tree.
type Solution struct {
	Trees       []maximise.Peak // every tree where a search ended, with the logarithm of its value
	Best        maximise.Peak   // the best of them: the points of all nodes, root first
	Starts      int             // the trees that were searched from
	Searches    int             // local searches in all: from the starts, their continuations, and of smaller problems that help
	Evaluations int             // how often those searches evaluated what they maximised
	CutShort    bool            // the context ended before the search did
}

// Maximise finds good points for all nodes of a tree. When the context ends, it returns the best tree found so far.
func Maximise(ctx context.Context, tree *lookahead.Tree, s Settings) Solution {
	belief := tree.Belief()
	dim := belief.Objective.Dim()
	t := &search{tree: tree, belief: belief, dim: dim, Settings: s.complete(dim)}
	return t.run(ctx)
}

// search maximises one tree.
type search struct {
	Settings
	tree                  *lookahead.Tree
	belief                acq.Belief
	dim                   int         // of one point
	searches, evaluations int         // of smaller problems that help
	pool                  [][]float64 // the first pool, once it is made: the search of the first levels uses it too
	highestMean           []float64   // the maximiser of the posterior mean, likewise
}

func (t *search) run(ctx context.Context) Solution {
	var r maximise.Result
	if t.Grown {
		r = t.grown(ctx)
	} else {
		r = t.blind(ctx)
	}
	s := Solution{Starts: len(r.Peaks)}
	if t.LogForm {
		t.polish(ctx, &r)
	}
	s.Trees, s.Best, s.CutShort = r.Peaks, r.Top(), ctx.Err() != nil
	s.Searches, s.Evaluations = t.searches+r.Searches, t.evaluations+r.Evaluations
	return s
}

// helper counts the effort of a search of a smaller problem.
func (t *search) helper(r maximise.Result) maximise.Result {
	t.searches += r.Searches
	t.evaluations += r.Evaluations
	return r
}
