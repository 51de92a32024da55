package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/golden"
	"github.com/eke-bo/eke/lookahead"
)

// maximiseOptions are the flags of maximise.
type maximiseOptions struct {
	index     int
	fantasies []int
	refit     bool
	starts    int
	threads   int
	seed      uint64
	preset    string
	json      bool
}

// maximised is what maximise prints.
type maximised struct {
	State           string    `json:"state"`
	Fantasies       []int     `json:"fantasies"`
	RemainingBudget float64   `json:"remaining_budget"`
	BaseSamples     string    `json:"base_samples"`
	Value           float64   `json:"value"`
	LogValue        float64   `json:"log_value"`
	Root            []float64 `json:"root"`
	Nodes           []float64 `json:"nodes"`
	Evaluations     int       `json:"evaluations"`
	Starts          int       `json:"starts"`
	Searches        int       `json:"searches"`
	Seconds         float64   `json:"seconds"`
}

func maximiseCommand() *cobra.Command {
	var o maximiseOptions
	c := &cobra.Command{
		Use:   "maximise STATES.json",
		Short: "Maximise the tree of a state in the golden format",
		Long: "Maximises the scenario tree of one state, at the state's hyperparameters and remaining budget, with\n" +
			"its base samples if it has any for those fantasies, and prints the value, the root's point, the\n" +
			"evaluations, the starts and the seconds. Starts are those of the tree itself. To find them, smaller problems are\n" +
			"searched too: the one-step function, the posterior mean and the tree's first two levels.",
		Example: "  eke-bench maximise testdata/golden/botorch_states.json --index 0 --fantasies 1,1,1",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := maximise(c, args[0], o)
			if err != nil {
				return err
			}
			return m.print(c.OutOrStdout(), o.json)
		},
	}
	f := c.Flags()
	f.IntVar(&o.index, "index", 0, "which state of the file, counted from 0")
	f.IntSliceVar(&o.fantasies, "fantasies", []int{1, 1, 1}, "fantasy counts, one for each level below the root")
	f.BoolVar(&o.refit, "refit", false, "fit the hyperparameters instead of using those of the state")
	f.IntVar(&o.starts, "starts", 0, "local searches (0: ten times the dimension)")
	f.IntVar(&o.threads, "threads", 0, "threads (0: all cores); the result does not depend on it")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the starts, and of base samples if the state has none")
	f.StringVar(&o.preset, "preset", "default", "how to search: default or paper")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

func maximise(c *cobra.Command, file string, o maximiseOptions) (maximised, error) {
	states, err := golden.ReadStates(file)
	if err != nil {
		return maximised{}, err
	}
	if o.index < 0 || o.index >= len(states) {
		return maximised{}, fmt.Errorf("--index %d: %s has states 0 to %d", o.index, file, len(states)-1)
	}
	if o.starts < 0 {
		return maximised{}, fmt.Errorf("--starts %d: give a number above zero, or 0 for ten times the dimension", o.starts)
	}
	settings, err := o.settings()
	if err != nil {
		return maximised{}, err
	}
	shape, err := lookahead.NewShape(o.fantasies)
	if err != nil {
		return maximised{}, fmt.Errorf("--fantasies: %w", err)
	}
	s := states[o.index]
	m := maximised{State: s.Name, Fantasies: o.fantasies, RemainingBudget: s.BudgetedEI.RemainingBudget, BaseSamples: "sobol"}
	base := lookahead.SobolSamples(o.fantasies, o.seed)
	for _, t := range s.Trees {
		if slices.Equal(t.Fantasies, o.fantasies) {
			base, m.RemainingBudget, m.BaseSamples = golden.Samples(t.BaseSamples), t.RemainingBudget, "state"
		}
	}
	if !(m.RemainingBudget > 0) {
		return maximised{}, fmt.Errorf("%s: the state's remaining budget is %v; it needs budgeted_ei.remaining_budget above zero", s.Name, m.RemainingBudget)
	}
	begin := time.Now()
	// The reference plans with the median cost, and all its steps count the same: the tree has no options.
	tree, err := lookahead.New(o.belief(s, m.RemainingBudget), shape, base, lookahead.Options{})
	if err != nil {
		return maximised{}, err
	}
	sol := lookahead.Maximise(c.Context(), tree, settings)
	if sol.CutShort {
		return maximised{}, fmt.Errorf("interrupted: %w", c.Context().Err())
	}
	m.Seconds = time.Since(begin).Seconds()
	m.Value, m.LogValue, m.Nodes, m.Root = math.Exp(sol.Best.Value), sol.Best.Value, sol.Best.X, sol.Best.X[:len(s.X[0])]
	m.Evaluations, m.Starts, m.Searches = sol.Evaluations, sol.Starts, sol.Searches
	return m, nil
}

func (o maximiseOptions) settings() (lookahead.Settings, error) {
	paper, err := isPaper(o.preset)
	if err != nil {
		return lookahead.Settings{}, err
	}
	threads := o.threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return lookahead.Settings{LogForm: !paper, Grown: !paper, Starts: o.starts, Threads: threads, Seed: o.seed}, nil
}

func (o maximiseOptions) belief(s golden.State, remaining float64) acq.Belief {
	b := s.Belief(remaining)
	if o.refit {
		b.Objective, _ = gp.Fit(s.X, s.Targets(0), len(s.X[0]), gp.Settings{Seed: o.seed})
		b.LnCost, _ = gp.Fit(s.X, s.Targets(1), len(s.X[0]), gp.Settings{Seed: o.seed})
	}
	return b
}

func (m maximised) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(m)
	}
	_, err := fmt.Fprintf(w, "state        %s\nfantasies    %v, base samples: %s\nbudget left  %v\nvalue        %.10g\nroot         %.6g\nevaluations  %d\nstarts       %d of this tree; %d local searches in all, with those of smaller problems and polishing\nseconds      %.4f\n",
		m.State, m.Fantasies, m.BaseSamples, m.RemainingBudget, m.Value, m.Root, m.Evaluations, m.Starts, m.Searches, m.Seconds)
	return err
}
