package problem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dataFolder returns the folder with a file that is not part of the module, or "".
func dataFolder(file string) string {
	for _, folder := range []string{os.Getenv("EKE_DATA"), filepath.Join("..", "..", "..", "shared", "data")} {
		if _, err := os.Stat(filepath.Join(folder, file)); folder != "" && err == nil {
			return folder
		}
	}
	return ""
}

func TestLDAMeetsTheReference(t *testing.T) {
	folder := dataFolder(ldaFile)
	if folder == "" {
		t.Skipf("%s is not part of the module; name the folder that has it by EKE_DATA (%s)", ldaFile, ldaWhere)
	}
	p, err := New("lda", 0, folder)
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		X               [][]float64
		Objective       []float64
		CostHours       []float64 `json:"cost_hours"`
		Hyperparameters struct {
			Objective hyper
			LogCost   hyper `json:"log_cost"`
		}
	}
	readGolden(t, "lda", &want)
	want.Hyperparameters.Objective.check(t, ldaValue)
	want.Hyperparameters.LogCost.check(t, ldaLogCost)
	if len(want.X) == 0 {
		t.Fatal("no figures")
	}
	for i, x := range want.X {
		value, cost := p.Evaluate(x)
		if !near(value, want.Objective[i], 1e-8) || !near(cost, want.CostHours[i], 1e-8) {
			t.Errorf("point %d: value %v cost %v, want %v and %v", i, value, cost, want.Objective[i], want.CostHours[i])
		}
	}
}

// hyper are the hyperparameters of a surrogate in the reference's figures.
type hyper struct {
	Lengthscales             []float64
	Outputscale, Noise, Mean float64
	Shift                    float64 `json:"standardize_mean"`
	Scale                    float64 `json:"standardize_std"`
}

func (h hyper) check(t *testing.T, s ldaSurrogate) {
	t.Helper()
	want := []float64{h.Outputscale, h.Noise, h.Mean, h.Shift, h.Scale}
	got := []float64{s.hyper.Outputscale, s.hyper.Noise, s.hyper.Mean, s.standard.Shift, s.standard.Scale}
	for i, v := range append(want, h.Lengthscales...) {
		if g := append(got, s.hyper.Lengthscales...)[i]; g != v {
			t.Errorf("hyperparameter %d: %v, want %v", i, g, v)
		}
	}
}

func TestLDAWithoutDataSaysWhereToGetIt(t *testing.T) {
	t.Setenv("EKE_DATA", "")
	for _, folder := range []string{"", t.TempDir()} {
		_, err := New("lda", 0, folder)
		if err == nil || !strings.Contains(err.Error(), "HPOlib") || !strings.Contains(err.Error(), ldaFile) {
			t.Errorf("folder %q: %v", folder, err)
		}
	}
}

func TestLDARefusesBrokenFiles(t *testing.T) {
	for name, text := range map[string]string{
		"empty":    "",
		"no runs":  "kappa,tau0,batch_size,perplexity,seconds\n",
		"zero":     "kappa,tau0,batch_size,perplexity,seconds\n1,0,3,4,5\n",
		"short":    "kappa,tau0\n1,2\n",
		"no digit": "kappa,tau0,batch_size,perplexity,seconds\n1,2,3,4,five\n",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, ldaFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New("lda", 0, folder); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
