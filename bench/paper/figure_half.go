package paper

import "github.com/eke-bo/eke/bench/show"

// drawHalf writes the supplement's figure of half budgets: does it help to know the budget?
func drawHalf(f *show.Folder, list []race) error {
	figure, ok, err := regretFigure(halfRaces(list), fourStep(), "Half the budget")
	if err != nil || !ok {
		return err
	}
	figure.Remarks = []string{regretRemark}
	return f.PNG("half.png", figure.Page())
}
