package front

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/show"
)

// What the documents say of several objectives is what the runs in the repository say.
func TestFiguresOfDocuments(t *testing.T) {
	runs, err := Read("../../docs/results/front/runs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	policies := []string{"auto", External + "rival optuna tpe", External + "rival optuna nsga2", External + "rival optuna gp"}
	var out strings.Builder
	if err := Draw(&out, runs, policies); err != nil {
		t.Fatal(err)
	}
	all, alone := lastLine(out.String(), "behind the first"), lastLine(out.String(), "behind on validation")
	if len(all) != 3 || len(alone) != 3 {
		t.Fatalf("the differences of three rivals are missing:\n%s", out.String())
	}
	tpe, nsga2 := all[0], all[1]
	problems := 0
	for _, r := range Recipes() {
		if slices.ContainsFunc(runs, func(run Run) bool { return run.Problem == r.Name && run.Policy == policies[1] }) {
			problems++
		}
	}
	for page, phrases := range map[string][]string{
		"README.md": {
			fmt.Sprintf("TPE misses about %.0f times as much of the front's hypervolume", tpe.times()),
			fmt.Sprintf("and NSGA-II about %.0f times", nsga2.times()),
		},
		"docs/RESULTS.md": {
			fmt.Sprintf("TPE misses about %.0f times as much of the front's hypervolume", tpe.times()),
			fmt.Sprintf("and NSGA-II about %.0f times", nsga2.times()),
			fmt.Sprintf("behind by %s and %s, over %d problems with %d replications each", tpe.text(), nsga2.text(), problems, tpe.pairs/problems),
		},
		"bench/NOTES.md": {notesRow("behind eke, all (pairs)", all), notesRow("behind eke, validation alone (pairs)", alone)},
	} {
		raw, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, phrase := range phrases {
			if !strings.Contains(string(raw), phrase) {
				t.Errorf("%s does not say %q", page, phrase)
			}
		}
	}
}

// A check of nothing would always pass.
func TestFiguresAreRead(t *testing.T) {
	got := lastLine("behind  x\nbehind the first    +0.89 [0.59, 1.20] (450)   -0.10 [-0.43, 0.78] (7)\n", "behind the first")
	if len(got) != 2 || got[0] != (behind{0.89, 0.59, 1.2, 450}) || got[1] != (behind{-0.1, -0.43, 0.78, 7}) {
		t.Errorf("%+v", got)
	}
	if want := "| behind | | **0.89 [0.59, 1.20]** (450) | −0.10 [−0.43, 0.78] (7) |"; notesRow("behind", got) != want {
		t.Errorf("%s, want %s", notesRow("behind", got), want)
	}
	if fmt.Sprintf("%.0f", got[0].times()) != "8" {
		t.Error(got[0].times())
	}
}

// behind is how far a rival is behind, as Draw writes it.
type behind struct {
	mean, low, high float64
	pairs           int
}

// times is the factor by which the rival's missing fraction is larger.
func (b behind) times() float64 { return math.Pow(10, b.mean) }

func (b behind) text() string {
	return fmt.Sprintf("%s [%s, %s]", show.Fixed(b.mean, 2), show.Fixed(b.low, 2), show.Fixed(b.high, 2))
}

// lastLine reads the differences in the line of a table that begins with a name.
func lastLine(table, name string) (list []behind) {
	for line := range strings.Lines(table) {
		rest, found := strings.CutPrefix(line, name+" ")
		for cell := range strings.SplitSeq(rest, ")") {
			var b behind
			if n, _ := fmt.Sscanf(strings.TrimSpace(cell), "%f [%f, %f] (%d", &b.mean, &b.low, &b.high, &b.pairs); found && n == 4 {
				list = append(list, b)
			}
		}
	}
	return list
}

// notesRow is the row of bench/NOTES.md with these differences. Those that exclude zero are bold.
func notesRow(name string, list []behind) string {
	row := "| " + name + " | |"
	for _, b := range list {
		text := b.text()
		if b.low > 0 || b.high < 0 {
			text = "**" + text + "**"
		}
		row += fmt.Sprintf(" %s (%d) |", text, b.pairs)
	}
	return row
}
