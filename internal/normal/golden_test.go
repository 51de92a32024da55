package normal

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestGoldenTails compares with values computed by mpmath in 60 digits. The
// folder of golden files may be set in EKE_GOLDEN.
func TestGoldenTails(t *testing.T) {
	folder := cmp.Or(os.Getenv("EKE_GOLDEN"), filepath.Join("..", "..", "testdata", "golden"))
	text, err := os.ReadFile(filepath.Join(folder, "normal_tails.json"))
	if errors.Is(err, fs.ErrNotExist) { // a folder of further states need not have it
		text, err = os.ReadFile(filepath.Join("..", "..", "testdata", "golden", "normal_tails.json"))
	}
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Values []struct {
			T        float64 `json:"t"`
			LogCDF   float64 `json:"ln_cdf"`
			LogH     float64 `json:"ln_h"`
			SlopeCDF float64 `json:"dln_cdf"`
			SlopeH   float64 `json:"dln_h"`
		} `json:"values"`
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Values) == 0 {
		t.Fatal("no golden values")
	}
	var logCDF, logH, slopeCDF, slopeH worst
	for _, want := range golden.Values {
		v, d := LogCDF(want.T)
		// ln Φ(20) ≈ −3e-89 is 0 in 60 digits.
		logCDF.see(relativeError(v, bigNum(want.LogCDF), 1e-60), want.T)
		slopeCDF.see(relativeError(d, bigNum(want.SlopeCDF), smallestNormal), want.T)
		v, d = LogH(want.T)
		logH.see(relativeError(v, bigNum(want.LogH), smallestNormal), want.T)
		slopeH.see(relativeError(d, bigNum(want.SlopeH), smallestNormal), want.T)
	}
	logCDF.check(t, "golden ln Φ", 1e-12)
	slopeCDF.check(t, "golden (ln Φ)′", 1e-12)
	logH.check(t, "golden ln h", 1e-12)
	slopeH.check(t, "golden (ln h)′", 1e-12)
}
