package paper

// drawHalf writes the supplement's figure of half budgets: does it help to know the budget?
func drawHalf(f *folder, list []race) error {
	figure, ok, err := regretFigure(halfRaces(list), fourStep(), "Half the budget")
	if err != nil || !ok {
		return err
	}
	figure.remarks = []string{regretRemark}
	return f.png("half.png", figure.page())
}
