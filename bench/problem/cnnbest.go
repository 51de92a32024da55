package problem

const (
	cnnBest       = 0
	cnnBestSource = ""
)

var cnnBestAt = []float64{}
