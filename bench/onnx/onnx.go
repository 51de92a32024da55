// Package onnx evaluates small neural networks that are stored in the ONNX format (https://onnx.ai, operators of opset 13), one row at a
// time, in float32. It has the operators of YAHPO Gym's surrogates, and no others.
package onnx

import (
	"errors"
	"fmt"
	"math"
)

// Graph is a network. It is safe for concurrent use.
type Graph struct {
	nodes  []node
	known  map[string]tensor // weights and constants
	output string
}

// node is one operation.
type node struct {
	op          string
	inputs      []string
	output      string
	axis        int64
	transposed  bool // the second factor of Gemm
	epsilon     float32
	alpha, beta float32
	value       tensor // of Constant
}

// tensor is an array of numbers. Whole numbers, which stand for indices and shapes, are kept as they are.
type tensor struct {
	shape  []int
	floats []float32
	ints   []int64
}

func (t tensor) isWhole() bool { return t.ints != nil }

// Evaluate returns the output for one row of inputs: a whole number for each category, and the numbers.
func (g *Graph) Evaluate(categories []int64, numbers []float32) ([]float32, error) {
	at := make(map[string]tensor, len(g.nodes)+2)
	at["x_cat"] = tensor{shape: []int{1, len(categories)}, ints: categories}
	at["x_cont"] = tensor{shape: []int{1, len(numbers)}, floats: numbers}
	find := func(name string) (tensor, error) {
		if t, ok := g.known[name]; ok {
			return t, nil
		}
		if t, ok := at[name]; ok {
			return t, nil
		}
		return tensor{}, fmt.Errorf("onnx: nothing computes %q", name)
	}
	for _, n := range g.nodes {
		in := make([]tensor, len(n.inputs))
		for i, name := range n.inputs {
			var err error
			if in[i], err = find(name); err != nil {
				return nil, err
			}
		}
		out, err := n.apply(in)
		if err != nil {
			return nil, fmt.Errorf("onnx: %s that computes %q: %w", n.op, n.output, err)
		}
		at[n.output] = out
	}
	out, err := find(g.output)
	return out.floats, err
}

// operator computes a node's output.
type operator struct {
	inputs int // 0: any number
	apply  func(n *node, in []tensor) (tensor, error)
}

var operators = map[string]operator{
	"Cast":               {1, func(_ *node, in []tensor) (tensor, error) { return in[0], nil }}, // to float32, of float32
	"Log":                {1, each(math.Log)},
	"Exp":                {1, each(math.Exp)},
	"Neg":                {1, each(func(v float64) float64 { return -v })},
	"Relu":               {1, each(func(v float64) float64 { return math.Max(v, 0) })},
	"Sigmoid":            {1, each(func(v float64) float64 { return 1 / (1 + math.Exp(-v)) })},
	"Add":                {2, pairs(func(a, b float32) float32 { return a + b }, func(a, b int64) int64 { return a + b })},
	"Sub":                {2, pairs(func(a, b float32) float32 { return a - b }, func(a, b int64) int64 { return a - b })},
	"Mul":                {2, pairs(func(a, b float32) float32 { return a * b }, func(a, b int64) int64 { return a * b })},
	"Div":                {2, pairs(func(a, b float32) float32 { return a / b }, quotient)},
	"Gather":             {2, gather},
	"Unsqueeze":          {2, unsqueeze},
	"Concat":             {0, concat},
	"Shape":              {1, shapeOf},
	"Slice":              {4, slice},
	"Gemm":               {3, gemm},
	"BatchNormalization": {5, normalize},
}

func (n *node) apply(in []tensor) (tensor, error) {
	op := operators[n.op]
	if op.inputs != 0 && len(in) != op.inputs {
		return tensor{}, fmt.Errorf("%d inputs, not %d", len(in), op.inputs)
	}
	return op.apply(n, in)
}

func each(f func(float64) float64) func(*node, []tensor) (tensor, error) {
	return func(_ *node, in []tensor) (tensor, error) {
		if in[0].isWhole() {
			return tensor{}, errors.New("of whole numbers")
		}
		out := tensor{shape: in[0].shape, floats: make([]float32, len(in[0].floats))}
		for i, v := range in[0].floats {
			out.floats[i] = float32(f(float64(v)))
		}
		return out, nil
	}
}

// quotient is that of whole numbers. A graph that divides by 0 has no shape.
func quotient(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// pairs is an operation on two arrays of the same size, or on an array and a single number.
func pairs(floats func(a, b float32) float32, ints func(a, b int64) int64) func(*node, []tensor) (tensor, error) {
	return func(_ *node, in []tensor) (tensor, error) {
		a, b := in[0], in[1]
		if a.isWhole() != b.isWhole() {
			return tensor{}, fmt.Errorf("whole numbers and others")
		}
		if a.isWhole() {
			v, err := combine(a.ints, b.ints, ints)
			return tensor{shape: larger(a, b), ints: v}, err
		}
		v, err := combine(a.floats, b.floats, floats)
		return tensor{shape: larger(a, b), floats: v}, err
	}
}

func larger(a, b tensor) []int {
	if len(a.shape) >= len(b.shape) {
		return a.shape
	}
	return b.shape
}

func combine[T any](a, b []T, f func(a, b T) T) ([]T, error) {
	n := max(len(a), len(b))
	if len(a) == 0 || len(b) == 0 || len(a) != n && len(a) != 1 || len(b) != n && len(b) != 1 {
		return nil, fmt.Errorf("%d and %d numbers", len(a), len(b))
	}
	out := make([]T, n)
	for i := range out {
		out[i] = f(a[i%len(a)], b[i%len(b)])
	}
	return out, nil
}

// gather takes one row or column, or a number of a shape.
func gather(n *node, in []tensor) (tensor, error) {
	from, index := in[0], in[1]
	if len(index.ints) != 1 || len(from.shape) == 0 || int(n.axis) >= len(from.shape) || n.axis < 0 {
		return tensor{}, fmt.Errorf("%d indices into %d axes along axis %d", len(index.ints), len(from.shape), n.axis)
	}
	at, size := int(index.ints[0]), from.shape[n.axis]
	if at < 0 {
		at += size
	}
	if at < 0 || at >= size {
		return tensor{}, fmt.Errorf("index %d of %d", at, size)
	}
	switch {
	case len(from.shape) == 1 && from.isWhole():
		return tensor{shape: index.shape, ints: from.ints[at : at+1]}, nil
	case len(from.shape) == 2 && n.axis == 0:
		return tensor{shape: []int{1, from.shape[1]}, floats: from.floats[at*from.shape[1] : (at+1)*from.shape[1]]}, nil
	case len(from.shape) == 2 && from.shape[0] == 1 && from.isWhole():
		return tensor{shape: []int{1}, ints: from.ints[at : at+1]}, nil
	case len(from.shape) == 2 && from.shape[0] == 1:
		return tensor{shape: []int{1}, floats: from.floats[at : at+1]}, nil
	}
	return tensor{}, fmt.Errorf("of a shape %v along axis %d", from.shape, n.axis)
}

// unsqueeze makes a row of one number.
func unsqueeze(_ *node, in []tensor) (tensor, error) {
	if len(in[0].floats) != 1 {
		return tensor{}, fmt.Errorf("of a shape %v", in[0].shape)
	}
	return tensor{shape: []int{1, 1}, floats: in[0].floats}, nil
}

// concat joins rows.
func concat(_ *node, in []tensor) (tensor, error) {
	var all []float32
	for _, t := range in {
		all = append(all, t.floats...)
	}
	return tensor{shape: []int{1, len(all)}, floats: all}, nil
}

func shapeOf(_ *node, in []tensor) (tensor, error) {
	out := tensor{shape: []int{len(in[0].shape)}}
	for _, n := range in[0].shape {
		out.ints = append(out.ints, int64(n))
	}
	return out, nil
}

// slice takes some of a row, along its last axis.
func slice(_ *node, in []tensor) (tensor, error) {
	for _, t := range in[1:] {
		if len(t.ints) != 1 {
			return tensor{}, fmt.Errorf("%d bounds", len(t.ints))
		}
	}
	row, from, to := in[0].floats, in[1].ints[0], in[2].ints[0]
	if axis := in[3].ints[0]; axis != -1 || from < 0 || from > to || to > int64(len(row)) {
		return tensor{}, fmt.Errorf("from %d to %d of %d, along axis %d", from, to, len(row), axis)
	}
	return tensor{shape: []int{1, int(to - from)}, floats: row[from:to]}, nil
}

// gemm multiplies a row with a transposed matrix, and adds a row.
func gemm(n *node, in []tensor) (tensor, error) {
	row, matrix, bias := in[0].floats, in[1], in[2].floats
	if !n.transposed || n.alpha != 1 || n.beta != 1 || len(matrix.shape) != 2 || matrix.shape[1] != len(row) || matrix.shape[0] != len(bias) {
		return tensor{}, fmt.Errorf("a row of %d, a matrix %v and %d more; transposed: %v", len(row), matrix.shape, len(bias), n.transposed)
	}
	out := make([]float32, len(bias))
	for i := range out {
		out[i] = dot(row, matrix.floats[i*len(row):(i+1)*len(row)]) + bias[i]
	}
	return tensor{shape: []int{1, len(out)}, floats: out}, nil
}

// dot adds up in four lanes, which the processor does at once.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// normalize is batch normalisation as it is used after training: inputs are the row, its scale and shift, the means and the variances.
func normalize(n *node, in []tensor) (tensor, error) {
	row := in[0].floats
	for _, t := range in[1:] {
		if len(t.floats) != len(row) {
			return tensor{}, fmt.Errorf("rows of %d and %d", len(row), len(t.floats))
		}
	}
	out := make([]float32, len(row))
	for i, v := range row {
		out[i] = (v-in[3].floats[i])/float32(math.Sqrt(float64(in[4].floats[i]+n.epsilon)))*in[1].floats[i] + in[2].floats[i]
	}
	return tensor{shape: in[0].shape, floats: out}, nil
}
