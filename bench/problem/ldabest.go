package problem

const (
	ldaBest       = 0
	ldaBestSource = ""
)

var ldaBestAt = []float64{}
