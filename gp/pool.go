package gp

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/simd"
)

// Pool is the posterior at some points while observations at these points are imagined one after the other. It is for long
// simulations: Model.Condition makes a whole new model, at O(n²) and much memory, while a pool only adds a column to its points.
//
// With v = L⁻¹k(X,p) of a point p, an observation at q extends v by one entry,
//
//	b(p) = (k(p,q) − v(p)·v(q))/t,   t² = variance(q) + τ²,
//
// and moves the point's mean by b(p)·(y − mean(q))/t and its variance by −b(p)². It is one column of a pivoted Cholesky
// factorisation; MATH.md §6.
//
// Everything is in standardised units, without observation noise. A Pool belongs to one goroutine.
type Pool struct {
	m            *Model
	size, stride int // points, and the length of a row: the data and the observations that may be imagined
	most         int // how many these are
	steps        []poolStep

	// Mean and Var are those of the points.
	Mean, Var []float64

	z    []float64 // dim×size: the points divided by the lengthscales, one row per input
	v    []float64 // size×stride
	k    []float64 // size: scratch
	some *Batch    // scratch of Replace, for as many points as the last time
	flat []float64 // scratch of Replace
}

// poolStep is an imagined observation: what is needed to add another point afterwards.
type poolStep struct {
	z, v     []float64 // of its point
	t, shift float64   // shift is (y − mean)/t
}

// NewPool returns a pool of points. At most that many observations can be imagined.
func (m *Model) NewPool(points [][]float64, most int) *Pool {
	size := len(points)
	p := &Pool{m: m, size: size, most: most, stride: simd.Pad(m.ld + most), z: make([]float64, m.dim*size), k: make([]float64, size)}
	p.v = make([]float64, size*p.stride)
	b := m.NewBatch(size, nil)
	var flat []float64
	for _, x := range points {
		flat = append(flat, x...)
	}
	b.Forward(flat, false)
	p.Mean, p.Var = b.Mean, b.Var
	for i := range points {
		copy(p.v[i*p.stride:], b.v[i*m.ld:(i+1)*m.ld])
		p.place(i, b.point(i))
	}
	return p
}

// Clone returns a copy that shares no memory that either would change.
func (p *Pool) Clone() *Pool {
	c := *p
	c.steps = slices.Clone(p.steps)
	c.Mean, c.Var, c.z, c.v = slices.Clone(p.Mean), slices.Clone(p.Var), slices.Clone(p.z), slices.Clone(p.v)
	c.k, c.some, c.flat = make([]float64, p.size), nil, nil
	return &c
}

// place writes the scaled inputs of a point.
func (p *Pool) place(i int, z []float64) {
	for j, v := range z {
		p.z[j*p.size+i] = v
	}
}

func (p *Pool) row(i int) []float64 { return p.v[i*p.stride : (i+1)*p.stride] }

// Full reports whether no further observation can be imagined.
func (p *Pool) Full() bool { return len(p.steps) >= p.most }

// Observe imagines the observation y at a point of the pool.
func (p *Pool) Observe(i int, y float64) {
	m, at := p.m, p.m.ld+len(p.steps)
	s := poolStep{z: make([]float64, m.dim), v: slices.Clone(p.row(i)[:at]), t: math.Sqrt(p.Var[i] + m.hyper.Noise)}
	s.shift = (y - p.Mean[i]) / s.t
	clear(p.k)
	for j := range s.z {
		col := p.z[j*p.size : (j+1)*p.size]
		s.z[j] = col[i]
		simd.AddSqDist(p.k, col[i], col)
	}
	m.hyper.Kernel.rows(p.k, nil, p.k, m.hyper.Outputscale)
	for q, k := range p.k {
		p.learn(q, at, k, s)
	}
	p.steps = append(p.steps, s)
}

// learn adds to a point the entry of an observation whose covariance with it is k.
func (p *Pool) learn(q, at int, k float64, s poolStep) {
	row := p.row(q)
	b := (k - simd.Dot(row[:at], s.v)) / s.t
	row[at] = b
	p.Mean[q] += b * s.shift
	p.Var[q] = math.Max(p.Var[q]-b*b, minVar)
}

// Replace puts other points into the places of some. They know all observations that were imagined before. The model is read once for
// all of them, which is most of the work if it has many data.
func (p *Pool) Replace(places []int, points [][]float64) {
	m := p.m
	if len(places) == 0 {
		return
	}
	if p.some == nil || p.some.rows != len(places) {
		p.some = m.NewBatch(len(places), nil)
	}
	b := p.some
	p.flat = p.flat[:0]
	for _, x := range points {
		p.flat = append(p.flat, x...)
	}
	b.Forward(p.flat, false)
	for n, i := range places {
		row := p.row(i)
		clear(row)
		copy(row, b.v[n*m.ld:(n+1)*m.ld])
		p.Mean[i], p.Var[i] = b.Mean[n], b.Var[n]
		p.place(i, b.point(n))
		p.recall(i, b.point(n))
	}
}

// recall tells a new point of all observations that were imagined before.
func (p *Pool) recall(i int, z []float64) {
	m := p.m
	p.flat = append(p.flat[:0], make([]float64, len(p.steps))...)
	for n, s := range p.steps {
		for j, v := range z {
			p.flat[n] += (v - s.z[j]) * (v - s.z[j])
		}
	}
	m.hyper.Kernel.rows(p.flat, nil, p.flat, m.hyper.Outputscale)
	for n, s := range p.steps {
		p.learn(i, m.ld+n, p.flat[n], s)
	}
}
