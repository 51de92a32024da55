package maximise

// Peak is a point where a local search ended.
type Peak struct {
	X     []float64
	Value float64
}

// Result is the outcome of a maximisation.
type Result struct {
	Peaks       []Peak // one for each start, in the order of the starts
	Searches    int    // how many local searches were run
	Evaluations int    // how often they evaluated the function
}

// Top returns the highest peak, and the earliest among equals.
func (r Result) Top() Peak { return r.Peaks[highestOf(r.Values())] }

// Add appends further peaks and their effort.
func (r *Result) Add(more Result) {
	r.Searches += more.Searches
	r.Evaluations += more.Evaluations
	r.Peaks = append(r.Peaks, more.Peaks...)
}

// Values returns the peaks' values in their order.
func (r Result) Values() []float64 {
	values := make([]float64, len(r.Peaks))
	for i, p := range r.Peaks {
		values[i] = p.Value
	}
	return values
}

// Points returns the peaks' points from the highest down.
func (r Result) Points() [][]float64 {
	points := make([][]float64, 0, len(r.Peaks))
	for _, i := range Highest(r.Values(), len(r.Peaks)) {
		points = append(points, r.Peaks[i].X)
	}
	return points
}

// Keep drops all but the highest peaks.
func (r *Result) Keep(count int) { r.Peaks = Pick(r.Peaks, Highest(r.Values(), count)) }

// Revalue gives the peaks the values of another function.
func (r *Result) Revalue(f Func) {
	for i := range r.Peaks {
		r.Peaks[i].Value = f(nil, r.Peaks[i].X)
	}
}
