// Package chol grows Cholesky factors along chains of points, with derivatives in both directions.
package chol

// Extend and ExtendBack are one step of a Cholesky factorisation along a chain,
// and its derivative.
//
// A covariance C = TTᵀ grows by one point whose covariances with the earlier
// points are c. The new row of T is (b, t) with
//
//	b = T⁻¹c,   that is   b_i = (c_i − Σ_{k<i} T_ik b_k)/t_i,
//
// and the pivot t follows from the new point's own variance, which the caller
// knows. In a scenario tree many chains share their beginnings, so the rows of T
// live in one table, a row a node, and a chain is the list of its nodes.

// Rows is a table of Cholesky rows, one a node. Row j holds at most Stride
// off-diagonal entries at Row[j*Stride:] and its pivot at Pivot[j].
type Rows struct {
	Stride int
	Row    []float64
	Pivot  []float64
}

// NewRows returns a table for the given number of nodes and chain length.
func NewRows(nodes, stride int) Rows {
	return Rows{Stride: stride, Row: make([]float64, nodes*stride), Pivot: make([]float64, nodes)}
}

// Of returns node's row, cut to the length of its chain.
func (r Rows) Of(node, chain int) []float64 {
	return r.Row[node*r.Stride : node*r.Stride+chain]
}

// Extend writes b = T⁻¹c to node's row, where T's rows are those of the nodes in
// chain, oldest first.
func Extend(r Rows, node int, chain []int, c []float64) {
	b := r.Of(node, len(chain))
	for i, a := range chain {
		sum := c[i]
		for k, v := range r.Of(a, i) {
			sum -= v * b[k]
		}
		b[i] = sum / r.Pivot[a]
	}
}

// ExtendBack is the reverse of Extend: given b̄, the sensitivity of a result to node's row, it
// writes c̄ and adds to the sensitivities of the rows and pivots of the chain. bar
// mirrors r; node's row in bar is used up.
func ExtendBack(r, bar Rows, node int, chain []int, cBar []float64) {
	b, bBar := r.Of(node, len(chain)), bar.Of(node, len(chain))
	for i := len(chain) - 1; i >= 0; i-- {
		a := chain[i]
		cBar[i] = bBar[i] / r.Pivot[a]
		bar.Pivot[a] -= cBar[i] * b[i]
		row, rowBar := r.Of(a, i), bar.Of(a, i)
		for k := range row {
			rowBar[k] -= cBar[i] * b[k]
			bBar[k] -= cBar[i] * row[k]
		}
	}
}
