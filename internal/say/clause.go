package say

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/eke-bo/eke/study"
)

// Clause writes a clause, or several of the same words as one: with the least and the most of each number.
func Clause(list ...study.Clause) string {
	spans := make([]any, len(list[0].Numbers))
	for i := range spans {
		s := span{list[0].Numbers[i], list[0].Numbers[i]}
		for _, c := range list {
			if i < len(c.Numbers) { // a log that somebody else has written may lack it
				s.low, s.high = min(s.low, c.Numbers[i]), max(s.high, c.Numbers[i])
			}
		}
		spans[i] = s
	}
	if len(spans) == 0 {
		return list[0].Words
	}
	return fmt.Sprintf(list[0].Words, spans...)
}

// clause makes a clause. JSON has no number for what is not finite: that stands in the words.
func clause(words string, numbers ...float64) study.Clause {
	if slices.ContainsFunc(numbers, func(x float64) bool { return !finite(x) }) {
		words, numbers = Clause(study.Clause{Words: words, Numbers: numbers}), nil
	}
	return study.Clause{Words: words, Numbers: numbers}
}

// counted is Count for the words of a clause.
func counted(n float64, noun string) string {
	if n == 1 {
		return "%.0f " + noun
	}
	return "%.0f " + noun + "s"
}

// span is the range of a number, which fmt writes as "2", or as "2 to 4". Its verb v is Digits.
type span struct{ low, high float64 }

// Format writes the range by a verb of a number.
func (s span) Format(f fmt.State, verb rune) {
	write := func(x float64) string {
		if digits, _ := f.Precision(); verb == 'v' {
			return Digits(x, digits)
		}
		return fmt.Sprintf(fmt.FormatString(f, verb), x)
	}
	text := write(s.low)
	if high := write(s.high); high != text {
		text += " to " + high
	}
	_, _ = io.WriteString(f, text)
}

// Predicts is how well an earlier study predicts this one.
type Predicts struct {
	Untried   bool    // there are too few results to tell
	Values    bool    // it predicts the values
	Costs     bool    // it predicts the costs
	Joined    bool    // its results count as if they were of this study
	Unclear   bool    // what was seen tells neither for it nor against it
	Results   int     // the number of trials that it is judged by
	Explained float64 // how much of the variance of the values it explains
}

func (p Predicts) String() string { return Clause(p.Clause()) }

// Clause says it as a reason for a trial.
func (p Predicts) Clause() study.Clause {
	n := float64(p.Results)
	trials := counted(n, "trial")
	switch {
	case p.Untried:
		return clause("it is too early to tell how well the earlier study predicts this one")
	case p.Joined:
		return clause("the earlier study's results count like this one's own: they predict the "+trials+" so far", n)
	case p.Values && math.IsNaN(p.Explained):
		return clause("the earlier study predicts what the looks so far show")
	case p.Values:
		return clause("the earlier study explains %.0f%% of the variance of the values so far", math.Floor(100*p.Explained))
	case p.Costs && p.Unclear:
		return clause("the earlier study predicts the costs; whether it predicts the values, "+trials+" cannot tell", n)
	case p.Costs:
		return clause("the earlier study predicts the costs; its values are ignored, as they do not predict this one")
	case p.Unclear:
		return clause(trials+" cannot tell yet whether the earlier study predicts this one", n)
	}
	return clause("the earlier study is ignored: it does not predict the "+trials+" so far", n)
}

// Earlier names an earlier study, with the numbers of its results and looks, and how well it predicts this one, in words.
func Earlier(name string, results, looks int, predicts string) string {
	taken := Count(results, "result")
	if looks > 0 {
		taken += " and " + Count(looks, "look")
	}
	return fmt.Sprintf("%s, with %s: %s", name, taken, predicts)
}
