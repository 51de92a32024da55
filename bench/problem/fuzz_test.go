package problem

import (
	"math"
	"strings"
	"testing"
)

// Input either makes sense or is refused.

func FuzzLDA(f *testing.F) {
	f.Add("kappa,tau0,batch_size,perplexity,seconds\n1.0,4.0,16.0,2014.255351,36393.19\n")
	f.Add("kappa,tau0,batch_size,perplexity,seconds\n1.0,0,16.0,NaN,-1\n")
	f.Fuzz(func(t *testing.T, text string) {
		runs, err := parseLDA(strings.NewReader(text))
		if err != nil {
			return
		}
		for i := range runs.unit {
			for _, v := range append([]float64{runs.value[i], runs.logHours[i]}, runs.unit[i]...) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("run %d has %v", i, v)
				}
			}
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add("log10_rate,batch,units1,units2,units3,error,multiply_adds,seconds\n-4.5,16,5,16,32,0.87,307572800,0.41\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readTable(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range rows {
			if got := r.fields(); len(got) != len(tableColumns) {
				t.Errorf("%+v has %d fields", r, len(got))
			}
		}
	})
}
