package problem

// What a convolution needs besides matrix products: the patches that places see, rectifying, and pooling. Pictures
// have wide×wide places with some maps per place, and are stored one after the other.

// gather writes, for every place, the 3×3 places around it; those beyond the edge are zero.
func gather(patches, places []float64, count, wide, maps int) {
	eachNeighbour(count, wide, func(neighbour, place int) {
		to := patches[neighbour*maps : (neighbour+1)*maps]
		if place < 0 {
			clear(to)
			return
		}
		copy(to, places[place*maps:(place+1)*maps])
	})
}

// scatter is gather's transpose: it adds each part of a patch to the place it was copied from.
func scatter(places, patches []float64, count, wide, maps int) {
	eachNeighbour(count, wide, func(neighbour, place int) {
		if place < 0 {
			return
		}
		to := places[place*maps : (place+1)*maps]
		for i, v := range patches[neighbour*maps : (neighbour+1)*maps] {
			to[i] += v
		}
	})
}

// eachNeighbour visits the nine neighbours of every place; place is −1 beyond the edge.
func eachNeighbour(count, wide int, visit func(neighbour, place int)) {
	neighbour := 0
	for picture := range count {
		for y := range wide {
			for x := range wide {
				for v := y - 1; v <= y+1; v++ {
					for u := x - 1; u <= x+1; u++ {
						place := -1
						if v >= 0 && v < wide && u >= 0 && u < wide {
							place = (picture*wide+v)*wide + u
						}
						visit(neighbour, place)
						neighbour++
					}
				}
			}
		}
	}
}

// rectify replaces negative numbers and NaN by zero.
func rectify(x []float64) {
	for i, v := range x {
		if !(v > 0) {
			x[i] = 0
		}
	}
}

// pool writes the largest of each 2×2 places, and where it was.
func pool(dst []float64, winners []int, src []float64, count, wide, maps int) {
	at := 0
	for picture := range count {
		for y := 0; y < wide; y += 2 {
			for x := 0; x < wide; x += 2 {
				corner := ((picture*wide+y)*wide + x) * maps
				for c := range maps {
					best := corner + c
					for _, other := range [3]int{best + maps, best + wide*maps, best + (wide+1)*maps} {
						if src[other] > src[best] {
							best = other
						}
					}
					dst[at], winners[at] = src[best], best
					at++
				}
			}
		}
	}
}

// unpool is pool's transpose.
func unpool(dst []float64, winners []int, src []float64) {
	for i, v := range src {
		dst[winners[i]] += v
	}
}
