package policy_test

import (
	"context"
	"fmt"
	"math"

	"github.com/eke-bo/eke/policy"
)

// A policy is asked for one point after the other, and told what each returned and cost.
func Example() {
	p, err := policy.New("ei-puc-cc", policy.Settings{})
	if err != nil {
		panic(err)
	}
	s := policy.State{Dim: 1, Initial: 20, Remaining: 20, Seed: 1}
	best := math.Inf(-1)
	for {
		next, err := p.Suggest(context.Background(), s)
		if err != nil {
			fmt.Println(err)
			break
		}
		x := next.X[0]
		value, cost := -(x-0.3)*(x-0.3), 1+2*x
		s.X, s.Y, s.LnCost = append(s.X, next.X), append(s.Y, value), append(s.LnCost, math.Log(cost))
		s.Remaining -= cost
		s.Trial++
		s.Previous = next.Plan
		best = math.Max(best, value)
	}
	fmt.Println("found the top:", best > -1e-4)
	// Output:
	// budget spent
	// found the top: true
}

// A suggestion comes with its reasons.
func ExamplePolicy() {
	p, err := policy.New("2-bmsei-p", policy.Settings{})
	if err != nil {
		panic(err)
	}
	s := policy.State{
		Dim: 1, X: [][]float64{{0}, {0.3}, {0.6}, {1}}, Y: []float64{0, 1, 0.8, 0}, LnCost: []float64{0, 0, 0, 0},
		Initial: 10, Remaining: 6,
	}
	got, err := p.Suggest(context.Background(), s)
	if err != nil {
		panic(err)
	}
	fmt.Printf("evaluate %.1f, it may return %.1f for %.1f; the plan has %d step after it\n",
		got.X[0], got.Predicted.Value, got.Predicted.Cost, len(got.Next))
	// Output: evaluate 0.5, it may return 1.0 for 1.0; the plan has 1 step after it
}

// The models that a policy decides by can be looked at.
func ExampleFit() {
	s := policy.State{Dim: 2, Initial: 10, Remaining: 5}
	for i := range 12 {
		x := []float64{float64(i%4) / 3, float64(i/4) / 2}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 3*x[0]), append(s.LnCost, x[1])
	}
	m, err := policy.Fit(context.Background(), s, policy.Settings{})
	if err != nil {
		panic(err)
	}
	at := m.Predict([][]float64{{0.5, 0.5}})[0]
	fmt.Printf("value %.2f, cost %.2f\n", at.Value, at.Cost)
	values, costs, _ := m.Sensitivity(context.Background(), []policy.Span{{From: 0, To: 1}, {From: 1, To: 2}}, nil)
	for i := range values {
		fmt.Printf("coordinate %d: %.1f of the value, %.1f of the cost\n", i, values[i].Total, costs[i].Total)
	}
	// Output:
	// value 1.50, cost 1.65
	// coordinate 0: 1.0 of the value, 0.0 of the cost
	// coordinate 1: 0.0 of the value, 1.0 of the cost
}
