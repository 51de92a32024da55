package advisor_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// The logs of testdata/v0 were written by an earlier version. Each holds the suggestions that version made, every one
// at the place in the log that it was made from. So a log is its own witness: what is suggested from the lines
// before an "asked" must be what that line says, bit for bit.
//
// That holds for the paper's preset, and for random settings, but for what is reserved for them. The default is another one now: from its logs, studies go on.

// log is one of these files: a definition, events, and perhaps why there was no further trial.
type log struct {
	study  *study.Study
	events []study.Event
	end    string
}

// ends says which errors the last lines of the logs stand for.
var ends = map[string]error{
	"not worth": advisor.ErrNotWorth,
	"spent":     advisor.ErrBudgetSpent,
	"exhausted": advisor.ErrExhausted,
}

func TestSuggestionsOfStoredLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes some 300 suggestions")
	}
	if os.Getenv("EKE_NOSIMD") != "" || !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		t.Skip("the logs were written with AVX2; without it suggestions may differ in the last bits, and so in time altogether")
	}
	names, err := filepath.Glob("../testdata/v0/logs/*.jsonl.gz")
	if err != nil || len(names) < 12 {
		t.Fatalf("%d logs, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".jsonl.gz"), func(t *testing.T) {
			t.Parallel()
			replay(t, readLog(t, name))
		})
	}
}

func readLog(t *testing.T, name string) (l log) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(unzipped)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return l
		}
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			study.Event
			End string `json:"end"`
		}
		if l.study == nil {
			l.study = &study.Study{}
			err = json.Unmarshal(line, l.study)
		} else if err = json.Unmarshal(line, &e); e.End != "" {
			l.end = e.End
		} else {
			l.events = append(l.events, e.Event)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// asking returns an advisor of the log's study whose trials are chosen by the given policy. Earlier versions spent all the money; the
// definitions of the logs say nothing of that, and would get today's default.
func (l log) asking(t *testing.T, name string) *advisor.Advisor {
	t.Helper()
	defined := *l.study
	defined.Stop.Never = true
	if name != "design" {
		defined.Policy.Name = name
	} else if defined.Policy.Name == "auto" || defined.Policy.Name == "" {
		defined.Policy.Name = "4-bmsei-p"
	}
	a, err := advisor.New(&defined)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// replay asks before every trial of a log that must be as it was, and before the last trials of any other.
func replay(t *testing.T, l log) {
	r := study.NewRecord(l.study.Budget.Total, l.study.Measured())
	exact, asked, last := l.study.Policy.Preset == study.PresetPaper || l.study.Policy.Name == "random", 0, "design"
	for i, e := range l.events {
		if e.Kind == study.EventAsked && (exact || i > len(l.events)-8) {
			last = policyOf(*e.Asked)
			got, err := l.asking(t, last).Next(context.Background(), r)
			if err != nil {
				t.Fatalf("trial %d: %v", e.Trial, err)
			}
			if asked++; exact {
				same(t, e.Trial, got, *e.Asked, l.study.Policy.Preset == study.PresetPaper)
			}
		}
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if l.end != "" && exact {
		if _, err := l.asking(t, last).Next(context.Background(), r); !errors.Is(err, ends[l.end]) {
			t.Errorf("in the end: %v, not %v", err, ends[l.end])
		}
	}
	if asked == 0 {
		t.Error("nothing was asked")
	}
}

func policyOf(asked study.Asked) string {
	var why struct {
		Policy string `json:"policy"`
	}
	_ = json.Unmarshal(asked.Why, &why) // no policy is none of those that are compared
	return why.Policy
}

// same compares two suggestions, and what is reserved for them if prices says so.
func same(t *testing.T, trial int, got, want study.Asked, prices bool) {
	t.Helper()
	if !reflect.DeepEqual(got.Setting, want.Setting) || !slices.Equal(got.Point, want.Point) || prices && got.Reserved != want.Reserved {
		t.Errorf("trial %d: %v at %v for %v; it was %v at %v for %v", trial,
			got.Setting, got.Point, got.Reserved, want.Setting, want.Point, want.Reserved)
	}
	if policyOf(got) != policyOf(want) || policyOf(want) == "" {
		t.Errorf("trial %d was chosen by %q, not %q", trial, policyOf(got), policyOf(want))
	}
	if len(want.Plan) > 0 && !bytes.Equal(got.Plan, want.Plan) {
		t.Errorf("trial %d: the plan is %s\nit was %s", trial, got.Plan, want.Plan)
	}
}
