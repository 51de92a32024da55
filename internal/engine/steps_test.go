package engine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A job that is started again prints into a new file. Its steps are read from the beginning, however far the old one had been read.
func TestStepsFromTheBeginning(t *testing.T) {
	dir, s := t.TempDir(), Steps{}
	const one, two, three = "{\"step\": 1, \"value\": 5}\n", "{\"step\": 2, \"value\": 4}\n", "{\"step\": 3, \"value\": 3}\n"
	for _, c := range []struct {
		printed string
		want    []float64
	}{
		{one + two + `{"step": 3, "val`, []float64{1, 2}},
		{one, []float64{1}}, // another file
		{one + two + three, []float64{2, 3}},
		{"", nil},
		{two, []float64{2}},
	} {
		if err := os.WriteFile(filepath.Join(dir, StdoutFile), []byte(c.printed), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, step := range s.Read(folder(dir), "loss") {
			got = append(got, step.Step)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: steps %v, want %v", c.printed, got, c.want)
		}
	}
}
