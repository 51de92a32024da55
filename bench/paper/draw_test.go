package paper

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
)

// madeUp returns plausible results: regret that falls as money is spent, at a different pace for each
// contender.
func madeUp(name string, budget float64, contenders []Contender, replications int) []Replication {
	var list []Replication
	for j, c := range contenders {
		for i := range replications {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			pace := 2.2 + 0.5*float64(j) + 0.6*rng.NormFloat64()
			r := Replication{Problem: name, Policy: c.Policy, Preset: c.Preset, Budget: budget, Number: i,
				Best: 1, Design: 0.5, Seconds: 0.001 * math.Pow(3, float64(j))}
			for spent := 0.0; spent < budget; {
				cost := budget / 40 * math.Exp(0.6*rng.NormFloat64())
				spent += cost
				r.Costs = append(r.Costs, cost)
				r.Values = append(r.Values, 1-math.Exp(-pace*math.Sqrt(spent/budget)*(0.6+rng.Float64())))
			}
			list = append(list, r)
		}
	}
	return list
}

// drawn draws results, without the pictures that do not depend on them.
func drawn(t *testing.T, results []Replication) (dir, said string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{theorem1File, costsFile, oneDimensionFile} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := Draw(dir, results, &out); err != nil {
		t.Fatal(err)
	}
	return dir, out.String()
}

func decodePNG(t *testing.T, name string) image.Image {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > 300_000 {
		t.Errorf("%s has %d bytes", name, len(content))
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return picture
}

// shows reports whether a picture has the colour.
func shows(picture image.Image, wanted color.RGBA) bool {
	box := picture.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if color.RGBAModel.Convert(picture.At(x, y)) == wanted {
				return true
			}
		}
	}
	return false
}

func TestDraw(t *testing.T) {
	results := madeUp("dropwave", 40, Contenders(), 5)
	for _, name := range []string{"robot", "boston"} {
		p, err := problem.New(name, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, madeUp(name, p.Budget, Contenders()[:3], 3)...)
	}
	results = append(results, madeUp("dropwave", 20, Contenders(), 5)...)
	dir, said := drawn(t, results)
	for _, c := range []struct {
		name     string
		contains []look
	}{
		{"regret.png", fourStep()}, {"regret-n2.png", looks}, {"regret-dropwave.png", fourStep()}, {"half.png", fourStep()},
		{"regret-robot.png", looks[:3]},
	} {
		picture := decodePNG(t, filepath.Join(dir, c.name))
		if size := picture.Bounds().Size(); size.X < 1100 || size.X > 1800 {
			t.Errorf("%s is %v", c.name, size)
		}
		for _, l := range c.contains {
			if !shows(picture, l.color) {
				t.Errorf("%s does not show %s", c.name, l.label)
			}
		}
	}
	if shows(decodePNG(t, filepath.Join(dir, "regret-robot.png")), lookOf(ours).color) {
		t.Error("eke is drawn where it did not run")
	}
	for _, want := range []string{"Dropwave", "RF-Boston", "eke", "half the budget", "regret.svg", "results.md"} {
		if !strings.Contains(said, want) {
			t.Errorf("the terminal is not told of %q:\n%s", want, said)
		}
	}
	slices.Reverse(results)
	again, _ := drawn(t, results)
	for _, name := range []string{"regret.png", "regret.svg", "results.md"} {
		if a, b := read(t, dir, name), read(t, again, name); !bytes.Equal(a, b) {
			t.Errorf("%s differs when drawn again", name)
		}
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestDrawOfNextToNothing(t *testing.T) {
	for n := range 3 {
		dir, said := drawn(t, madeUp("dropwave", 40, []Contender{{"ei", "paper"}, ours}, n))
		if n == 0 {
			if !strings.Contains(said, "no results") {
				t.Errorf("of nothing it says %q", said)
			}
			continue
		}
		if picture := decodePNG(t, filepath.Join(dir, "regret.png")); !shows(picture, lookOf(ours).color) {
			t.Errorf("%d replications: no curve", n)
		}
		if _, err := os.Stat(filepath.Join(dir, "regret-n2.png")); err == nil {
			t.Error("nobody looked two steps ahead, and it is drawn")
		}
		if table := string(read(t, dir, "results.md")); strings.Contains(table, "NaN") || !strings.Contains(table, "| Dropwave | EI |") {
			t.Errorf("%d replications:\n%s", n, table)
		}
	}
}

func TestTablesSayWhoIsBest(t *testing.T) {
	run := func(policy, preset string, number int, regret float64) Replication {
		return Replication{Problem: "dropwave", Policy: policy, Preset: preset, Budget: 40, Number: number, Best: 1, Design: 1 - regret, Seconds: 0.5}
	}
	dir, said := drawn(t, []Replication{
		run("ei", "paper", 0, 0.1), run("ei", "paper", 1, 0.01), run("4-bmsei-p", "default", 0, 0.001), run("4-bmsei-p", "default", 1, 0.01),
	})
	table := string(read(t, dir, "results.md"))
	for _, want := range []string{
		"| EI | −1.50 ± 6.35 (2) |", "| eke | **−2.50 ± 6.35** (2) |", // t = 12.706, s/√2 = 0.5
		"| Dropwave | EI | 2 | −1.00 ± 12.71 | 1 | 1 | 0 | 1.00 | 1.00 | 0.50 | 0.50 |",
		"| EI | 0.50 (4.1) |", "| eke | 0.50 (42.6) |",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is not in\n%s", want, table)
		}
	}
	if !strings.Contains(said, "−2.50*") {
		t.Errorf("no star in\n%s", said)
	}
}

func TestCosts(t *testing.T) {
	p, err := problem.New("dropwave", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	costs := uniformCosts(p, 500)
	if !slices.Equal(costs, uniformCosts(p, 500)) {
		t.Error("other points every time")
	}
	panel, err := costPanel("Dropwave", "money", costs)
	if err != nil {
		t.Fatal(err)
	}
	if panel.X.Max != slices.Max(costs) || !(panel.Y.Max > 0 && panel.Y.Max < 1) {
		t.Errorf("costs to %v, shares to %v", panel.X.Max, panel.Y.Max)
	}
}
