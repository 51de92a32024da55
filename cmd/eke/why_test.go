package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// Reasons that differ only in how much something is share a note, which has the least and the most. Those that name trials do not.
func TestReasonsShareNotes(t *testing.T) {
	look := func(looks int, gain, correlation float64) *say.Look {
		return &say.Look{Looks: looks, Gain: gain, Correlation: correlation, Fidelity: "epochs"}
	}
	var list []study.Trial
	for i, r := range []say.Reason{
		{Kind: say.Improves, Look: look(1, 1.3, 0.9), Quick: 0.02},
		{Kind: say.Improves, Look: look(1, 1.5, 0.75), Quick: 0.03},
		{Kind: say.Improves, Look: look(1, 1.2, 0.99), LastTries: 3},
		{Kind: say.Improves, Look: look(2, 1, 0.8), LastTries: 2},
		{Kind: say.Improves, Look: look(4, 1, 0.8), Between: []int{1, 2}},
		{Kind: say.Improves, Look: look(1, 1.1, 0.9), Between: []int{1, 3}},
		{Kind: say.Improves},
	} {
		earlier := say.Predicts{Values: true, Explained: 0.5 + float64(i)/100}
		why, err := json.Marshal(advisor.Why{Policy: "log-ei-puc", Picked: r.String(), Earlier: earlier.String(), Clauses: append(r.Clauses(), earlier.Clause())})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, study.Trial{Number: i + 1, Why: why})
	}
	got := reasonsOf(&study.Study{}, list)
	want := []string{
		"log-ei-puc: the most improvement for the money",
		"log-ei-puc: the earlier study explains 50 to 56% of the variance of the values so far",
		"[1] trials take 0.02 to 0.03 s: it thought less",
		"[2] a look first, and then the full evaluation that it helps to choose, are worth 1.1 to 1.5 times as much as a full evaluation now (values at this fidelity and at the highest epochs have a correlation of 0.75 to 0.99)",
		"[3] with money for about 2 to 3 more trials, prices count less",
		"[4] 2 to 4 looks first, and then the full evaluation that they help to choose, are worth about as much as a full evaluation now (values at this fidelity and at the highest epochs have a correlation of 0.80)",
	}
	if !slices.Equal(got.common, want) {
		t.Errorf("%q", got.common)
	}
	for i, want := range []string{"[1]; [2]", "[1]; [2]", "[3]; [2]", "[3]; [4]", "may extend the front between trials 1 and 2; [4]", "may extend the front between trials 1 and 3; [2]", ""} {
		if row := got.rows[i]; row[len(row)-1] != want {
			t.Errorf("trial %d: %q", i+1, row)
		}
	}
}

// What is said of a policy's trials has the numbers of that policy's trials alone.
func TestReasonsOfTwoPolicies(t *testing.T) {
	var list []study.Trial
	for i, policy := range []string{"design", "design", "log-ei-puc", "log-ei-puc"} {
		r := say.Reason{Kind: say.Improves, Gain: math.Pow(10, float64(i))}
		why, err := json.Marshal(advisor.Why{Policy: policy, Picked: r.String(), Clauses: r.Clauses()})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, study.Trial{Number: i + 1, Why: why})
	}
	common := reasonsOf(&study.Study{}, list).common
	for _, want := range []string{"design: expected to gain 1 to 10 over the best", "log-ei-puc: expected to gain 100 to 1000 over the best"} {
		if !slices.Contains(common, want) {
			t.Errorf("%q lacks %q", common, want)
		}
	}
}

// Twenty trials of which each is expected to gain something else have one note. Older logs have the reasons in words alone, and what is equal there is said once.
func TestReasonsAreSaidOnce(t *testing.T) {
	trials := func(note func(i int) advisor.Why) (list []study.Trial) {
		for i := range 20 {
			why, err := json.Marshal(note(i))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, study.Trial{Number: i + 1, Why: why})
		}
		return list
	}
	for want, list := range map[string][]study.Trial{
		"log-ei-puc: the most improvement for the money, log-ei-puc: expected to gain 0.5 to 10 over the best": trials(func(i int) advisor.Why {
			r := say.Reason{Kind: say.Improves, Gain: float64(i+1) / 2}
			return advisor.Why{Policy: "log-ei-puc", Picked: r.String(), Clauses: r.Clauses()}
		}),
		"log-ei-puc: before the study ends with money left, mix=50% is tried up to 20 times, and this is try 1 to 20": trials(func(i int) advisor.Why {
			r := say.Reason{Kind: say.Rare, Other: "mix=50%", Try: i + 1, Most: 20}
			return advisor.Why{Policy: "log-ei-puc", Picked: r.String(), Clauses: r.Clauses()}
		}),
		"log-ei-puc: the most improvement for the money, log-ei-puc: the earlier study predicts 100% of it": trials(func(i int) advisor.Why {
			return advisor.Why{Policy: "log-ei-puc", Picked: fmt.Sprintf("the most improvement for the money; expected to gain %d over the best", i), Earlier: "the earlier study predicts 100% of it"}
		}),
		"log-ei-puc: odd 0 of 0": trials(func(i int) advisor.Why {
			return advisor.Why{Policy: "log-ei-puc", Clauses: []study.Clause{{Words: "odd %.0f of\x1b[31m %.0f", Numbers: make([]float64, 2-i%3)}}}
		}),
	} {
		got := reasonsOf(&study.Study{}, list)
		if common := strings.Join(got.common, ", "); common != want {
			t.Errorf("%q, want %q", common, want)
		}
	}
}
