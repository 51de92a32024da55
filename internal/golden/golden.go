// Package golden reads figures computed by the reference implementation: states of a study with
// models, acquisition functions and trees evaluated on them.
//
// The tests read every botorch_states*.json and optima*.jsonl in the folder named by
// EKE_GOLDEN, or in testdata/golden: to add states, add files.
package golden

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/lookahead"
)

// State is a study frozen at one moment. Output 0 is the objective, output 1 ln cost.
type State struct {
	Name            string
	Problem         string
	X               [][]float64
	Y, Z            []float64
	Hyperparameters [2]Hyper
	LogLikelihood   [2]float64 `json:"log_marginal_likelihood"`
	LogPrior        [2]float64 `json:"log_prior"`

	TestPoints        [][]float64  `json:"test_points"`
	PosteriorMean     [][2]float64 `json:"posterior_mean"`
	PosteriorVariance [][2]float64 `json:"posterior_variance"`
	EI                Curve
	EIPUC             Curve `json:"ei_puc"`
	EIPUCCC           Curve `json:"ei_puc_cc"`
	BudgetedEI        Curve `json:"budgeted_ei"`
	Trees             []Tree
}

// Hyper are the hyperparameters of one output.
type Hyper struct {
	Lengthscales             []float64
	Outputscale, Noise, Mean float64
	StandardizeMean          float64 `json:"standardize_mean"`
	StandardizeStd           float64 `json:"standardize_std"`
}

// Curve is an acquisition function at the test points.
type Curve struct {
	Nu, RemainingBudget float64
	Value               []float64
	Grad                [][]float64
}

// UnmarshalJSON reads the snake-cased budget.
func (c *Curve) UnmarshalJSON(raw []byte) error {
	var v struct {
		Nu              float64
		RemainingBudget float64 `json:"remaining_budget"`
		Value           []float64
		Grad            [][]float64
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	*c = Curve(v)
	return nil
}

// Tree is a scenario tree evaluated at three sets of nodes.
type Tree struct {
	Fantasies       []int
	RemainingBudget float64        `json:"remaining_budget"`
	BaseSamples     [][][2]float64 `json:"base_samples"`
	Nodes           [][][]float64
	Value           []float64
	Grad            [][][]float64
}

// Optimum is the best value the reference's maximiser found for a tree.
type Optimum struct {
	File            string
	SourceIndex     int `json:"source_index"`
	Fantasies       []int
	RemainingBudget float64        `json:"remaining_budget"`
	BaseSamples     [][][2]float64 `json:"base_samples"`
	BestValue       float64        `json:"best_value"`
	BestNodes       [][]float64    `json:"best_nodes"`
	AllValues       []float64      `json:"all_values"`
	Seconds         float64
}

// Dir returns the folder of golden files: EKE_GOLDEN, or the given default.
func Dir(fallback string) string {
	if dir := os.Getenv("EKE_GOLDEN"); dir != "" {
		return dir
	}
	return fallback
}

// ReadStates reads a file of states.
func ReadStates(file string) ([]State, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var states []State
	if err := json.Unmarshal(raw, &states); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range states {
		states[i].Name = fmt.Sprintf("%s#%d-%s", strings.TrimSuffix(filepath.Base(file), ".json"), i, states[i].Problem)
		if err := states[i].check(); err != nil {
			return nil, fmt.Errorf("%s: state %d: %w", file, i, err)
		}
	}
	return states, nil
}

// check refuses what the models could not be built from.
func (s *State) check() error {
	n := len(s.X)
	if n == 0 || len(s.Y) != n || len(s.Z) != n {
		return fmt.Errorf("%d points, %d values and %d costs; all three must be equal and at least 1", n, len(s.Y), len(s.Z))
	}
	for i, x := range s.X {
		if len(x) != len(s.X[0]) || len(x) == 0 {
			return fmt.Errorf("point X[%d] has %d coordinates, X[0] has %d", i, len(x), len(s.X[0]))
		}
		if !(s.Z[i] > 0) {
			return fmt.Errorf("z[%d] = %v, costs must be above zero", i, s.Z[i])
		}
	}
	for i, h := range s.Hyperparameters {
		if len(h.Lengthscales) != len(s.X[0]) {
			return fmt.Errorf("hyperparameters[%d] has %d lengthscales for %d inputs", i, len(h.Lengthscales), len(s.X[0]))
		}
		for _, v := range append([]float64{h.Outputscale, h.Noise, h.StandardizeStd}, h.Lengthscales...) {
			if !(v > 1e-15 && v < 1e15) {
				return fmt.Errorf("hyperparameters[%d]: %v where a number between 1e-15 and 1e15 belongs", i, v)
			}
		}
	}
	return nil
}

// AllStates reads every botorch_states*.json in dir.
func AllStates(dir string) ([]State, error) {
	files, err := filepath.Glob(filepath.Join(dir, "botorch_states*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no botorch_states*.json in %s", dir)
	}
	sort.Strings(files)
	var all []State
	for _, f := range files {
		states, err := ReadStates(f)
		if err != nil {
			return nil, err
		}
		all = append(all, states...)
	}
	return all, nil
}

// AllOptima reads every optimaSUFFIX.jsonl in dir, each optimum with the state it belongs
// to, from botorch_statesSUFFIX.json.
func AllOptima(dir string) (optima []Optimum, states []State, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "optima*.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	sort.Strings(files)
	for _, f := range files {
		suffix := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "optima"), ".jsonl")
		of, err := ReadStates(filepath.Join(dir, "botorch_states"+suffix+".json"))
		if err != nil {
			return nil, nil, err
		}
		list, err := readOptima(f, len(of))
		if err != nil {
			return nil, nil, err
		}
		for _, o := range list {
			optima, states = append(optima, o), append(states, of[o.SourceIndex])
		}
	}
	return optima, states, nil
}

func readOptima(file string, states int) ([]Optimum, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []Optimum
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		o := Optimum{File: filepath.Base(file)}
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if o.SourceIndex < 0 || o.SourceIndex >= states {
			return nil, fmt.Errorf("%s:%d: source_index %d, but there are %d states", file, n, o.SourceIndex, states)
		}
		list = append(list, o)
	}
	return list, lines.Err()
}

// Model returns the state's model of output 0 (objective) or 1 (ln cost), at the
// reference's hyperparameters.
func (s State) Model(output int) *gp.Model {
	h := s.Hyperparameters[output]
	return gp.New(s.X, s.Targets(output), gp.Standard{Shift: h.StandardizeMean, Scale: h.StandardizeStd},
		gp.Hyper{Lengthscales: h.Lengthscales, Outputscale: h.Outputscale, Noise: h.Noise, Mean: h.Mean})
}

// Targets returns the values of output 0, or the logs of the costs.
func (s State) Targets(output int) []float64 {
	if output == 0 {
		return s.Y
	}
	return lnAll(s.Z)
}

// Belief returns what the reference believed in the state, with the floors of its
// budgeted functions.
func (s State) Belief(remaining float64) acq.Belief {
	best := s.Y[0]
	for _, y := range s.Y {
		best = max(best, y)
	}
	return acq.Belief{Objective: s.Model(0), LnCost: s.Model(1), Best: best, Remaining: remaining, MinSD: [2]float64{1e-6, 1e-6}}
}

// Samples converts base samples.
func Samples(raw [][][2]float64) lookahead.Samples {
	base := make(lookahead.Samples, len(raw))
	for i, level := range raw {
		for _, e := range level {
			base[i] = append(base[i], lookahead.Sample{Value: e[0], LnCost: e[1]})
		}
	}
	return base
}

func lnAll(z []float64) []float64 {
	out := make([]float64, len(z))
	for i, v := range z {
		out[i] = math.Log(v)
	}
	return out
}

// Scale returns the standard deviation of output 0 (objective) or 1 (ln cost): what "tiny" is measured
// against.
func (s State) Scale(output int) float64 { return s.Hyperparameters[output].StandardizeStd }

// Near reports whether got agrees with want to the relative tolerance, or, where
// values are tiny, to 1e-9 of scale.
func Near(got, want, relative, scale float64) bool {
	diff := math.Abs(got - want)
	return diff <= relative*math.Abs(want) || diff <= 1e-9*scale
}

// NearVector is Near for gradients: a component may be off by the relative tolerance of
// the whole vector's length, as a gradient is a direction before it is numbers.
func NearVector(got, want []float64, relative, scale float64) bool {
	length := 0.0
	for _, v := range want {
		length = math.Hypot(length, v)
	}
	for i := range want {
		if diff := math.Abs(got[i] - want[i]); !(diff <= relative*length || diff <= 1e-9*scale) {
			return false
		}
	}
	return len(got) == len(want)
}
