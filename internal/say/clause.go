package say

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eke-bo/eke/study"
)

// Clauses writes the reasons for a trial as a sentence.
func Clauses(list []study.Clause) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = Clause(c)
	}
	return strings.Join(parts, "; ")
}

// Clause writes a clause, or several of the same words as one: with the least and the most of each number.
func Clause(list ...study.Clause) string {
	if len(list[0].Numbers) == 0 {
		return list[0].Words
	}
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
	return fmt.Sprintf(list[0].Words, spans...)
}

// clause makes a clause. JSON has no number for what is not finite: that stands in the words.
func clause(words string, numbers ...float64) study.Clause {
	c := study.Clause{Words: words, Numbers: numbers}
	if slices.ContainsFunc(numbers, func(x float64) bool { return !finite(x) }) {
		return study.Clause{Words: Clause(c)}
	}
	return c
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
	io.WriteString(f, text)
}
