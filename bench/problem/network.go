package problem

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// network is a convolutional network with three layers of units and a classifier:
//
//	8×8      convolve 3×3 → u₁ maps, rectify, take the largest of each 2×2
//	4×4×u₁   convolve 3×3 → u₂ maps, rectify, take the largest of each 2×2
//	2×2×u₂   convolve 2×2 → u₃ units, rectify
//	u₃       10 classes, softmax, cross-entropy
//
// Activations are stored picture by picture, place by place, map by map. Then a convolution is a matrix product:
// row r of the "patches" holds what place r sees, and patches·W is the answer of all places of all pictures at once.
type network struct {
	units [3]int
	batch int // the most pictures at a time

	patches [4][]float64 // what each layer's places see
	answers [4][]float64 // what they answer, rectified
	back    [4][]float64 // sensitivities to the answers
	backIn  [4][]float64 // sensitivities to the patches
	pooled  [2][]float64 // the largest of each 2×2, after layers 1 and 2
	winners [2][]int     // and which it was
}

func newNetwork(units [3]int, batch int) *network {
	n := &network{units: units, batch: batch}
	for l := range n.patches {
		in, out := n.fan(l)
		rows := batch * places[l]
		n.answers[l], n.back[l] = make([]float64, rows*out), make([]float64, rows*out)
		n.backIn[l] = make([]float64, rows*in)
		if l < 2 { // the patches of the others are the answers of the layer before, as they stand
			n.patches[l] = make([]float64, rows*in)
			n.pooled[l], n.winners[l] = make([]float64, rows*out/4), make([]int, rows*out/4)
		}
	}
	n.patches[2], n.patches[3] = n.pooled[1], n.answers[2]
	return n
}

// places are the places at which each layer answers.
var places = [4]int{64, 16, 1, 1}

// fan returns how many numbers a place of layer l sees, and how many it answers.
func (n *network) fan(l int) (in, out int) {
	u := n.units
	return [4]int{9, 9 * u[0], 4 * u[1], u[2]}[l], [4]int{u[0], u[1], u[2], classes}[l]
}

// parameters returns the length of the network's parameter vector.
func (n *network) parameters() int {
	sum := 0
	for l := range places {
		in, out := n.fan(l)
		sum += (in + 1) * out
	}
	return sum
}

// layer returns the weights and biases of layer l inside a parameter vector, or a gradient.
func (n *network) layer(params []float64, l int) (weights blas64.General, biases []float64) {
	at := 0
	for k := range l {
		in, out := n.fan(k)
		at += (in + 1) * out
	}
	in, out := n.fan(l)
	return matrix(in, out, params[at:]), params[at+in*out : at+(in+1)*out]
}

// initial draws parameters to start from: K. He et al., Delving Deep into Rectifiers, ICCV 2015.
func (n *network) initial(rng *rand.Rand) []float64 {
	params := make([]float64, n.parameters())
	for l := range places {
		w, _ := n.layer(params, l)
		sd := math.Sqrt(2 / float64(w.Rows))
		for i := range w.Data {
			w.Data[i] = sd * rng.NormFloat64()
		}
	}
	return params
}

// loss returns the mean cross-entropy of the pictures at the parameters and, when grad is not nil, overwrites grad with
// its gradient.
func (n *network) loss(grad, params []float64, m images) float64 {
	n.forward(params, m)
	sum := n.crossEntropy(m.labels)
	if grad != nil {
		n.backward(grad, params, m.len())
	}
	return sum
}

// errors returns how many of the pictures the network gets wrong.
func (n *network) errors(params []float64, m images) int {
	wrong := 0
	for i := 0; i < m.len(); i += n.batch {
		part := m.slice(i, min(i+n.batch, m.len()))
		n.forward(params, part)
		for k, label := range part.labels {
			// A network that has diverged answers NaN, which compares as smaller than nothing. It counts
			// as wrong.
			score := n.answers[3][k*classes : (k+1)*classes]
			best := math.Inf(-1)
			answer := -1
			for c, s := range score {
				if s > best {
					best, answer = s, c
				}
			}
			if answer != label {
				wrong++
			}
		}
	}
	return wrong
}

func (n *network) forward(params []float64, m images) {
	count := m.len()
	gather(n.patches[0], m.grey, count, side, 1)
	for l := range places {
		w, biases := n.layer(params, l)
		rows := count * places[l]
		out := n.answers[l][:rows*w.Cols]
		for r := range rows {
			copy(out[r*w.Cols:], biases)
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, matrix(rows, w.Rows, n.patches[l]), w, 1, matrix(rows, w.Cols, out))
		if l < 3 {
			rectify(out)
		}
		if l < 2 {
			wide := side >> l
			pool(n.pooled[l], n.winners[l], out, count, wide, w.Cols)
			if l == 0 {
				gather(n.patches[1], n.pooled[0], count, wide/2, w.Cols)
			}
		}
	}
}

// crossEntropy returns the mean loss and leaves its sensitivities to the scores in back[3].
func (n *network) crossEntropy(labels []int) float64 {
	sum, count := 0.0, float64(len(labels))
	for k, label := range labels {
		score, back := n.answers[3][k*classes:(k+1)*classes], n.back[3][k*classes:(k+1)*classes]
		largest := score[0]
		for _, s := range score {
			largest = math.Max(largest, s)
		}
		total := 0.0
		for c, s := range score {
			back[c] = math.Exp(s - largest)
			total += back[c]
		}
		sum += (math.Log(total) + largest - score[label]) / count
		for c := range back {
			back[c] /= total * count
		}
		back[label] -= 1 / count
	}
	return sum
}

// backward turns back[3] into the gradient.
func (n *network) backward(grad, params []float64, count int) {
	clear(grad)
	for l := 3; l >= 0; l-- {
		w, _ := n.layer(params, l)
		dw, dBiases := n.layer(grad, l)
		rows := count * places[l]
		back := n.back[l][:rows*w.Cols]
		for r := range rows {
			for c, v := range back[r*w.Cols : (r+1)*w.Cols] {
				dBiases[c] += v
			}
		}
		d := matrix(rows, w.Cols, back)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, matrix(rows, w.Rows, n.patches[l]), d, 0, dw)
		if l == 0 {
			return // nobody needs the sensitivities to the pictures
		}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, d, w, 0, matrix(rows, w.Rows, n.backIn[l]))
		n.backInto(l-1, count)
	}
}

// backInto carries the sensitivities of the patches of layer l+1 to the answers of layer l.
func (n *network) backInto(l, count int) {
	_, out := n.fan(l)
	answers, back := n.answers[l][:count*places[l]*out], n.back[l][:count*places[l]*out]
	in := n.backIn[l+1]
	switch l {
	case 2:
		copy(back, in)
	case 1:
		clear(back)
		unpool(back, n.winners[1], in[:len(back)/4])
	case 0:
		clear(back)
		pooled := n.pooled[0][:len(back)/4] // no longer needed, so its memory is used for its own sensitivities
		clear(pooled)
		scatter(pooled, in, count, side/2, out)
		unpool(back, n.winners[0], pooled)
	}
	for i, a := range answers {
		if a == 0 {
			back[i] = 0
		}
	}
}

func matrix(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data[:rows*cols]}
}
