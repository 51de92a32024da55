package gp

// Group is a range of inputs that have one lengthscale in common.
type Group struct {
	// From is the first of them, and To the one after the last.
	From, To int
}

// scalesOf returns which lengthscale each input has, and how many there are.
func scalesOf(dim int, groups []Group) (scaleOf []int, scales int) {
	scaleOf = make([]int, dim)
	for j := range scaleOf {
		if len(groups) > 0 && j >= groups[0].To {
			groups = groups[1:]
		}
		if len(groups) == 0 || j <= groups[0].From {
			scales++
		}
		scaleOf[j] = scales - 1
	}
	return scaleOf, scales
}

// Distinct returns the lengthscales with that of each group once.
func (h Hyper) Distinct(groups []Group) []float64 {
	scaleOf, scales := scalesOf(len(h.Lengthscales), groups)
	list := make([]float64, scales)
	for j, l := range h.Lengthscales {
		list[scaleOf[j]] = l
	}
	return list
}

// Stretch multiplies each lengthscale by a factor of its own. A group has one factor.
func (h Hyper) Stretch(groups []Group, factor func() float64) {
	scaleOf, scales := scalesOf(len(h.Lengthscales), groups)
	factors := make([]float64, scales)
	for i := range factors {
		factors[i] = factor()
	}
	for j := range h.Lengthscales {
		h.Lengthscales[j] *= factors[scaleOf[j]]
	}
}
