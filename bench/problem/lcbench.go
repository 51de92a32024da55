package problem

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/eke-bo/eke/bench/onnx"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// LCBench (L. Zimmer, M. Lindauer, F. Hutter, Auto-PyTorch Tabular, 2021): validation accuracies and seconds of training of networks on
// 34 OpenML tasks, after 1 to 52 epochs. Both come from the surrogate of YAHPO Gym (F. Pfisterer and others, 2022), a network that was
// fitted to 2,000 trainings on each task.
//
// A surrogate makes up what the trainings do not have: here a few accuracies near 100 at the edges. So no accuracy counts above what the best of 2,000
// trainings has, as often as not: the value that the best of 2,000 settings drawn from the space exceeds with a probability of one half. That is the
// optimum, and was fixed before anything was played. Whatever reaches it has no regret left.

// Names of the parameters, which are LCBench's.
const (
	lcBatch, lcRate, lcMomentum, lcDecay = "batch_size", "learning_rate", "momentum", "weight_decay"
	lcLayers, lcUnits, lcDropout         = "num_layers", "max_units", "max_dropout"
)

// lcEpochs is the number of epochs of a full training.
const lcEpochs = 52

// lcTrials is the budget, in full trainings at an average price.
const lcTrials = 20

func lcParams() []space.Param {
	return []space.Param{logWhole(lcBatch, 16, 512), logFloat(lcRate, 1e-4, 0.1), float(lcMomentum, 0.1, 0.99), float(lcDecay, 1e-5, 0.1),
		whole(lcLayers, 1, 5), logWhole(lcUnits, 64, 1024), float(lcDropout, 0, 1)}
}

// lcPlayed are the tasks that were played before the others were looked at: they are for tuning.
var lcPlayed = map[string]bool{"3945": true, "7593": true, "34539": true, "126026": true, "146212": true, "167149": true, "167181": true, "168335": true, "168910": true, "189866": true}

// lcRecipes lists the tasks twice: with epochs as a fidelity, and as full trainings alone.
func lcRecipes() (list []recipe) {
	for _, t := range lcTable {
		list = append(list,
			recipe{"lcbench-" + t.id, LCBench, "a network on OpenML task " + t.id + ", after 1 to 52 epochs, by a surrogate", t.task(true)},
			recipe{"lcbench-" + t.id + "-full", LCBenchFull, "a network on OpenML task " + t.id + ", after 52 epochs, by a surrogate", t.task(false)})
	}
	return list
}

// lcTask is a task of OpenML.
type lcTask struct {
	id   string
	best float64 // the optimum, by lcOptimum

	// The accuracy and the seconds of a typical full training, by Task.typical: the median, whose distance from the optimum is the unit of
	// regrets, and the mean, which is the unit of money.
	median, seconds float64
}

// task makes the task. It is the same in every replication, but for the seed of the study.
func (l lcTask) task(fidelity bool) func(*dice, string) (*Task, error) {
	return func(_ *dice, data string) (*Task, error) {
		s, err := lcSurrogate(data)
		if err != nil {
			return nil, err
		}
		t := l.unscaled(s).scaled(l.median, l.seconds)
		if fidelity {
			t.Fidelity = &study.Fidelity{Name: epochsName, Min: 1, Max: lcEpochs, Log: true, Resume: true}
		}
		return t, nil
	}
}

// unscaled is the task without a fidelity, in seconds.
func (l lcTask) unscaled(s *surrogate) *Task {
	return &Task{Params: lcParams(), Goal: study.Maximize, Budget: lcTrials, Best: l.best, Evaluate: func(setting space.Setting) (float64, float64) {
		seconds, accuracy := s.train(l.id, setting)
		return math.Min(accuracy, l.best), seconds
	}}
}

// seed draws the settings that show what is typical.
func (l lcTask) seed() uint64 { return hashOf("lcbench " + l.id) }

// surrogate is the network that YAHPO Gym fitted.
type surrogate struct {
	network *onnx.Graph
	number  map[string]int64 // of a task
	last    atomic.Pointer[lcAnswer]
}

// lcAnswer is what the network said last: a limit asks for the seconds of a training whose accuracy was asked for just now.
type lcAnswer struct {
	task     string
	row, out []float32
}

// train returns what the surrogate says of a training. A setting without epochs has all.
func (s *surrogate) train(task string, setting space.Setting) (seconds, accuracy float64) {
	out := s.outputs(task, setting)
	return float64(out[0]), float64(out[1])
}

// outputs are seconds, accuracy, cross-entropy and balanced accuracy on the validation part, and the last two on the test part.
func (s *surrogate) outputs(task string, setting space.Setting) []float32 {
	epochs := float64(lcEpochs)
	if given, ok := setting[epochsName].Number(); ok {
		epochs = given
	}
	row := []float32{float32(epochs)}
	for _, name := range []string{lcBatch, lcRate, lcMomentum, lcDecay, lcLayers, lcUnits, lcDropout} {
		row = append(row, float32(number(setting, name)))
	}
	if last := s.last.Load(); last != nil && last.task == task && slices.Equal(last.row, row) {
		return last.out
	}
	out, err := s.network.Evaluate([]int64{s.number[task]}, row)
	if err != nil {
		panic("problem: " + err.Error()) // lcSurrogate has tried it
	}
	s.last.Store(&lcAnswer{task, row, out})
	return out
}

const (
	lcModel, lcEncoding = "lcbench/model.onnx", "lcbench/encoding.json"
	lcWhere             = "they are those of lcbench in the repository slds-lmu/yahpo_data, version 1.0.2"
)

var lcRead sync.Map // surrogates by their folders

// lcSurrogate reads the surrogate from a folder of data sets; "" is the one named by EKE_DATA.
func lcSurrogate(data string) (*surrogate, error) {
	if s, ok := lcRead.Load(data); ok {
		return s.(*surrogate), nil
	}
	model, err := readData(data, lcModel, lcWhere)
	if err != nil {
		return nil, err
	}
	encoding, err := readData(data, lcEncoding, lcWhere)
	if err != nil {
		return nil, err
	}
	s, err := parseSurrogate(model, encoding)
	if err != nil {
		return nil, fmt.Errorf("LCBench: %w", err)
	}
	lcRead.Store(data, s)
	return s, nil
}

func parseSurrogate(model, encoding []byte) (*surrogate, error) {
	network, err := onnx.Parse(model)
	if err != nil {
		return nil, err
	}
	var numbers map[string]map[string]int64
	if err := json.Unmarshal(encoding, &numbers); err != nil {
		return nil, fmt.Errorf("encoding.json: %w", err)
	}
	s := &surrogate{network: network, number: numbers["OpenML_task_id"]}
	for _, t := range lcTable {
		number, ok := s.number[t.id]
		if !ok {
			return nil, fmt.Errorf("encoding.json does not know task %s", t.id)
		}
		out, err := network.Evaluate([]int64{number}, []float32{lcEpochs, 64, 0.01, 0.9, 0.01, 3, 256, 0.5})
		if err != nil {
			return nil, err
		}
		if len(out) != 6 {
			return nil, fmt.Errorf("the network has %d outputs, not 6", len(out))
		}
	}
	return s, nil
}

// Draws to find an optimum by, and the size of the table that the surrogate was fitted to.
const lcDraws, lcTrainings = 20000, 2000

// lcOptimum returns the accuracy that the best of as many settings as there were trainings exceeds with a probability of one half.
func lcOptimum(s *surrogate, task string) float64 {
	sp, err := space.New(lcParams())
	if err != nil {
		panic("problem: " + err.Error())
	}
	d := newDice("lcbench "+task, 0)
	accuracies := make([]float64, lcDraws)
	unit := make([]float64, sp.Dim())
	for i := range accuracies {
		for j := range unit {
			unit[j] = d.Float64()
		}
		_, accuracies[i] = s.train(task, sp.Decode(unit))
	}
	slices.Sort(accuracies)
	return accuracies[int(lcDraws*math.Pow(0.5, 1./lcTrainings))]
}
