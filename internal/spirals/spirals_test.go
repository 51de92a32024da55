package spirals

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/gradcheck"
)

func train(t *testing.T, o Options) Result {
	t.Helper()
	r, err := Train(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if math.IsNaN(r.Loss) || r.Loss < 0 || r.Loss > WorstLoss || r.Accuracy < 0 || r.Accuracy > 1 {
		t.Errorf("%+v gave %+v", o, r)
	}
	return r
}

func TestEqualOptionsGiveEqualResults(t *testing.T) {
	for _, o := range []Options{
		{Width: 5, Layers: 2, Epochs: 7},
		{Width: 6, Epochs: 5, Optimizer: "sgd", Momentum: 0.9, Rate: 0.1, Activation: "relu", Batch: 48},
	} {
		first := train(t, o)
		if again := train(t, o); again != first {
			t.Errorf("%+v gave %+v, then %+v", o, first, again)
		}
		o.Seed++
		if other := train(t, o); other == first {
			t.Errorf("another seed gave the same: %+v", first)
		}
	}
	// A listener only listens.
	calls := 0
	o := Options{Epochs: 25}
	silent := train(t, o)
	o.Progress = func(int, Result) { calls++ }
	if heard := train(t, o); heard != silent || calls != 3 {
		t.Errorf("%+v with %d reports of progress, %+v without", heard, calls, silent)
	}
}

// A run of few epochs is the beginning of one of many, and one that goes on from it ends as if it had never stopped.
func TestGoesOn(t *testing.T) {
	for _, o := range []Options{
		{Width: 5, Layers: 2, Epochs: 23},
		{Width: 6, Epochs: 23, Optimizer: "sgd", Momentum: 0.9, Rate: 0.1, Activation: "relu", Batch: 48},
	} {
		progress := func(at map[int]Result) func(int, Result) { return func(epoch int, sofar Result) { at[epoch] = sofar } }
		long := map[int]Result{}
		o.Progress = progress(long)
		train(t, o)
		o.Checkpoint = t.TempDir()
		for _, epochs := range []int{10, 14, 23} {
			pieces := map[int]Result{}
			o.Epochs, o.Progress = epochs, progress(pieces)
			train(t, o)
			for epoch, r := range pieces {
				if want, known := long[epoch]; known && want != r {
					t.Errorf("epoch %d gave %+v, in one go %+v", epoch, r, want)
				}
			}
			if _, anew := pieces[10]; anew && epochs > 10 {
				t.Errorf("the run of %d epochs began anew", epochs)
			}
		}
	}
}

// A checkpoint of another run, of a longer one, or one that is broken is none.
func TestForeignCheckpoints(t *testing.T) {
	o := Options{Width: 5, Epochs: 12}
	want := train(t, o)
	for name, spoil := range map[string]func(folder string){
		"of other options": func(folder string) { train(t, Options{Width: 5, Epochs: 10, Rate: 0.5, Checkpoint: folder}) },
		"of another width": func(folder string) { train(t, Options{Width: 6, Epochs: 10, Checkpoint: folder}) },
		"of more epochs":   func(folder string) { train(t, Options{Width: 5, Epochs: 20, Checkpoint: folder}) },
		"broken": func(folder string) {
			if err := os.WriteFile(filepath.Join(folder, checkpointFile), []byte("no state"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		o.Checkpoint = t.TempDir()
		spoil(o.Checkpoint)
		if got := train(t, o); got != want {
			t.Errorf("%s: %+v, without it %+v", name, got, want)
		}
		if left, err := os.ReadDir(o.Checkpoint); err != nil || len(left) != 1 {
			t.Errorf("%s: it leaves %v, %v", name, left, err)
		}
	}
}

func TestGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	points := generate(random, 20)
	for _, relu := range []bool{false, true} {
		for layers := 1; layers <= 3; layers++ {
			net := newNetwork(6, layers, relu)
			weights := net.initial(random)
			for i := range weights { // biases too, and far enough from ReLU's kinks
				weights[i] += 0.1 * random.NormFloat64()
			}
			gradcheck.Check(t, func(grad, x []float64) float64 { return net.loss(grad, x, points) }, weights,
				gradcheck.Settings{Step: 1e-5, Tolerance: 1e-5})
		}
	}
}

func TestLearns(t *testing.T) {
	for _, o := range good {
		if r := train(t, o); r.Accuracy <= 0.95 {
			t.Errorf("%+v gave %+v, want an accuracy above 0.95", o, r)
		}
	}
	if r := train(t, Options{}); r.Accuracy > 0.9 {
		t.Errorf("the defaults gave %+v: nothing is left to tune", r)
	}
}

// The loss of a run that diverges is bad and finite.
func TestDivergence(t *testing.T) {
	for _, o := range []Options{
		{Optimizer: "sgd", Momentum: 0.99, Rate: 1000, Layers: 3, Activation: "relu"},
		{Optimizer: "sgd", Rate: 1000, Layers: 2},
		{Rate: 1000, Layers: 3, Activation: "relu"},
	} {
		if r := train(t, o); r.Loss < 0.69 {
			t.Errorf("%+v gave %+v, which is better than to guess", o, r)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for option, o := range map[string]Options{
		"width":      {Width: -1},
		"layers":     {Layers: 9},
		"rate":       {Rate: math.NaN()},
		"epochs":     {Epochs: -5},
		"optimizer":  {Optimizer: "adamw"},
		"momentum":   {Momentum: 1},
		"activation": {Activation: "gelu"},
		"batch":      {Batch: trainingPoints + 1},
	} {
		_, err := Train(context.Background(), o)
		if err == nil || !strings.HasPrefix(err.Error(), "--"+option+" is ") || fault.CodeOf(err) != fault.BadRequest || fault.HintOf(err) != Hint(option) || Hint(option) == "" {
			t.Errorf("%s: %v", option, err)
		}
	}
}

func TestStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Train(ctx, Options{Epochs: 100, Progress: func(int, Result) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// good are settings that learn the spirals, one of each optimiser and activation.
var good = []Options{
	{Width: 11, Layers: 2, Rate: 0.08, Epochs: 150},
	{Width: 24, Layers: 2, Rate: 0.02, Epochs: 100, Activation: "relu"},
	{Width: 24, Layers: 2, Rate: 0.3, Epochs: 200, Optimizer: "sgd", Momentum: 0.8},
}
