package study

import (
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// synonyms are words that other tools use, or that come to mind first.
var synonyms = map[string]string{
	"low": "min", "lower": "min", "minimum": "min", "from": "min",
	"high": "max", "upper": "max", "maximum": "max", "to": "max",
	"choices": "values", "options": "values", "categories": "values",
	"condition": "when", "conditions": "when", "if": "when",
	"real": "float", "double": "float", "number": "float", "uniform": "float", "loguniform": "float", "log": "float",
	"integer": "int", "categorical": "choice", "enum": "choice", "ordinal": "ordered", "boolean": "bool", "constant": "fixed", "const": "fixed",
	"params": "parameters", "space": "parameters", "cmd": "command", "run": "command",
	"workers": "parallel", "jobs": "parallel", "n_jobs": "parallel",
	"metric": "objective", "direction": "goal", "min": "minimize", "minimise": "minimize", "max": "maximize", "maximise": "maximize",
	"environment": "env", "cwd": "workdir", "time": "walltime", "wall_time": "walltime", "seconds": "walltime",
	"n_trials": "trials", "max_trials": "trials", "noisy": "noise", "sampler": "policy", "strategy": "policy",
}

// nearest returns the known word that was probably meant, or nothing.
func nearest(word string, known []string) string {
	word = strings.ToLower(word)
	if s := synonyms[word]; slices.Contains(known, s) {
		return s
	}
	const longest = 64 // no name of interest is longer, and the distance is quadratic
	if len(word) > longest {
		return ""
	}
	best, bestDistance := "", max(len(word)/3, 1)+1
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); len(k) <= longest && d < bestDistance && d < max(len(k), 2) {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with the next one (optimal string
// alignment).
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			replaced := last[j]
			if s[i] != t[j] {
				replaced++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// suggest is a hint for a word that is not known.
func suggest(word string, known []string) string {
	if s := nearest(word, known); s != "" {
		return "did you mean " + s + "?"
	}
	return "give " + fault.OneOf(known)
}
