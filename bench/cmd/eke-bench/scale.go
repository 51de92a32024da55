package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/lookahead"
	"github.com/eke-bo/eke/policy"
)

// scaleRow is the cost of one thing at one size.
type scaleRow struct {
	What      string  `json:"what"`
	Size      int     `json:"size"`
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor_seconds,omitempty"` // of all processors; unlike Seconds, it hardly depends on what else runs. 0: not known
	Memory    float64 `json:"memory_mb,omitempty"`         // the most that was in use at once, in megabytes; 0: not measured
}

// clock measures both kinds of seconds.
type clock struct {
	begin time.Time
	used  time.Duration
}

func newClock() clock { return clock{time.Now(), processorTime()} }

func (c clock) row() scaleRow {
	return scaleRow{Seconds: time.Since(c.begin).Seconds(), Processor: (processorTime() - c.used).Seconds()}
}

// scaleSeries is a thing whose cost grows with a size.
type scaleSeries struct {
	what    string
	sizes   []int
	measure func(ctx context.Context, size int) (scaleRow, error)
}

func scaleCommand() *cobra.Command {
	var asJSON bool
	var most int
	c := &cobra.Command{
		Use:   "scale",
		Short: "How cost grows with observations, dimension, depth and tree size, with fitted exponents",
		Long: "Measures how the seconds grow: with the number n of observations (to 5,000), the dimension d (to 60), the depth of a path (to 8)\n" +
			"and the number of nodes of a tree, and fits seconds ∝ sizeᵏ to the upper half of each series by least squares in logarithms.\n" +
			"Beside the seconds are those of a processor, which the exponents are fitted to: they count on a machine with other work.\n" +
			"For suggestions of the default it also shows the most memory in use at once, and beside them those of eke's first version.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return scale(c.Context(), c.OutOrStdout(), most, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON lines")
	c.Flags().IntVar(&most, "most", 5000, "largest size of any kind that is measured")
	return c
}

func scale(ctx context.Context, w io.Writer, most int, asJSON bool) error {
	many := []int{20, 50, 100, 400, 1000, 2000, 5000}
	series := []scaleSeries{
		{"default suggestion against n (d = 6), hyperparameters searched", many, func(ctx context.Context, n int) (scaleRow, error) { return suggested(ctx, n, 6, false) }},
		{"default suggestion against n (d = 6), hyperparameters kept", many, func(ctx context.Context, n int) (scaleRow, error) { return suggested(ctx, n, 6, true) }},
		{"default suggestion against d (n = 150)", []int{2, 6, 12, 20, 40, 60}, func(ctx context.Context, d int) (scaleRow, error) { return suggested(ctx, 150, d, false) }},
		{"fit of one output against n (d = 3)", []int{10, 20, 50, 100, 200, 500, 1000}, func(_ context.Context, n int) (scaleRow, error) {
			x, y, _ := samplePoints(n, 3)
			return timed(func() { gp.Fit(x, y, 3, gp.Settings{}) }), nil
		}},
		{"one gradient of a (1,1,1) tree against n (d = 3)", []int{10, 20, 50, 100, 200, 500, 1000}, treeGradient(0, 1, 1, 1)},
		{"one gradient of a (4,4,2) tree against n (d = 3)", []int{10, 20, 50, 100, 200, 500, 1000}, treeGradient(0, 4, 4, 2)},
		{"4-bmsei-p suggestion against n (d = 3)", []int{10, 20, 50, 100, 200, 500, 1000}, func(ctx context.Context, n int) (scaleRow, error) {
			return timeOf(ctx, "4-bmsei-p", policy.Settings{Design: -1}, n, 3)
		}},
		{"4-bmsei-p suggestion against d (n = 50)", []int{1, 2, 4, 8, 12, 20}, func(ctx context.Context, d int) (scaleRow, error) {
			return timeOf(ctx, "4-bmsei-p", policy.Settings{Design: -1}, 50, d)
		}},
		{"one gradient of a path against depth N (n = 50, d = 3)", []int{2, 3, 4, 5, 6, 7, 8}, func(_ context.Context, depth int) (scaleRow, error) {
			return treeGradient(50, slices.Repeat([]int{1}, depth-1)...)(nil, 0)
		}},
		{"one gradient of a tree against nodes (n = 50, d = 3)", []int{5, 13, 21, 53, 85, 149, 341}, func(_ context.Context, nodes int) (scaleRow, error) {
			return treeGradient(50, treeOfSize[nodes]...)(nil, 0)
		}},
	}
	for _, s := range series {
		if err := s.run(ctx, w, most, asJSON); err != nil {
			return err
		}
	}
	return nil
}

// treeOfSize lists trees by their number of nodes.
var treeOfSize = map[int][]int{5: {4}, 13: {4, 2}, 21: {4, 4}, 53: {4, 4, 2}, 85: {4, 4, 4}, 149: {4, 4, 4, 1}, 341: {4, 4, 4, 4}}

func (s scaleSeries) run(ctx context.Context, w io.Writer, most int, asJSON bool) error {
	var rows []scaleRow
	if !asJSON {
		fmt.Fprintf(w, "%s\n", s.what)
	}
	for _, size := range s.sizes {
		if size > most {
			continue
		}
		row, err := s.measure(ctx, size)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		row.What, row.Size = s.what, size
		rows = append(rows, row)
		if asJSON {
			if err := json.NewEncoder(w).Encode(row); err != nil {
				return err
			}
		} else {
			fmt.Fprintf(w, "  %6d  %12.6f s  %12.6f s of a processor%s\n", size, row.Seconds, row.Processor, inUse(row.Memory))
		}
	}
	if !asJSON && len(rows) > 2 {
		fmt.Fprintf(w, "  exponent %.2f\n\n", exponent(rows[len(rows)/2:]))
	}
	return nil
}

// exponent fits k of seconds ∝ sizeᵏ.
func exponent(rows []scaleRow) float64 {
	n, sx, sy, sxx, sxy := float64(len(rows)), 0.0, 0.0, 0.0, 0.0
	for _, r := range rows {
		seconds := r.Processor
		if seconds == 0 {
			seconds = r.Seconds
		}
		x, y := math.Log(float64(r.Size)), math.Log(seconds)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// timed returns the shortest time of several runs, as many as fit in a tenth of a second, and what they take of a processor on average.
func timed(f func()) scaleRow {
	all, least := newClock(), math.Inf(1)
	for runs := 1; ; runs++ {
		one := newClock()
		f()
		least = math.Min(least, one.row().Seconds)
		if so := all.row(); so.Seconds >= 0.1 || runs == 1000 {
			return scaleRow{Seconds: least, Processor: so.Processor / float64(runs)}
		}
	}
}

// samplePoints is a smooth made-up study in any dimension.
func samplePoints(n, dim int) (x [][]float64, y, lnCost []float64) {
	x = sobol.Points(n, dim, 1)
	for _, p := range x {
		v, c := 0.0, 0.0
		for j, u := range p {
			v += math.Sin(float64(3+j%4)*u) / float64(dim)
			c += math.Cos(float64(2+j%3)*u) / float64(dim)
		}
		y, lnCost = append(y, v), append(lnCost, 2*c)
	}
	return x, y, lnCost
}

// treeGradient times one gradient of a tree in three dimensions. n = 0 means that the size is the number of observations.
func treeGradient(n int, fantasies ...int) func(context.Context, int) (scaleRow, error) {
	const dim = 3
	return func(_ context.Context, size int) (scaleRow, error) {
		count := n
		if count == 0 {
			count = size
		}
		x, y, lnCost := samplePoints(count, dim)
		h := gp.Hyper{Lengthscales: slices.Repeat([]float64{0.4}, dim), Outputscale: 2, Noise: 5e-4}
		b := acq.Belief{Objective: gp.New(x, y, gp.Standardise(y), h), LnCost: gp.New(x, lnCost, gp.Standardise(lnCost), h), Best: slices.Max(y), Remaining: 30}
		shape, err := lookahead.NewShape(fantasies)
		if err != nil {
			return scaleRow{}, err
		}
		tree, err := lookahead.New(b, shape, lookahead.SobolSamples(fantasies, 1), lookahead.Options{})
		if err != nil {
			return scaleRow{}, err
		}
		rng := rand.New(rand.NewPCG(1, 1))
		nodes := make([]float64, tree.Dim())
		for i := range nodes {
			nodes[i] = rng.Float64()
		}
		walk, grad := tree.NewWalk(), make([]float64, len(nodes))
		return timed(func() { walk.LogValue(grad, nodes) }), nil
	}
}

// timeOf times a suggestion by a policy for a made-up study.
func timeOf(ctx context.Context, name string, set policy.Settings, n, dim int) (scaleRow, error) {
	s := sampleState(n, dim)
	c := newClock()
	_, err := timeSuggestion(ctx, name, set, s, 1)
	return c.row(), err
}

func sampleState(n, dim int) policy.State {
	x, y, lnCost := samplePoints(n, dim)
	return policy.State{Dim: dim, X: x, Y: y, LnCost: lnCost, Initial: 40, Remaining: 20, Seed: 1, Trial: n}
}

// suggested times a suggestion of the default, and measures its memory: with hyperparameters that were kept from the suggestion before,
// or searched anew.
func suggested(ctx context.Context, n, dim int, kept bool) (scaleRow, error) {
	p, err := policy.New(advisor.DefaultPolicy, policy.Settings{Design: -1})
	if err != nil {
		return scaleRow{}, err
	}
	s := sampleState(n, dim)
	if kept {
		before, err := p.Suggest(ctx, s)
		if err != nil {
			return scaleRow{}, err
		}
		s.Previous = before.Plan
	}
	runtime.GC()
	stop := watchMemory()
	c := newClock()
	_, err = p.Suggest(ctx, s)
	row := c.row()
	row.Memory = stop()
	return row, err
}

// watchMemory returns a function that returns the most memory in use since, in megabytes.
func watchMemory() (stop func() float64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		largest := uint64(0)
		for {
			metrics.Read(sample)
			largest = max(largest, sample[0].Value.Uint64())
			select {
			case <-done:
				most <- largest
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(done)
		return float64(<-most) / 1e6
	}
}

// inUse shows an amount of memory.
func inUse(megabytes float64) string {
	if megabytes == 0 {
		return ""
	}
	return fmt.Sprintf("  %8.1f MB", megabytes)
}
