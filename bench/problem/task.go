package problem

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Task is a problem of the suite as a user would state it: parameters, a goal, a budget, and an experiment with a price. It belongs
// to one replication. Another replication has other costs and, if the function is drawn, another function.
type Task struct {
	Info
	Params     []space.Param
	Fidelity   *study.Fidelity // nil: there is one
	Goal       study.Goal
	Budget     float64
	FreeDesign bool // the paper's convention: the initial design is not charged to the budget

	Noise     float64 // standard deviation of the noise of a value; 0: none
	CostNoise float64 // standard deviation of the noise of a cost's logarithm; 0: none

	Best  float64 // f*, the best value without noise
	Scale float64 // how much worse than Best the median setting is; the unit of Regret

	// Evaluate is without noise: equal settings have equal values and costs. It may be called from several goroutines.
	Evaluate func(space.Setting) (value, cost float64)

	// Fails says whether an evaluation of the setting ends without a value; it costs money all the same. Nil means that none does.
	Fails func(space.Setting) bool

	// Limits are those on what Report says of a setting. Only settings that meet them count. Nil means that all do.
	Limits study.Limits
	Report func(space.Setting) study.Metrics
	// FailurePrice is what a failure costs, as a part of what Evaluate says. 0 means all of it.
	FailurePrice float64

	// Changeover are the true prices of changes. The study is told them, unless ChangesLearnt says that it has to learn them; ChangesReported says that trials report
	// what they paid for them.
	Changeover                     []study.Changeover
	ChangesLearnt, ChangesReported bool

	// Workers is the number of trials at a time, if that is a part of the problem. 0 means that it is not.
	Workers int

	// Where lists constraints that the study is told of.
	Where []string

	seed uint64
}

// Info is what is known about a task before it is made.
type Info struct {
	Name       string
	Family     string // such as Paper
	About      string // what it is, and its source
	Validation bool   // must not be used to choose anything
}

// The families of tasks.
const (
	Paper    = "paper"
	Gaussian = "gaussian"
	Classic  = "classic"
	Mixed    = "mixed"

	// Cheap are problems with fidelities. They are not among Tasks.
	Cheap = "fidelity"

	// LCBench are networks on real data with epochs as a fidelity, LCBenchFull the same without one. They are not among Tasks either.
	LCBench     = "lcbench"
	LCBenchFull = "lcbench-full"

	// Live are trained whenever they are evaluated, with iterations, data or epochs as a fidelity. They are not among Tasks either.
	Live = "live"

	// Limited are problems with limits on what evaluations report. They are not among Tasks either.
	Limited = "limits"
	// Programs are problems whose costs are a fixed part and a power law. They are not among Tasks either.
	Programs = "programs"
	// Changing are problems where changes cost something. They are not among Tasks either.
	Changing = "changeover"
	// Walls are problems where evaluations fail beyond an edge, ToldWalls the same in studies that know the edge. They are not among Tasks either.
	Walls     = "walls"
	ToldWalls = "walls-told"
)

// recipe makes the task of one replication.
type recipe struct {
	name, family, about string
	make                func(d *dice, data string) (*Task, error)
}

// recipes lists the tasks of the families that are among Tasks.
func recipes() []recipe {
	return slices.Concat(paperRecipes(), gaussianRecipes(), classicRecipes(), mixedRecipes())
}

func everyRecipe() []recipe {
	return slices.Concat(recipes(), fidelityRecipes(), lcRecipes(), liveRecipes(), limitRecipes(), wallRecipes(), changeRecipes(), programRecipes())
}

// Fidelities describes the tasks with fidelities. They are a set of their own, since results of the others were compared without them.
func Fidelities() (list []Info) {
	for _, r := range fidelityRecipes() {
		list = append(list, r.info())
	}
	return list
}

// Curves describes the tasks of one of the families LCBench and LCBenchFull.
func Curves(family string) (list []Info) {
	for _, r := range lcRecipes() {
		if r.family == family {
			list = append(list, r.info())
		}
	}
	return list
}

// Lives describes the tasks of the family Live.
func Lives() (list []Info) {
	for _, r := range liveRecipes() {
		list = append(list, r.info())
	}
	return list
}

// Tasks describes the tasks of the families Paper, Gaussian, Classic and Mixed.
func Tasks() []Info {
	var list []Info
	for _, r := range recipes() {
		list = append(list, r.info())
	}
	return list
}

func (r recipe) info() Info { return Info{r.name, r.family, r.about, isValidation(r.name, r.family)} }

// isValidation reserves a third of Tasks for validation. The hash of the name decides. Its salt was chosen before anything was
// run, so that each family gives about a third. The paper's problems are never among them, since the default was developed on
// those. In the other families:
//
//   - Cheap: the four that were added after looks had been developed on the others;
//   - LCBench: half of those that were not played before, by the hash of their numbers;
//   - Live: half, by the hash of their names;
//   - Limited and Programs: a third and a half, named before anything was run;
//   - Walls and Changing: those that their lists mark.
func isValidation(name, family string) bool {
	switch family {
	case LCBench, LCBenchFull:
		id := strings.TrimSuffix(strings.TrimPrefix(name, "lcbench-"), "-full")
		return !lcPlayed[id] && hashOf("lcbench validation "+id)%2 == 0
	case Walls, ToldWalls:
		return isWallValidation(name)
	case Live:
		return hashOf("live validation "+name)%2 == 0
	case Changing:
		return isChangeValidation(name)
	case Limited:
		return slices.Contains([]string{"speed-reducer", "memory-limit", "gp4-two-limits", "lcbench-limit"}, name)
	case Programs:
		return slices.Contains([]string{"language-program", "mesh-program", "stock-program", "reactor-program"}, name)
	case Cheap:
		return slices.Contains([]string{"park-fidelity", "gp6-fidelity", "cnn-fidelity", "spirals-live"}, name)
	}
	return family != Paper && hashOf("validation 11 "+name)%3 == 0
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return mix(h.Sum64()) // the low bits of FNV depend only on the low bits of the letters
}

// mix is SplitMix64's finaliser (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// NewTask makes a replication's task by name. Data names a folder of data sets, as in New.
func NewTask(name string, replication uint64, data string) (*Task, error) {
	list := everyRecipe()
	i := slices.IndexFunc(list, func(r recipe) bool { return r.name == name })
	if i < 0 {
		return nil, fmt.Errorf("task %q is not known; there are %s", name, strings.Join(taskNames(), ", "))
	}
	d := newDice(name, replication)
	t, err := list[i].make(d, data)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", name, err)
	}
	if t.Info = list[i].info(); t.seed == 0 {
		t.seed = d.seed
	}
	return t, nil
}

func taskNames() (names []string) {
	for _, r := range everyRecipe() {
		names = append(names, r.name)
	}
	return names
}

// Seed is the seed of the study. It is the same for all policies.
func (t *Task) Seed() uint64 { return t.seed }

// Try evaluates a setting as the given trial of a study, with noise if the task has any. The noise depends only on the number
// of the trial, so it is the same for all policies.
func (t *Task) Try(setting space.Setting, trial int) (value, cost float64) {
	rng := rand.New(rand.NewPCG(t.seed, mix(uint64(trial)+0x6e6f6973)))
	if value, cost = t.Evaluate(setting); t.FailurePrice > 0 && t.Fails != nil && t.Fails(setting) {
		cost *= t.FailurePrice
	}
	return value + t.Noise*rng.NormFloat64(), cost * math.Exp(t.CostNoise*rng.NormFloat64())
}

// leastRegret is the smallest regret that counts.
const leastRegret = 1e-6

// Regret is how much worse a value is than the best, in units of Scale: the regret of a median setting is 1. It is at
// least leastRegret. f* is not known more precisely, and smaller regrets interest nobody.
func (t *Task) Regret(value float64) float64 {
	return math.Max(t.sign()*(t.Best-value)/t.Scale, leastRegret)
}

func (t *Task) sign() float64 {
	if t.Goal == study.Minimize {
		return -1
	}
	return 1
}

// survey is the number of settings that show what is typical of a task.
const survey = 1024

// surveyed calls visit with settings spread over the space.
func surveyed(sp *space.Space, seed uint64, visit func(space.Setting)) {
	points := sobol.New(sp.Dim(), mix(seed+0x73757276))
	unit := make([]float64, sp.Dim())
	for range survey {
		visit(sp.Decode(points.Next(unit)))
	}
}

// finish scales the costs so that their mean over the space is 1. A budget is then a number of average trials. It also finds the
// task's Scale. Best must be known.
func (t *Task) finish(seed uint64) *Task {
	median, mean := t.typical(seed)
	return t.scaled(median, mean)
}

// scaled does the same where the median value and the mean cost are known.
func (t *Task) scaled(median, mean float64) *Task {
	t.Scale = math.Abs(t.Best - median)
	evaluate := t.Evaluate
	t.Evaluate = func(s space.Setting) (value, cost float64) {
		value, cost = evaluate(s)
		return value, cost / mean
	}
	return t
}

// typical returns the median value and the mean cost of settings spread over the space.
func (t *Task) typical(seed uint64) (median, mean float64) {
	sp, err := space.New(t.Params)
	if err != nil {
		panic("problem: " + err.Error()) // the parameters are constants of this package
	}
	var values []float64
	sum := 0.0
	surveyed(sp, seed, func(s space.Setting) {
		value, cost := t.Evaluate(s)
		values = append(values, value)
		sum += cost
	})
	slices.Sort(values)
	return values[survey/2], sum / survey
}
