// Command library uses eke as a Go library: it spends a budget on a small simulated experiment and draws the
// results.
//
// The experiment is a kiln. Temperature, firing time and thickness decide the strength of a tile. Hot, long firings
// of thick tiles cost many times more than gentle ones. eke knows neither in advance.
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/space"
)

const budget = 60 // euros

var kiln = []space.Param{
	{Name: "heat", Kind: space.KindFloat, Min: 800, Max: 1300}, // °C
	{Name: "time", Kind: space.KindFloat, Min: 1, Max: 24},     // hours
	{Name: "thickness", Kind: space.KindInt, Min: 5, Max: 30},  // millimetres; the mould has a scale of whole millimetres
}

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
	ctx := context.Background()
	opt, err := eke.New(eke.Config{Parameters: kiln, Budget: budget, Unit: "euros", Seed: 7})
	if err != nil {
		return err
	}
	fmt.Printf("Firing tiles until %d € are spent. What a tile costs is only known afterwards.\n\n", budget)
	fmt.Println("  tile  chosen by    °C     h    mm   expected cost   cost   strength")
	for {
		trial, err := opt.Ask(ctx)
		if eke.Over(err) {
			break
		}
		if err != nil {
			return err
		}
		strength, cost := fire(trial.X())
		if err := opt.Tell(ctx, trial.Number, strength, cost); err != nil {
			return err
		}
		expected := "          ?"
		if e := trial.Why.Expected; e != nil && trial.Why.Policy != "design" {
			expected = fmt.Sprintf("%5.2f ± %-4.2f", e.Cost, e.CostSD)
		}
		fmt.Printf("  %4d  %-10s %4.0f  %4.1f  %4d   %13s  %5.2f  %9.1f\n", trial.Number, trial.Why.Policy,
			trial.Float("heat"), trial.Float("time"), trial.Int("thickness"), expected, cost, strength)
	}
	best, err := opt.Best(ctx)
	if err != nil {
		return err
	}
	results, err := opt.Results(ctx)
	if err != nil {
		return err
	}
	draw(results)
	fmt.Printf("\nStrongest tile: %.1f MPa, number %d, at %.0f °C for %.1f h, %d mm thick; it cost %.2f €.\n",
		best.Value, best.Number, best.Float("heat"), best.Float("time"), best.Int("thickness"), best.Cost)
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
