package front

// Trainings lists more tasks of LCBench with error against seconds. They are for tuning, and not among those to be won. The worst that counts is the error of a median setting and
// the mean seconds; hypervolumes were searched for with 80,000 evaluations.
func Trainings() (list []Recipe) {
	for _, t := range []struct {
		id             string
		error, seconds float64
		best           float64
	}{
		{"7593", 51, 1765, 57774},
		{"34539", 30, 142, 3992.8},
		{"126026", 10, 173, 1511.2},
		{"146212", 28, 206, 5396.9},
		{"168910", 76, 528, 27580},
		{"189866", 43, 1571, 36784},
	} {
		list = append(list, Recipe{"lcbench-" + t.id + "-seconds", false, lcSeconds(t.id, []float64{t.error, t.seconds}, t.best)})
	}
	return list
}
