package paper

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func someReplication(number int) Replication {
	return Replication{Problem: "dropwave", Policy: "ei", Preset: "paper", Budget: 40, Number: number, Best: 1, Design: 0.25,
		Values: []float64{0.5, 0.75}, Costs: []float64{1, 2}, Seconds: 0.125}
}

func mustRead(t *testing.T, dir string) []Replication {
	t.Helper()
	list, err := Folder(dir).Read()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A line that is JSON but not a replication is refused.
func TestLineIsChecked(t *testing.T) {
	dir := t.TempDir()
	broken := someReplication(1)
	broken.Costs = broken.Costs[:1]
	for _, r := range []Replication{someReplication(0), broken} {
		if err := Folder(dir).Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Folder(dir).Read(); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
}

// Results come back as they were, in the order of their keys.
func TestResultsAreKept(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{1, 0} {
		if err := Folder(dir).Add(someReplication(n)); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]Replication{someReplication(0), someReplication(1)}, mustRead(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestRounding(t *testing.T) {
	r := someReplication(0)
	r.Values = []float64{1.0 / 3, -1271.23456789012}
	got := r.rounded()
	if d := cmp.Diff([]float64{0.333333333, -1271.23457}, got.Values); d != "" {
		t.Error(d)
	}
	if r.Values[0] != 1.0/3 {
		t.Error("rounding changed the original")
	}
}
