package problem

// FindBest searches for the largest value of a problem. The values of Best that have no formula were found this way. It takes
// minutes for boston and cnn, and seconds for the others. It returns a point, its value, and the number of evaluations, or of what
// stands for them.
func FindBest(name string, replication uint64, data string) (at []float64, value float64, evaluations int, err error) {
	p, err := New(name, replication, data)
	if err != nil {
		return nil, 0, 0, err
	}
	switch name {
	case "boston":
		settings, value, evaluations := searchBoston()
		return bostonUnit(settings), value, evaluations, nil
	case "cnn":
		best, evaluations := searchCNN()
		return best.at, best.value, evaluations, nil
	case "robot":
		best, evaluations := searchRobot(int(replication % robotTargets))
		return best.at, best.value, evaluations, nil
	}
	const uniform, climbs = 200_000, 50
	at, value, evaluations = Search(p, uniform, climbs, replication)
	return at, value, evaluations, nil
}
