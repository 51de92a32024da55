// Package front has the front of several objectives, and what one more evaluation is expected to add to it.
//
// All objectives are maximised. A point dominates another if it is at least as good in every objective and better in one. The front is
// what no other point dominates, of the points above a reference, which is the worst that counts. Its hypervolume is the
// volume between the reference and the front, the measure of how good the front is. The expected gain in it is expected improvement with
// several objectives, MATH.md §14.
package front

import (
	"cmp"
	"math"
	"slices"
)

// Least and Most are how many objectives a front may have.
const Least, Most = 2, 3

// Dominates says whether a is at least as good as b in every objective, and better in one.
func Dominates(a, b []float64) bool {
	better := false
	for j, v := range a {
		if v < b[j] {
			return false
		}
		better = better || v > b[j]
	}
	return better
}

// Above says whether a point is better than the reference in every objective.
func Above(point, worst []float64) bool {
	for j, v := range point {
		if !(v > worst[j]) {
			return false
		}
	}
	return true
}

// Of returns the places of the points on the front, in their order. Of equal points only the first is on it, and NaN is above nothing.
func Of(points [][]float64, worst []float64) (places []int) {
	for i, p := range points {
		if Above(p, worst) {
			places = append(places, i)
		}
	}
	above := slices.Clone(places)
	return slices.DeleteFunc(places, func(i int) bool {
		return slices.ContainsFunc(above, func(k int) bool {
			return Dominates(points[k], points[i]) || k < i && slices.Equal(points[k], points[i])
		})
	})
}

// Box is a box of the space that the front does not dominate. It may have no upper end in some objectives.
type Box struct{ Low, High []float64 }

// Boxes returns disjoint boxes that together are all of the space above the reference that no point dominates. For n points on the front there
// are n + 1 boxes with two objectives, and at most 2n + 1 with three.
func Boxes(points [][]float64, worst []float64) []Box {
	list := pick(points, Of(points, worst))
	if len(worst) == 2 {
		return stripes(list, worst)
	}
	return sweep(list, worst)
}

func pick(points [][]float64, places []int) [][]float64 {
	list := make([][]float64, len(places))
	for i, place := range places {
		list[i] = points[place]
	}
	return list
}

// stripes are the boxes of two objectives. Between two neighbours on the front, a box begins above the one that is better in the first
// objective, and so worse in the second.
func stripes(list [][]float64, worst []float64) (boxes []Box) {
	inf := math.Inf(1)
	slices.SortFunc(list, func(a, b []float64) int { return cmp.Compare(b[0], a[0]) })
	right, floor := inf, worst[1]
	for _, p := range list {
		boxes = append(boxes, Box{[]float64{p[0], floor}, []float64{right, inf}})
		right, floor = p[0], p[1]
	}
	return append(boxes, Box{[]float64{worst[0], floor}, []float64{right, inf}})
}

// stripe is a box of three objectives that is still open below: it goes from left to right in the first, and up from the floor in the second.
type stripe struct{ left, right, floor, top float64 }

// sweep are the boxes of three objectives. A plane goes down along the third. What counts in it are the stripes of the points that it has
// passed; a new point ends the stripes that it cuts into, and begins two others (after Yang, Emmerich, Deutz, Bäck 2019).
func sweep(list [][]float64, worst []float64) (boxes []Box) {
	inf := math.Inf(1)
	slices.SortFunc(list, func(a, b []float64) int {
		return cmp.Or(cmp.Compare(b[2], a[2]), cmp.Compare(b[0], a[0]), cmp.Compare(b[1], a[1]))
	})
	open := []stripe{{worst[0], inf, worst[1], inf}} // from right to left; floors rise
	end := func(s stripe, at float64) {
		if s.top > at {
			boxes = append(boxes, Box{[]float64{s.left, s.floor, at}, []float64{s.right, inf, s.top}})
		}
	}
	for _, p := range list {
		var next []stripe
		cut := stripe{left: inf, right: math.Inf(-1)} // the range of what the point cuts into
		for _, s := range open {
			if s.left >= p[0] || s.floor >= p[1] {
				next = append(next, s)
				continue
			}
			end(s, p[2])
			if s.right > cut.right {
				cut.right, cut.floor = s.right, s.floor // the first that is cut, whose right part remains as it was
			}
			cut.left = math.Min(cut.left, s.left)
		}
		if cut.left < cut.right { // or else another point dominates it
			if p[0] < cut.right {
				next = append(next, stripe{p[0], cut.right, cut.floor, p[2]})
			}
			next = append(next, stripe{cut.left, math.Min(p[0], cut.right), p[1], p[2]})
			slices.SortFunc(next, func(a, b stripe) int { return cmp.Compare(b.left, a.left) })
		}
		open = next
	}
	for _, s := range open {
		end(s, worst[2])
	}
	return boxes
}

// Volume returns the hypervolume of the points, at most the largest number.
func Volume(points [][]float64, worst []float64) float64 {
	list := pick(points, Of(points, worst))
	if len(list) == 0 {
		return 0
	}
	// All of the box up to the best of every objective, without what is not dominated there. In units of its sides nothing overflows; powers of two round nothing.
	top, unit := slices.Clone(worst), 0
	for _, p := range list {
		for j, v := range p {
			top[j] = math.Max(top[j], v)
		}
	}
	list, worst = append(slices.Clone(list), top), slices.Clone(worst)
	for i, p := range list {
		list[i] = slices.Clone(p)
	}
	for j, v := range top {
		_, exp := math.Frexp(v/2 - worst[j]/2)
		for _, p := range append(list, worst) {
			p[j] = math.Ldexp(p[j], -exp)
		}
		unit += exp
	}
	list, top = list[:len(list)-1], list[len(list)-1]
	whole, rest := 1.0, 0.0
	for j, v := range top {
		whole *= v - worst[j]
	}
	for _, b := range Boxes(list, worst) {
		rest += b.gain(top)
	}
	return math.Min(math.Ldexp(math.Max(whole-rest, 0), unit), math.MaxFloat64)
}

// gain returns the volume of the part of the box that a point dominates.
func (b Box) gain(point []float64) float64 {
	v := 1.0
	for j, low := range b.Low {
		v *= math.Max(math.Min(point[j], b.High[j])-low, 0)
	}
	return v
}

// Gain returns by how much a point would enlarge the hypervolume of a front with these boxes.
func Gain(boxes []Box, point []float64) (sum float64) {
	for _, b := range boxes {
		sum += b.gain(point)
	}
	return sum
}

// Below returns the parts of boxes that lie below the most that each objective can be.
func Below(boxes []Box, most []float64) (list []Box) {
	for _, b := range boxes {
		high, some := slices.Clone(b.High), true
		for j, m := range most {
			high[j], some = math.Min(high[j], m), some && b.Low[j] < m
		}
		if some {
			list = append(list, Box{b.Low, high})
		}
	}
	return list
}

// Open returns boxes without the upper ends that come from the most that an objective can be. A forecast beyond the most stands for the most, which is in such a box.
func Open(boxes []Box, most []float64) []Box {
	list := slices.Clone(boxes)
	for i, b := range boxes {
		list[i].High = slices.Clone(b.High)
		for j, m := range most {
			if b.High[j] >= m {
				list[i].High[j] = math.Inf(1)
			}
		}
	}
	return list
}

// Rounded returns boxes for forecasts of objectives some of which take whole numbers only. A forecast between two whole numbers stands for the nearer one. So each
// end of a box moves to the middle between the last whole number that is not above it and the next: to extend the front is to be better by one.
func Rounded(boxes []Box, whole []bool) []Box {
	if whole == nil {
		return boxes
	}
	list := make([]Box, len(boxes))
	for i, b := range boxes {
		list[i] = Box{slices.Clone(b.Low), slices.Clone(b.High)}
		for j, w := range whole {
			if w {
				list[i].Low[j], list[i].High[j] = math.Floor(b.Low[j])+0.5, math.Floor(b.High[j])+0.5
			}
		}
	}
	return list
}

// Chance returns the chance that a point extends a front with these boxes. Its objectives are independent and have these middles and scales.
// Each stays below z scales above its middle with the chance below(z).
func Chance(boxes []Box, middle, scale []float64, below func(z float64) float64) (sum float64) {
	for _, b := range boxes {
		p := 1.0
		for j, m := range middle {
			p *= below((m-b.Low[j])/scale[j]) - below((m-b.High[j])/scale[j]) // symmetric: 1 − below(z) = below(−z)
		}
		sum += p
	}
	return math.Min(math.Max(sum, 0), 1)
}

// Nearest returns the places of the points of a front of two objectives between which a point lies. These are the next better and the next
// worse point in the first objective, as far as there are any.
func Nearest(points [][]float64, point []float64) (places []int) {
	better, worse := -1, -1
	for i, p := range points {
		switch {
		case p[0] >= point[0] && (better < 0 || p[0] < points[better][0]):
			better = i
		case p[0] < point[0] && (worse < 0 || p[0] > points[worse][0]):
			worse = i
		}
	}
	return slices.DeleteFunc([]int{better, worse}, func(i int) bool { return i < 0 })
}
