package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/internal/simd"
	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/policy"
)

// paperSeconds are the paper's seconds per suggestion, in the order of speedPolicies.
var paperSeconds = map[string][]float64{
	"dropwave": {4.1, 5.5, 6.2, 24.1, 26.7, 42.6, 87.2},
	"alpine1":  {7.2, 9.9, 10.8, 36.4, 44.1, 106.1, 236.7},
	"ackley":   {6.4, 7.3, 5.7, 16.6, 26.0, 95.8, 103.5},
	"shekel5":  {4.5, 5.5, 5.6, 18.3, 12.8, 105.8, 165.5},
	"lda":      {5.4, 5.9, 5.5, 20.7, 29.6, 141.9, 202.1},
	"cnn":      {11.7, 26.9, 19.3, 79.3, 95.0, 286.1, 443.2},
	"robot":    {5.9, 4.0, 4.7, 32.2, 34.3, 108.2, 193.7},
	"boston":   {1.8, 1.6, 1.5, 15.7, 19.7, 65.1, 90.5},
}

var speedPolicies = []string{"ei", "ei-puc", "ei-puc-cc", "2-bmsei-p", "2-bmsei", "4-bmsei-p", "4-bmsei"}

// referenceSeconds are the reference's seconds per suggestion at the start of a run, measured on an
// idle 2-core machine (the 4-bmsei figures on a busy one).
var referenceSeconds = map[string]map[string]float64{
	"dropwave": {"ei": 1.23, "ei-puc": 1.26, "ei-puc-cc": 1.33, "4-bmsei-p": 105, "4-bmsei": 279},
	"ackley":   {"4-bmsei-p": 177, "4-bmsei": 390},
}

type speedOptions struct {
	problems, policies []string
	sizes              []int
	preset, data       string
	repeat             int
	json               bool
}

// speedRow is one measurement: the median over the repeats.
type speedRow struct {
	Problem     string  `json:"problem"`
	Policy      string  `json:"policy"`
	N           int     `json:"n"`
	Threads     int     `json:"threads"`
	Seconds     float64 `json:"seconds"`
	Evaluations int     `json:"evaluations"`
	LnValue     float64 `json:"ln_acquisition"`
	Paper       float64 `json:"paper_seconds,omitempty"`
	Reference   float64 `json:"reference_seconds,omitempty"` // at the start of a run only
}

func speedCommand() *cobra.Command {
	var o speedOptions
	c := &cobra.Command{
		Use:   "speed",
		Short: "Seconds, evaluations and acquisition value per suggestion, next to the paper's table",
		Long: "Times one whole suggestion, including both fits and the fantasy budget, at the paper's search effort (200d raw points,\n" +
			"10d starts, up to 200 iterations), on one core and on all. Observations are scrambled Sobol points of the problem. A run\n" +
			"starts with 2(d+1) of them, where the reference was measured too. Half of the budget is always left.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return speed(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.problems, "problems", problem.Names(), "problems; lda needs its data set, see --data")
	f.StringSliceVar(&o.policies, "policies", speedPolicies, "policies")
	f.IntSliceVar(&o.sizes, "n", []int{0, 10, 20, 50, 100}, "numbers of observations; 0: 2(d+1), the start of a run")
	f.StringVar(&o.preset, "preset", "default", "how to search: default or paper")
	f.StringVar(&o.data, "data", "", "folder of data sets that are not part of the module (or EKE_DATA)")
	f.IntVar(&o.repeat, "repeat", 3, "suggestions timed; the median is shown")
	f.BoolVar(&o.json, "json", false, "print JSON lines")
	return c
}

func speed(ctx context.Context, w, errw io.Writer, o speedOptions) error {
	paper, err := isPaper(o.preset)
	if err != nil {
		return err
	}
	if !o.json {
		fmt.Fprintf(w, "%d cores, assembly %v, preset %s. × paper: the paper's seconds divided by ours. × reference: the same for the\nreference implementation at the start of a run, measured on a 2-core machine.\n\n", runtime.NumCPU(), simd.Enabled(), o.preset)
		fmt.Fprintf(w, "%-9s %4s  %-10s %7s %9s %8s %11s %9s %11s\n", "problem", "n", "policy", "threads", "seconds", "evals", "ln value", "× paper", "× reference")
	}
	for _, name := range o.problems {
		p, err := problem.New(name, 0, o.data)
		if err != nil && slices.Contains(problem.Names(), name) {
			fmt.Fprintf(errw, "eke-bench: left out: %v\n", err)
			continue
		}
		if err != nil {
			return err
		}
		for _, n := range o.sizes {
			if n <= 0 {
				n = 2 * (p.Dim + 1)
			}
			state := stateOf(p, n)
			for _, pol := range o.policies {
				for _, threads := range slices.Compact([]int{1, runtime.NumCPU()}) {
					settings := policy.Settings{Paper: paper, Threads: threads, Design: -1}
					row, err := timeSuggestion(ctx, pol, settings, state, max(o.repeat, 1))
					if err != nil {
						return err
					}
					row.Problem, row.N, row.Threads = name, n, threads
					row.compare(p.Dim)
					if err := row.print(w, o.json); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func isPaper(preset string) (bool, error) {
	if preset != "default" && preset != "paper" {
		return false, fmt.Errorf("--preset %q: choose default or paper", preset)
	}
	return preset == "paper", nil
}

// stateOf is a study of the problem with n observations and half its budget left.
func stateOf(p *problem.Problem, n int) policy.State {
	s := policy.State{Dim: p.Dim, Initial: p.Budget, Remaining: p.Budget / 2, Seed: 1, Trial: n}
	for _, x := range sobol.Points(n, p.Dim, 1) {
		y, cost := p.Evaluate(x)
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, y), append(s.LnCost, math.Log(cost))
	}
	return s
}

func timeSuggestion(ctx context.Context, name string, settings policy.Settings, s policy.State, repeat int) (speedRow, error) {
	p, err := policy.New(name, settings)
	if err != nil {
		return speedRow{}, err
	}
	row := speedRow{Policy: name}
	var seconds []float64
	for range repeat {
		begin := time.Now()
		got, err := p.Suggest(ctx, s)
		if err != nil {
			return speedRow{}, err
		}
		if got.CutShort {
			return speedRow{}, fmt.Errorf("interrupted: %w", context.Cause(ctx))
		}
		seconds = append(seconds, time.Since(begin).Seconds())
		row.Evaluations, row.LnValue = got.Evaluations, got.Acquisition
	}
	slices.Sort(seconds)
	row.Seconds = seconds[len(seconds)/2]
	return row, nil
}

// compare looks up the times of the paper and of the reference.
func (r *speedRow) compare(dim int) {
	if i := slices.Index(speedPolicies, r.Policy); i >= 0 && paperSeconds[r.Problem] != nil {
		r.Paper = paperSeconds[r.Problem][i]
	}
	if r.N == 2*(dim+1) {
		r.Reference = referenceSeconds[r.Problem][r.Policy]
	}
}

func (r speedRow) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	times := func(other float64) string {
		if other == 0 {
			return ""
		}
		return fmt.Sprintf("%.0f", other/r.Seconds)
	}
	_, err := fmt.Fprintf(w, "%-9s %4d  %-10s %7d %9.4f %8d %11.4f %9s %11s\n",
		r.Problem, r.N, r.Policy, r.Threads, r.Seconds, r.Evaluations, r.LnValue, times(r.Paper), times(r.Reference))
	return err
}
