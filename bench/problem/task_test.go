package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// made has the tasks of a replication by name. Finding f* takes time, so tests share them.
var made = map[uint64]map[string]*Task{}

// tasksOf returns the tasks of some families, a replication of each.
func tasksOf(t *testing.T, replication uint64, families ...string) []*Task {
	t.Helper()
	if made[replication] == nil {
		made[replication] = map[string]*Task{}
	}
	var list []*Task
	for _, info := range Tasks() {
		if !slices.Contains(families, info.Family) {
			continue
		}
		if made[replication][info.Name] == nil {
			made[replication][info.Name] = mustMake(t, info.Name, replication)
		}
		list = append(list, made[replication][info.Name])
	}
	return list
}

func mustMake(t *testing.T, name string, replication uint64) *Task {
	t.Helper()
	task, err := NewTask(name, replication, "")
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func spaceOf(t *testing.T, task *Task) *space.Space {
	t.Helper()
	sp, err := space.New(task.Params)
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

func randomSetting(sp *space.Space, rng *rand.Rand) space.Setting {
	unit := make([]float64, sp.Dim())
	for i := range unit {
		unit[i] = rng.Float64()
	}
	return sp.Decode(unit)
}

// The suite is as wide as it says: families, dimensions, kinds of costs, noise and budgets.
func TestSuiteIsWide(t *testing.T) {
	count, validation := map[string]int{}, map[string]int{}
	functions := map[string]bool{}
	names := map[string]bool{}
	for _, info := range Tasks() {
		if names[info.Name] {
			t.Errorf("%s is there twice", info.Name)
		}
		names[info.Name] = true
		count[info.Family]++
		if info.Validation {
			validation[info.Family]++
		}
		if info.Family == Classic {
			function, _, _ := strings.Cut(info.About, ",")
			functions[function] = true
		}
		if info.About == "" {
			t.Errorf("%s does not say what it is", info.Name)
		}
	}
	t.Log(count, validation)
	if count[Paper] != 8 || validation[Paper] != 0 {
		t.Errorf("%d problems of the paper, %d of them for validation", count[Paper], validation[Paper])
	}
	if len(functions) < 12 {
		t.Errorf("%d classics, want at least twelve", len(functions))
	}
	all, apart := 0, 0
	for _, family := range []string{Gaussian, Classic, Mixed} {
		all, apart = all+count[family], apart+validation[family]
		if share := float64(validation[family]) / float64(count[family]); share < 0.15 || share > 0.5 {
			t.Errorf("%s: %d of %d are for validation, want about a third", family, validation[family], count[family])
		}
	}
	if share := float64(apart) / float64(all); math.Abs(share-1.0/3) > 0.07 {
		t.Errorf("%d of %d are for validation, want about a third", apart, all)
	}
}

// The minima that the literature prints.
func TestClassicMinima(t *testing.T) {
	for _, c := range []struct {
		f    classicFunction
		want float64
	}{
		{branin, 0.39788735772973816}, {camel, -1.0316284534898774}, {goldstein, 3}, {michalewicz2, -1.8013034100985532},
		{bukin, 0}, {beale, 0}, {eggholder, -959.6406627208506}, {schwefel2, -2 * 418.9828872724338},
		{hartmann3, -3.86278214782076}, {hartmann6, -3.32236801141551}, {rastrigin3, 0}, {griewank3, 0}, {rosenbrock4, 0},
		{levy(4), 0}, {levy(6), 0}, {styblinski4, -4 * 39.16616570377142}, {colville, 0}, {powell4, 0}, {zakharov4, 0}, {trid6, -50},
	} {
		got := c.f.value(c.f.best)
		if math.Abs(got-c.want) > 1e-7*(1+math.Abs(c.want)) {
			t.Errorf("%s: %.16g at its minimiser, want %.16g", c.f.name, got, c.want)
		}
		for i, v := range c.f.best {
			if v < c.f.box[i].low || v > c.f.box[i].high {
				t.Errorf("%s: its minimiser is outside its box", c.f.name)
			}
		}
		// No step from there leads down.
		rng := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			x := make([]float64, len(c.f.best))
			for i, v := range c.f.best {
				side := c.f.box[i]
				step := 0.05 * math.Pow(rng.Float64(), 6) * (side.high - side.low) * rng.NormFloat64()
				x[i] = math.Min(math.Max(v+step, side.low), side.high)
			}
			if v := c.f.value(x); v < got-1e-9*(1+math.Abs(got)) {
				t.Errorf("%s: %.12g at %v, below its minimum %.12g", c.f.name, v, x, got)
				break
			}
		}
	}
}

// Nothing is better than the best, values and costs are usable, the average cost is 1, and a median setting has a regret of about 1.
func TestTasksAreSound(t *testing.T) {
	for _, task := range tasksOf(t, 1, Gaussian, Classic, Mixed) {
		sp, rng := spaceOf(t, task), rand.New(rand.NewPCG(5, 6))
		const n = 1500
		sum, below := 0.0, 0
		for range n {
			s := randomSetting(sp, rng)
			value, cost := task.Evaluate(s)
			sum += cost / n
			if !(cost > 0) || math.IsInf(cost, 0) || math.IsNaN(value) || math.IsInf(value, 0) {
				t.Fatalf("%s at %v: value %v, cost %v", task.Name, s, value, cost)
			}
			if task.Goal.Better(value, task.Best) {
				t.Errorf("%s at %v: %v, better than the best, %v", task.Name, s, value, task.Best)
			}
			if task.Regret(value) < 1 {
				below++
			}
		}
		if math.Abs(sum-1) > 0.15 {
			t.Errorf("%s: the average cost is %.3f, want about 1", task.Name, sum)
		}
		if share := float64(below) / n; math.Abs(share-0.5) > 0.06 {
			t.Errorf("%s: %.2f of the settings have a regret below 1, want about a half", task.Name, share)
		}
	}
}

// The same replication gives the same task, down to the noise. Another replication gives another
// task.
func TestTasksAreDeterministic(t *testing.T) {
	other := tasksOf(t, 2, Gaussian, Classic, Mixed)
	for i, task := range tasksOf(t, 1, Gaussian, Classic, Mixed) {
		rng := rand.New(rand.NewPCG(7, hashOf(task.Name)))
		s := randomSetting(spaceOf(t, task), rng)
		again := mustMake(t, task.Name, 1)
		value, cost := task.Try(s, 4)
		sameValue, sameCost := again.Try(s, 4)
		if value != sameValue || cost != sameCost || task.Best != again.Best || task.Scale != again.Scale || task.Seed() != again.Seed() {
			t.Errorf("%s: the same replication differs from itself", task.Name)
		}
		same := true
		for range 5 { // some settings may cost the same
			s := randomSetting(spaceOf(t, task), rng)
			_, cost := task.Try(s, 4)
			_, differs := other[i].Try(s, 4)
			same = same && differs == cost
		}
		if same {
			t.Errorf("%s: two replications have the same costs", task.Name)
		}
		if task.Noise > 0 {
			if next, _ := task.Try(s, 5); next == value {
				t.Errorf("%s: two trials have the same noise", task.Name)
			}
		} else if clean, _ := task.Evaluate(s); clean != value {
			t.Errorf("%s has no noise, yet a trial differs from the function", task.Name)
		}
	}
}

// A longer search finds nothing better than f*, up to the digits that matter.
func TestSearchedBestHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for seconds")
	}
	hard := []string{"gp1-independent", "gp2-independent", "gp4-tiny", "gp8-independent"} // one search of a sample is like another
	for _, task := range tasksOf(t, 2, Gaussian, Mixed) {
		if task.Family == Gaussian && !slices.Contains(hard, task.Name) {
			continue
		}
		if found := task.search(99); task.sign()*(found-task.Best) > 0.5*leastRegret*task.Scale {
			t.Errorf("%s: another search found %v, better than %v", task.Name, found, task.Best)
		}
	}
}

// A sample has its kernel's variance and its gradient.
func TestSample(t *testing.T) {
	const n = 400
	sum, product, square := 0.0, 0.0, 0.0
	for i := range uint64(n) {
		s := drawSample(newDice("test", i), matern52, []float64{0.5, 0.25})
		a, b := s.at([]float64{0.3, 0.6}), s.at([]float64{0.55, 0.6})
		sum, square, product = sum+a/n, square+a*a/n, product+a*b/n
	}
	r := math.Sqrt(5) * 0.5
	covariance := (1 + r + r*r/3) * math.Exp(-r)
	if math.Abs(sum) > 0.15 || math.Abs(square-1) > 0.2 || math.Abs(product-covariance) > 0.2 {
		t.Errorf("mean %.3f, variance %.3f, covariance %.3f, want 0, 1, %.3f", sum, square, product, covariance)
	}
	s := drawSample(newDice("test", 1), squaredExponential, []float64{0.5, 0.25})
	grad, x := make([]float64, 2), []float64{0.2, 0.7}
	s.gradient(grad, x)
	for i := range x {
		const h = 1e-6
		up, down := []float64{0.2, 0.7}, []float64{0.2, 0.7}
		up[i], down[i] = up[i]+h, down[i]-h
		if slope := (s.at(up) - s.at(down)) / (2 * h); math.Abs(slope-grad[i]) > 1e-6 {
			t.Errorf("gradient %d is %v, want %v", i, grad[i], slope)
		}
	}
}

func TestUnknownTask(t *testing.T) {
	if _, err := NewTask("gp3", 0, ""); err == nil || !strings.Contains(err.Error(), "gp2-tiny") {
		t.Errorf("got %v, want an error that names the tasks", err)
	}
}

// Regret is in the direction of the goal, and has a floor.
func TestRegret(t *testing.T) {
	up := &Task{Goal: study.Maximize, Best: 3, Scale: 2}
	down := &Task{Goal: study.Minimize, Best: 3, Scale: 2}
	for _, c := range []struct {
		task  *Task
		value float64
		want  float64
	}{{up, 1, 1}, {up, 3, 1e-6}, {down, 4, 0.5}, {down, 2.9, 1e-6}} {
		if got := c.task.Regret(c.value); got != c.want {
			t.Errorf("%s, value %v: %v, want %v", c.task.Goal, c.value, got, c.want)
		}
	}
}
