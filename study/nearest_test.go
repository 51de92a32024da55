package study

import (
	"testing"

	"github.com/eke-bo/eke/space"
)

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"paralel": "parallel", "Command": "command", "comand": "command", "bugdet": "budget", "cmd": "command",
		"sed": "seed", "x": "", "": "", "completely-else": "", "objectiv": "objective", "ñame": "name",
	} {
		if got := nearest(word, studyKeys); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}, {"abc", "abc", 0}} {
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q, %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

// TestSynonymsLeadSomewhere: every synonym stands for a word of the study file, and is none itself where it would matter.
func TestSynonymsLeadSomewhere(t *testing.T) {
	known := map[string]bool{}
	for _, list := range [][]string{studyKeys, objectiveKeys, costKeys, budgetKeys, policyKeys, parameterKeys, goals, sources, presets, space.Kinds()} {
		for _, word := range list {
			known[word] = true
		}
	}
	for word, meant := range synonyms {
		if !known[meant] {
			t.Errorf("%s stands for %s, which is no word of a study file", word, meant)
		}
	}
}
