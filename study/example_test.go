package study_test

import (
	"errors"
	"fmt"

	"github.com/eke-bo/eke/study"
)

// A study file is read with all defaults filled in. What is wrong in it is said with its place, and all at once.
func ExampleParse() {
	s, err := study.Parse([]byte(`
name: kiln
objective: {name: strength, goal: maximize}
cost: {source: reported, unit: euros}
budget: {total: 60, per_trial: 5}
parameters:
  temperature: {type: float, min: 800, max: 1300}
`), "kiln.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name, s.Objective.Goal, s.Budget.Total, s.Cost.Unit, s.Policy.Name, s.Parallel)

	_, err = study.Parse([]byte("name: kiln\nobjective: {goal: maximise}\ncost: {source: walltime}\nbudget: {total: 1h}\nparameters: {x: {type: bool}}\n"), "kiln.yaml")
	var wrong study.Errors
	if errors.As(err, &wrong) {
		fmt.Printf("line %d, %s: %s\n", wrong[0].Line, wrong[0].Field, wrong[0].Problem)
	}
	// Output:
	// kiln maximize 60 euros auto 1
	// line 2, objective.goal: goal is "maximise", but must be one of minimize, maximize
}

// A record is a log folded into trials. It refuses every event that would spend more than there is.
func ExampleRecord() {
	r := study.NewRecord(10, false)
	for _, e := range []study.Event{
		{Seq: 1, Kind: study.EventAsked, Trial: 1, Asked: &study.Asked{Reserved: 6}},
		{Seq: 2, Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Done, Value: 0.5, Charged: 4}},
		{Seq: 3, Kind: study.EventAsked, Trial: 2, Asked: &study.Asked{Reserved: 7}},
	} {
		if err := r.Apply(e); err != nil {
			fmt.Println("refused:", errors.Is(err, study.ErrUnaffordable))
		}
	}
	best, _ := r.Best(study.Minimize)
	fmt.Println("spent", r.Ledger.Spent, "left", r.Ledger.Left(), "best", best.Value)
	// Output:
	// refused: true
	// spent 4 left 6 best 0.5
}
