package eke_test

import (
	"context"
	"fmt"
	"math"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A furnace: the best alloy comes near 0.7 and 0.3, and hot, long firings cost more.
func fire(x []float64) (strength, cost float64) {
	heat, time := x[0], x[1]
	strength = math.Exp(-8*(heat-0.7)*(heat-0.7) - 6*(time-0.3)*(time-0.3))
	cost = 0.2 + heat*heat + 2*time
	return strength, cost
}

// Run spends a budget on an experiment.
func Example() {
	ctx := context.Background()
	opt, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 1}, [2]float64{0, 1}), Budget: 20, Seed: 1})
	if err != nil {
		panic(err)
	}
	err = opt.Run(ctx, func(_ context.Context, t eke.Trial) (value, cost float64, err error) {
		value, cost = fire(t.X())
		return value, cost, nil
	})
	if err != nil {
		panic(err)
	}
	best, err := opt.Best(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Printf("best strength %.2f at heat %.1f, time %.1f\n", best.Value, best.X()[0], best.X()[1])
	// Output: best strength 1.00 at heat 0.7, time 0.3
}

// Ask and Tell put the loop in the caller's hands. A trial says why it was chosen.
func ExampleOptimizer_Ask() {
	ctx := context.Background()
	opt, err := eke.New(eke.Config{
		Parameters: eke.Box([2]float64{0, 1}, [2]float64{0, 1}), Budget: 20, Seed: 1, Policy: study.Policy{Name: "4-bmsei-p"},
	})
	if err != nil {
		panic(err)
	}
	explained := false
	for {
		trial, err := opt.Ask(ctx)
		if eke.Over(err) {
			break
		}
		if err != nil {
			panic(err)
		}
		if why := trial.Why; why.Policy != "design" && !explained {
			explained = true
			fmt.Printf("%s plans %d tries beyond this one\n", why.Policy, len(why.Next))
		}
		strength, cost := fire(trial.X())
		if err := opt.Tell(ctx, trial.Number, strength, cost); err != nil {
			panic(err)
		}
	}
	ledger, err := opt.Ledger(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println("the rest was not worth spending:", ledger.Left() > 0.1*ledger.Total)
	// Output:
	// 4-bmsei-p plans 3 tries beyond this one
	// the rest was not worth spending: true
}

// Parameters may be whole numbers, choices, and exist only under a condition.
func ExampleConfig() {
	ctx := context.Background()
	opt, err := eke.New(eke.Config{
		Parameters: []space.Param{
			{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 1e-1, Log: true},
			{Name: "layers", Kind: space.KindInt, Min: 1, Max: 8},
			{Name: "optimizer", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam")}},
			{Name: "momentum", Kind: space.KindFloat, Min: 0, Max: 1,
				When: []space.Condition{{Param: "optimizer", Values: []space.Value{space.String("sgd")}}}},
		},
		Goal: eke.Minimize, Budget: 6, Unit: "GPU-hours", Parallel: 2, Seed: 1,
	})
	if err != nil {
		panic(err)
	}
	err = opt.Run(ctx, func(_ context.Context, t eke.Trial) (loss, hours float64, err error) {
		loss = math.Pow(math.Log10(t.Float("lr"))+3, 2) + 0.1*math.Abs(float64(t.Int("layers")-5))
		if t.String("optimizer") == "sgd" {
			loss += 0.5 + 0.1*math.Abs(t.Float("momentum")-0.9)
		}
		return loss, 0.1 * float64(t.Int("layers")), nil
	})
	if err != nil {
		panic(err)
	}
	best, err := opt.Best(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println("good:", best.Value < 0.5, best.String("optimizer"))
	// Output: good: true adam
}

// What is known from elsewhere can be told for free, and results that make no sense are refused.
func ExampleOptimizer_Observe() {
	ctx := context.Background()
	opt, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{-1, 1}), Budget: 3, Goal: eke.Minimize})
	if err != nil {
		panic(err)
	}
	fmt.Println(opt.Observe(ctx, eke.Point(0.5), 2.5, 1))
	fmt.Println(opt.Observe(ctx, eke.Point(0.5), 2.5, -1))
	best, err := opt.Best(ctx)
	fmt.Println(best.Value, best.Known, err)
	// Output:
	// <nil>
	// the cost is -1
	// 2.5 true <nil>
}

// With several objectives the experiment returns all of them: the value is the first, and the others come by their names.
func ExampleOptimizer_RunMetrics() {
	ctx := context.Background()
	opt, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 1}), Budget: 12, Seed: 1, Objectives: []study.Aim{
		{Objective: study.Objective{Name: "strength", Goal: eke.Maximize}},
		{Objective: study.Objective{Name: "weight", Goal: eke.Minimize}},
	}})
	if err != nil {
		panic(err)
	}
	err = opt.RunMetrics(ctx, func(_ context.Context, t eke.Trial) (strength, cost float64, other study.Metrics, err error) {
		thick := t.X()[0]
		return math.Sqrt(thick), 1, study.Metrics{"weight": thick * thick}, nil
	})
	if err != nil {
		panic(err)
	}
	front, err := opt.Front(ctx)
	if err != nil {
		panic(err)
	}
	first, last := front.Results[0], front.Results[len(front.Results)-1]
	fmt.Println("the strongest is the heaviest:", first.Value > last.Value && first.Metrics["weight"] > last.Metrics["weight"])
	// Output: the strongest is the heaviest: true
}
