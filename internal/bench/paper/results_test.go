package paper

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func someReplication(number int) Replication {
	return Replication{Problem: "dropwave", Policy: "ei", Preset: "paper", Budget: 40, Number: number, Best: 1, Design: 0.25,
		Values: []float64{0.5, 0.75}, Costs: []float64{1, 2}, Seconds: 0.125}
}

// addAll writes results as a run does.
func addAll(t *testing.T, dir string, list ...Replication) {
	t.Helper()
	j, err := openJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if err := j.add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, dir string) []Replication {
	t.Helper()
	list, err := ReadResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Wherever in its last line a process dies, the lines before are kept and the next one is whole.
func TestUnfinishedLineIsCutOff(t *testing.T) {
	whole := t.TempDir()
	addAll(t, whole, someReplication(0), someReplication(1))
	content, err := os.ReadFile(filepath.Join(whole, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(content, '\n') + 1
	for _, end := range []int{first + 1, first + 20, len(content) - 1} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, resultsFile), content[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]Replication{someReplication(0)}, mustRead(t, dir)); d != "" {
			t.Errorf("cut at %d: %s", end, d)
		}
		addAll(t, dir, someReplication(2))
		if d := cmp.Diff([]Replication{someReplication(0), someReplication(2)}, mustRead(t, dir)); d != "" {
			t.Errorf("cut at %d, then added to: %s", end, d)
		}
	}
}

func TestBrokenLineIsNamed(t *testing.T) {
	dir := t.TempDir()
	addAll(t, dir, someReplication(0))
	file, err := os.OpenFile(filepath.Join(dir, resultsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString("{\"problem\":\n")
	file.Close()
	if _, err := ReadResults(dir); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
}

// Of two lines with one key the first counts, and results come in the order of their keys.
func TestDuplicates(t *testing.T) {
	dir := t.TempDir()
	second := someReplication(1)
	second.Values = []float64{9, 9}
	addAll(t, dir, someReplication(1), someReplication(0), second)
	if d := cmp.Diff([]Replication{someReplication(0), someReplication(1)}, mustRead(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	j, err := openJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(dir); err == nil {
		t.Error("a second one could open the results")
	}
	if err := WriteCompact(dir); err == nil {
		t.Error("packed during a run")
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	addAll(t, dir)
}

// Packing loses nothing, gives equal files for equal results, and can be added to.
func TestPack(t *testing.T) {
	var files [][]byte
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}} {
		dir := t.TempDir()
		for _, n := range order {
			addAll(t, dir, someReplication(n))
			if err := WriteCompact(dir); err != nil { // also onto an earlier one
				t.Fatal(err)
			}
		}
		if d := cmp.Diff([]Replication{someReplication(0), someReplication(1), someReplication(2)}, mustRead(t, dir)); d != "" {
			t.Error(d)
		}
		content, err := os.ReadFile(filepath.Join(dir, packedFile))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content)
		addAll(t, dir, someReplication(3))
		if n := len(mustRead(t, dir)); n != 4 {
			t.Errorf("%d results, want 4", n)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("packed files of equal results differ")
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
