package study_test

import (
	"errors"
	"fmt"

	"github.com/eke-bo/eke/study"
)

func ExampleParse() {
	file := `
name: kiln
objective: {name: strength, goal: maximize}
cost: {source: reported, unit: euros}
budget: {total: 200}
parameters:
  heat: {type: float, min: 800, max: 1300}
  hours: {type: int, min: 1, max: 24}
`
	s, err := study.Parse([]byte(file), "kiln.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s with %d parameters for %g %s\n", s.Objective.Goal, s.Objective.Name, len(s.Parameters), s.Budget.Total, s.Cost.Unit)
	// Output:
	// maximize strength with 2 parameters for 200 euros
}

// Parse reports every mistake at once, each with its place and a hint.
func ExampleParse_mistakes() {
	file := `name: kiln
objective: {goal: maximise}
cost: {source: reported}
budget: {total: -5}
parameters:
  heat: {type: float, min: 800, max: 1300}
`
	_, err := study.Parse([]byte(file), "kiln.yaml")
	var mistakes study.Errors
	if errors.As(err, &mistakes) {
		for _, m := range mistakes {
			fmt.Printf("%v\n%s\n  hint: %s\n", m, m.Excerpt(), m.Hint)
		}
	}
	// Output:
	// kiln.yaml:2:19: objective.goal: goal is "maximise", but must be one of minimize, maximize
	//   2 | objective: {goal: maximise}
	//     |                   ^
	//   hint: did you mean maximize?
	// kiln.yaml:4:17: budget.total: total is -5
	//   4 | budget: {total: -5}
	//     |                 ^
	//   hint: give an amount above 0 and up to 1e+15
}

// A record is what a log adds up to. It refuses what the budget does not cover.
func ExampleRecord_Apply() {
	r := study.NewRecord(10, false)
	for _, e := range []study.Event{
		{Seq: 1, Kind: study.EventAsked, Trial: 1, Asked: &study.Asked{Reserved: 6}},
		{Seq: 2, Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Done, Value: 0.8, Charged: 4}},
		{Seq: 3, Kind: study.EventAsked, Trial: 2, Asked: &study.Asked{Reserved: 7}},
	} {
		if err := r.Apply(e); err != nil {
			fmt.Println(err)
		}
	}
	best, _ := r.Best(study.Maximize)
	fmt.Printf("trial %d returned %g; %g is spent, %g is left\n", best.Number, best.Value, r.Ledger.Spent, r.Ledger.Left())
	// Output:
	// event 3 (asked): trial 2: the budget does not cover the reservation: 6 is left, 7 was asked for
	// trial 1 returned 0.8; 4 is spent, 6 is left
}
