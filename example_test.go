package eke_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/eke-bo/eke"
)

// A furnace: the best alloy comes near 0.7 and 0.3, and hot, long firings cost more.
func fire(x []float64) (strength, cost float64) {
	heat, time := x[0], x[1]
	strength = math.Exp(-8*(heat-0.7)*(heat-0.7) - 6*(time-0.3)*(time-0.3))
	cost = 0.2 + heat*heat + 2*time
	return strength, cost
}

// Run spends a budget on an experiment.
func ExampleOptimizer_Run() {
	opt, err := eke.New(eke.Config{
		Lower: []float64{0, 0}, Upper: []float64{1, 1},
		Budget: 20, Seed: 1,
	})
	if err != nil {
		panic(err)
	}
	err = opt.Run(context.Background(), func(_ context.Context, x []float64) (value, cost float64, err error) {
		value, cost = fire(x)
		return value, cost, nil
	})
	if err != nil {
		panic(err)
	}
	best, _ := opt.Best()
	fmt.Printf("best strength %.2f at heat %.1f, time %.1f\n", best.Value, best.X[0], best.X[1])
	// Output: best strength 1.00 at heat 0.7, time 0.3
}

// Ask and Tell put the loop in the caller's hands. A trial says why it was chosen.
func ExampleOptimizer_Ask() {
	opt, err := eke.New(eke.Config{
		Lower: []float64{0, 0}, Upper: []float64{1, 1},
		Budget: 20, Seed: 1,
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	explained := false
	for {
		trial, err := opt.Ask(ctx)
		if errors.Is(err, eke.ErrBudgetSpent) {
			break
		}
		if err != nil {
			panic(err)
		}
		if why := trial.Reasons; why.Policy != "design" && !explained {
			explained = true
			fmt.Printf("%s plans %d tries beyond this one\n", why.Policy, len(why.Next))
		}
		strength, cost := fire(trial.X)
		if err := opt.Tell(trial.Number, strength, cost); err != nil {
			panic(err)
		}
	}
	fmt.Println("over budget by the last trial alone:", opt.Spent() > 20)
	// Output:
	// 4-bmsei-p plans 3 tries beyond this one
	// over budget by the last trial alone: true
}

// What is known from elsewhere can be told for free, and results that make no sense are refused.
func ExampleOptimizer_Observe() {
	opt, err := eke.New(eke.Config{Lower: []float64{-1}, Upper: []float64{1}, Budget: 3, Minimize: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(opt.Observe([]float64{0.5}, 2.5, 1))
	fmt.Println(opt.Observe([]float64{0.5}, 2.5, -1))
	best, ok := opt.Best()
	fmt.Println(best.Value, ok, opt.Spent())
	// Output:
	// <nil>
	// eke: observation: cost is -1, must be a finite number above zero
	// 2.5 true 0
}
