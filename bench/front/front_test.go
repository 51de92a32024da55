package front

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The hypervolume of a problem is above what a search finds, and not far above it. EKE_OPTIMA=1 searches long, and prints what it finds; LCBench needs EKE_DATA.
func TestHypervolumes(t *testing.T) {
	evaluations := 3000
	if os.Getenv("EKE_OPTIMA") != "" {
		evaluations = 40000
	}
	for _, r := range slices.Concat(Recipes(), Trainings()) {
		if only := os.Getenv("EKE_OPTIMA"); only > "1" && !strings.Contains(only, r.Name) {
			continue
		}
		if strings.HasPrefix(r.Name, "lcbench") && os.Getenv("EKE_DATA") == "" {
			continue
		}
		p, err := r.Make(1)
		if err != nil {
			t.Fatal(err)
		}
		outcomes, err := p.search(evaluations, 7)
		if err != nil {
			t.Fatal(err)
		}
		v := p.volume(outcomes)
		if os.Getenv("EKE_OPTIMA") != "" {
			fmt.Println(r.Name, v, p.Best, len(outcomes))
		} else if v > p.Best*1.002 || v < 0.85*p.Best {
			t.Errorf("%s: a search finds a hypervolume of %v, and it is said to be %v", r.Name, v, p.Best)
		}
	}
}

// A study spends its money and finds a part of the front. So does another program that is asked for settings, and a run that is kept is not played again.
func TestPlay(t *testing.T) {
	const inACorner = `python3 -c '
import json, sys
task, number = json.loads(sys.stdin.readline()), 0
assert task["worst"] == [18, 6] and len(task["design"]) == 6
for line in sys.stdin:
    message = json.loads(line)
    if "ask" in message:
        number += 1
        print(json.dumps({"number": number, "setting": {"x1": 0.05 + number / 1000, "x2": 1}}), flush=True)
    else:
        assert len(message["value"]) == 2 and message["tell"] == number
'`
	r := Recipes()[0]
	short := Recipe{Name: r.Name, Make: func(replication uint64) (Problem, error) {
		p, err := r.Make(replication)
		p.Budget = 6
		return p, err
	}}
	file, policies := filepath.Join(t.TempDir(), "runs"), []string{"auto", External + inACorner}
	for range 2 {
		runs, err := Playing(context.Background(), []Recipe{short}, policies, 1, 1, file)
		if err != nil || len(runs) != 2 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		for _, run := range runs {
			if !(run.Missing < -0.05) || math.IsInf(run.Missing, 0) || run.Trials < 3 {
				t.Errorf("%+v", run)
			}
		}
		var table strings.Builder
		if err := Draw(&table, runs, policies); err != nil || !strings.Contains(table.String(), "behind the first") {
			t.Errorf("%s, %v", table.String(), err)
		}
	}
}
