package policy

// asha is asynchronous successive halving (Li, Jamieson, Rostamizadeh, Gonina, Ben-Tzur, Hardt, Recht, Talwalkar 2020, algorithm 2): a
// point goes on as soon as it is among the best third of its level, from the highest level down; otherwise a new one begins
// at the lowest.
func asha(d *decision) ([]float64, float64) {
	levels := d.byLevel()
	for k := len(levels) - 2; k >= 0; k-- {
		done := best(levels[k], len(levels[k]), nil)
		if next := best(levels[k], len(done)/halving, levels[k+1:]); len(next) > 0 {
			return next[0].x, d.Levels[k+1]
		}
	}
	return nil, d.Levels[0]
}
