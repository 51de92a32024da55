package problem

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/eke-bo/eke/gp"
)

// LDA: online latent Dirichlet allocation on about 250 000 articles of Wikipedia, run on a grid by M. Hoffman, D. Blei, F. Bach, Online
// Learning for Latent Dirichlet Allocation, 2010, and measured by J. Snoek, H. Larochelle, R. Adams, Practical Bayesian
// Optimization, 2012. The parameters are the learning rate's κ from 0.5 to 1 and τ0 from 1 to 1024, and the batch size S from
// 1 to 16384, the last two by their logarithms. Both outputs are Gaussian processes on the grid. The value is the mean of a process
// for −perplexity, and the cost is the mean of exp of a process for ln hours.

const (
	ldaFile  = "lda_on_grid.csv"
	ldaWhere = "the runs are in the repositories of HPOlib (automl/HPOlib) and of the paper's code (RaulAstudillo06/BudgetedBO, as .mat); " +
		"the file's columns are kappa, tau0, batch_size, perplexity, seconds"
)

// ldaSurrogate is one of the two processes.
type ldaSurrogate struct {
	standard gp.Standard
	hyper    gp.Hyper
}

// The hyperparameters that the authors fitted, from the states of their two surrogates
// (lda_objective_model_state and lda_log_cost_model_state in their code). The inputs are in the unit cube.
var (
	ldaValue = ldaSurrogate{
		gp.Standard{Shift: -1819.6274704602076, Scale: 722.5451352527183},
		gp.Hyper{
			Lengthscales: []float64{1.4564584197196833, 2.5269163333502376, 0.6804139634422421},
			Outputscale:  13.891797170692813,
			Noise:        0.0007069396713327463,
			Mean:         -4.148545337969483,
		},
	}
	ldaLogCost = ldaSurrogate{
		gp.Standard{Shift: 1.632425362874053, Scale: 0.45608197696561065},
		gp.Hyper{
			Lengthscales: []float64{0.2513288788649896, 0.2638776436618508, 0.14101242497752833},
			Outputscale:  0.6062370544588227,
			Noise:        0.0010000000410409528,
			Mean:         0.15848884028278987,
		},
	}
)

func lda(_ uint64, data string) (*Problem, error) {
	runs, err := readLDA(data)
	if err != nil {
		return nil, err
	}
	value := gp.New(runs.unit, runs.value, ldaValue.standard, ldaValue.hyper)
	logCost := gp.New(runs.unit, runs.logHours, ldaLogCost.standard, ldaLogCost.hyper)
	return &Problem{
		Dim: 3, Budget: 100,
		Best: ldaBest, BestAt: ldaBestAt, BestSource: ldaBestSource,
		Evaluate: func(unit []float64) (float64, float64) {
			v, _ := value.Posterior(unit)
			mean, variance := logCost.Posterior(unit)
			return v, math.Exp(mean + variance/2)
		},
	}, nil
}

// ldaRuns are the runs of the grid.
type ldaRuns struct {
	unit            [][]float64 // (2κ−1, log2 τ0/10, log2 S/14)
	value, logHours []float64
}

// readLDA reads the grid from a folder; "" is the one named by EKE_DATA.
func readLDA(data string) (*ldaRuns, error) {
	raw, err := readData(data, ldaFile, ldaWhere)
	if err != nil {
		return nil, err
	}
	runs, err := parseLDA(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ldaFile, err)
	}
	return runs, nil
}

// readData reads a file that is not part of the module from a folder of data sets; "" is the one named by EKE_DATA. Where says where to get it.
func readData(folder, file, where string) ([]byte, error) {
	if folder == "" {
		folder = os.Getenv("EKE_DATA")
	}
	if folder == "" {
		return nil, fmt.Errorf("%s is needed, and no folder of data sets is named, neither here nor by EKE_DATA; %s", file, where)
	}
	raw, err := os.ReadFile(filepath.Join(folder, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; %s", err, where)
	}
	return raw, err
}

func parseLDA(in io.Reader) (*ldaRuns, error) {
	records, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 {
		return nil, errors.New("no runs")
	}
	runs := &ldaRuns{}
	for i, record := range records[1:] { // after the names of the columns
		if err := runs.add(record); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+2, err)
		}
	}
	return runs, nil
}

// add adds a row: κ, τ0, S, perplexity, seconds.
func (r *ldaRuns) add(record []string) error {
	if len(record) != 5 {
		return fmt.Errorf("%d fields, want kappa, tau0, batch_size, perplexity, seconds", len(record))
	}
	var v [5]float64
	for i, field := range record {
		var err error
		if v[i], err = strconv.ParseFloat(field, 64); err != nil {
			return err
		}
	}
	unit := []float64{2*v[0] - 1, math.Log2(v[1]) / 10, math.Log2(v[2]) / 14}
	for i, u := range unit {
		if !(u > -1e-9 && u < 1+1e-9) { // NaN, too
			return fmt.Errorf("%s is not on the grid", record[i])
		}
	}
	for i, measured := range v[3:] {
		if !(measured > 0 && measured < math.Inf(1)) {
			return fmt.Errorf("%s was never measured", record[3+i])
		}
	}
	r.unit = append(r.unit, unit)
	r.value = append(r.value, -v[3])
	r.logHours = append(r.logHours, math.Log(v[4]/3600))
	return nil
}
