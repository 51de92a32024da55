// Command library uses eke as a Go library: it spends a budget on a small simulated experiment and draws what came
// of it.
//
// The experiment is a kiln: temperature, firing time and thickness decide the strength of a
// tile, and hot, long firings of thick tiles cost many times what gentle ones do. The tool is told
// neither.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/eke-bo/eke"
)

const budget = 60 // euros

var (
	lower = []float64{800, 1, 5}    // °C, hours, millimetres
	upper = []float64{1300, 24, 30} //
)

// fire returns a tile's strength in MPa and what firing it cost in euros.
func fire(x []float64) (strength, cost float64) {
	heat, time, thick := (x[0]-800)/500, (x[1]-1)/23, (x[2]-5)/25
	around := func(v, centre, width float64) float64 {
		return math.Exp(-(v - centre) * (v - centre) / (2 * width * width))
	}
	dense := around(heat+0.35*time, 0.72, 0.16)         // hot and short, or cool and long
	strength = 20 + 60*dense*around(thick, 0.42, 0.3)   // thick tiles stay raw inside
	strength += 25 * dense * around(time, 0.3, 0.15)    // a fine grain, if not fired too long
	cost = 0.25 * math.Exp(1.6*heat+2.1*time+0.9*thick) // fuel, and the kiln's time
	return strength, cost
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "library: error:", err)
		os.Exit(1)
	}
}

func run() error {
	opt, err := eke.New(eke.Config{Lower: lower, Upper: upper, Budget: budget, Seed: 7})
	if err != nil {
		return err
	}
	fmt.Printf("Firing tiles until %d € are spent. What a tile costs is only known afterwards.\n\n", budget)
	fmt.Println("  tile  chosen by    °C     h    mm   expected cost   cost   strength")
	for {
		trial, err := opt.Ask(context.Background())
		if errors.Is(err, eke.ErrBudgetSpent) {
			break
		}
		if err != nil {
			return err
		}
		strength, cost := fire(trial.X)
		if err := opt.Tell(trial.Number, strength, cost); err != nil {
			return err
		}
		expected := "          ?"
		if p := trial.Reasons.Predicted; trial.Reasons.Policy != "design" {
			expected = fmt.Sprintf("%5.2f ± %-4.2f", p.Cost, p.CostSD)
		}
		fmt.Printf("  %4d  %-10s %4.0f  %4.1f  %4.1f   %13s  %5.2f  %9.1f\n",
			trial.Number, trial.Reasons.Policy, trial.X[0], trial.X[1], trial.X[2], expected, cost, strength)
	}
	best, ok := opt.Best()
	if !ok {
		return errors.New("the first tile cost more than the whole budget")
	}
	draw(opt.Results())
	fmt.Printf("\nStrongest tile: %.1f MPa, number %d, at %.0f °C for %.1f h, %.1f mm thick; it cost %.2f €.\n",
		best.Value, best.Number, best.X[0], best.X[1], best.X[2], best.Cost)
	return nil
}

// draw shows the best strength against the money spent.
func draw(results []eke.Result) {
	const columns, rows = 64, 12
	reached := make([]float64, columns)
	spent, best, column := 0.0, math.Inf(-1), 0
	lowest, highest := math.Inf(1), math.Inf(-1)
	fill := func(until float64) {
		for ; column < columns && float64(column)*budget/columns < until; column++ {
			reached[column] = best
		}
	}
	for _, r := range results {
		fill(spent + r.Cost)
		spent += r.Cost
		if !r.Beyond {
			best = math.Max(best, r.Value)
			lowest, highest = math.Min(lowest, best), math.Max(highest, best)
		}
	}
	fill(math.Inf(1))
	fmt.Println("\n  best strength (MPa) against money spent")
	for row := rows - 1; row >= 0; row-- {
		level := lowest + (highest-lowest)*float64(row)/(rows-1)
		line := strings.Builder{}
		for _, v := range reached {
			switch {
			case v >= level+(highest-lowest)/(2*(rows-1)):
				line.WriteRune('█')
			case v >= level:
				line.WriteRune('▄')
			default:
				line.WriteRune(' ')
			}
		}
		fmt.Printf("  %6.1f │%s\n", level, line.String())
	}
	fmt.Printf("         └%s\n          0 €%*s\n", strings.Repeat("─", columns), columns-3, fmt.Sprintf("%d €", budget))
}
