package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
	"github.com/google/go-cmp/cmp"
)

const committed = "../../docs/results"

// The tables in the repository match the results in the repository.
func TestCommittedTablesAreUpToDate(t *testing.T) {
	f := &show.Folder{Dir: t.TempDir()}
	if err := writeTables(f, races(committedResults(t))); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.ReadFile(filepath.Join(f.Dir, "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(committed, "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(kept), string(fresh)); d != "" {
		t.Errorf("docs/results/results.md is old; go run ./bench/cmd/eke-bench paper --draw --out docs/results (-kept +fresh):\n%s", d)
	}
}

// The results support what docs/PAPER.md claims about the default.
func TestClaims(t *testing.T) {
	list := mainRaces(races(committedResults(t)))
	if len(list) != 8 {
		t.Fatalf("%d problems, want 8", len(list))
	}
	leads := 0
	for _, k := range list {
		mine, _ := stats.Interval95(finals(k.runs[ours]))
		lowest := true
		for c, runs := range k.runs {
			least := 40
			if c.isTree() {
				least = 20
			}
			if len(runs) < least {
				t.Errorf("%s: %d replications of %s, want %d", k.problem, len(runs), c, least)
			}
			if theirs, _ := stats.Interval95(finals(runs)); c != ours && theirs <= mine {
				t.Logf("%s: ours %.2f, %s %.2f", k.problem, mine, c, theirs)
				lowest = false
			}
		}
		if lowest {
			leads++
		}
		for _, d := range duels(k) {
			mean, _ := stats.Interval95(d.differences)
			if myopic := d.against.Policy == "ei" || d.against.Policy == "ei-puc-cc"; myopic && mean > 0 && stats.PairedT(d.differences) < 0.05 {
				t.Errorf("%s: ours is significantly worse than %s", k.problem, d.against)
			}
		}
	}
	if leads < 6 {
		t.Errorf("the lowest mean on %d problems of 8, want at least 6", leads)
	}
}

// Planning two steps ahead is ahead of EI and of EI-PUC-CC, beyond the 95 % interval of the pairs, on as many problems as README.md says, and on those that
// docs/PAPER.md names.
func TestFiguresOfTwoSteps(t *testing.T) {
	var names []string
	list := mainRaces(races(committedResults(t)))
	for _, k := range list {
		ahead := true
		for _, myopic := range []string{"ei", "ei-puc-cc"} {
			mean, half := stats.Interval95(newDuel(k.runs[Contender{"2-bmsei-p", "paper"}], k.runs[Contender{myopic, "paper"}], Contender{myopic, "paper"}).differences)
			t.Logf("%s: two steps less %s %.2f ± %.2f", k.problem, myopic, mean, half)
			ahead = ahead && mean+half < 0
		}
		if ahead {
			names = append(names, k.title())
		}
	}
	if want := []string{"Alpine1", "Ackley", "Shekel5", "Robot pushing"}; !slices.Equal(names, want) {
		t.Errorf("two steps are ahead on %q, want %q", names, want)
	}
	words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight"}
	for page, phrase := range map[string]string{
		"README.md":     fmt.Sprintf("beyond chance on %s of the %s problems", words[len(names)], words[len(list)]),
		"docs/PAPER.md": "on Ackley, Shekel5 and Robot pushing; two steps also do so on Alpine1",
	} {
		raw, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), phrase) {
			t.Errorf("%s does not say %q", page, phrase)
		}
	}
}

// On Dropwave, where we ran the reference implementation itself, the intervals of its policies and ours overlap.
func TestDropwaveAgreesWithTheReference(t *testing.T) {
	theirs := map[string][2]float64{"ei": {-0.65, 0.18}, "ei-puc": {-0.89, 0.16}, "ei-puc-cc": {-0.88, 0.17}}
	k := mainRaces(races(committedResults(t)))[0]
	if k.problem != "dropwave" {
		t.Fatalf("the first problem is %s", k.problem)
	}
	for name, reference := range theirs {
		mean, half := stats.Interval95(finals(k.runs[Contender{name, "paper"}]))
		t.Logf("%s: %.2f ± %.2f, the reference %.2f ± %.2f", name, mean, half, reference[0], reference[1])
		if mean-half > reference[0]+reference[1] {
			t.Errorf("%s is worse than the reference", name)
		}
	}
}

func committedResults(t *testing.T) []Replication {
	t.Helper()
	results, err := Folder(committed).Read()
	if err != nil {
		t.Fatal(err)
	}
	return results
}
