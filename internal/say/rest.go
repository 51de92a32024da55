package say

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/study"
)

// Outlook is what money is expected to buy: the best value now, and quantiles of the best value once the money is spent.
type Outlook struct{ Left, Best, Worse, Median, Better float64 }

// Rest says what the remaining money is expected to buy, as in "the remaining 12 euros are expected to improve loss from 3.2 to
// about 3.1 (80% between 3.2 and 2.9)".
func Rest(s *study.Study, o Outlook) string { return "the remaining " + promise(s, o) }

// RestWith says the same of the money that is left together with an amount that would be added.
func RestWith(s *study.Study, added float64, o Outlook) string {
	return "with " + Amount(s.Cost, added) + " more, " + promise(s, o)
}

func promise(s *study.Study, o Outlook) string {
	n := digitsFor(o.Best, o.Worse, o.Median, o.Better)
	best, median, worse, better := Digits(o.Best, n), Digits(o.Median, n), Digits(o.Worse, n), Digits(o.Better, n)
	does := fmt.Sprintf("improve %s from %s to about %s", s.Objective.Name, best, median)
	if best == median {
		does = fmt.Sprintf("leave %s at about %s", s.Objective.Name, best)
	}
	if worse == better {
		return fmt.Sprintf("%s are expected to %s", Amount(s.Cost, o.Left), does)
	}
	return fmt.Sprintf("%s are expected to %s (80%% between %s and %s)", Amount(s.Cost, o.Left), does, worse, better)
}

// digitsFor is how many digits tell values apart from the first, to two digits of the largest difference. There are four to
// eight: late in a study gains are small.
func digitsFor(from float64, others ...float64) int {
	const fewest, most = 4, 8
	gap := 0.0
	for _, v := range others {
		gap = math.Max(gap, math.Abs(v-from))
	}
	if gap == 0 || from == 0 || !finite(gap) {
		return fewest
	}
	return min(max(int(math.Ceil(math.Log10(math.Abs(from)/gap)))+2, fewest), most)
}
