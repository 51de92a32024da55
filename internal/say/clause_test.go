package say

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/eke-bo/eke/study"
)

// Clauses of the same words are said once, with the least and the most of each number, as far as these differ where they are written.
func TestClause(t *testing.T) {
	look := func(gain, correlation float64) study.Clause {
		return (&Look{Looks: 2, Gain: gain, Correlation: correlation, Fidelity: "epochs"}).clause()
	}
	quick := func(seconds float64) study.Clause { return Reason{Quick: seconds}.Clauses()[1] }
	for want, list := range map[string][]study.Clause{
		"100% sure":                                     {{Words: "100% sure"}, {Words: "100% sure"}},
		"trials take 0.02 s: it thought less":           {quick(0.0201), quick(0.0199)},
		"trials take 1e-6 to 20,123 s: it thought less": {quick(15), quick(0.000001), quick(20123)},
		"2 looks first, and then the full evaluation that they help to choose, are worth 1.2 to 3 times as much as a full evaluation now (values at this fidelity and at the highest epochs have a correlation of 0.80)": {look(3, 0.8), look(1.2, 0.801)},
		"the earlier study is ignored: it does not predict the 9 to 12 trials so far": {Predicts{Results: 12}.Clause(), Predicts{Results: 9}.Clause()},
	} {
		if got := Clause(list...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What JSON has no number for stands in the words, so that a trial's reasons can always be kept.
func TestClausesAreJSON(t *testing.T) {
	for _, x := range []float64{math.Inf(1), math.NaN(), math.MaxFloat64} {
		list := Reason{Gain: x, Look: &Look{Gain: 2, Correlation: x}}.Clauses()
		if _, err := json.Marshal(list); err != nil {
			t.Errorf("%v: %v, %+v", x, err, list)
		}
	}
}
