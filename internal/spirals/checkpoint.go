package spirals

import (
	"encoding/gob"
	"errors"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/internal/fault"
)

// state is a run after some epochs. It is all that the next epoch depends on, so a run that goes on from it ends as one that was never
// interrupted, bit for bit.
type state struct {
	Of      Options // without what does not change an epoch
	Epoch   int     // the last one
	Weights []float64
	Memory  *memory
}

// plain returns the options that change what an epoch does.
func (o Options) plain() Options {
	o.Epochs, o.Checkpoint, o.Progress = 0, "", nil
	return o
}

// load returns the state in the checkpoint. It is nil if there is none that this run can go on from: one of other options, of more
// epochs, or one that cannot be read.
func (o Options) load(weights int) *state {
	if o.Checkpoint == "" {
		return nil
	}
	file, err := os.Open(filepath.Join(o.Checkpoint, checkpointFile))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	var s state
	if gob.NewDecoder(file).Decode(&s) != nil || !s.fits(o, weights) {
		return nil
	}
	return &s
}

// fits says whether a state is one of a run with these options and so many weights.
func (s *state) fits(o Options, weights int) bool {
	if s.Epoch < 1 || s.Epoch > o.Epochs || len(s.Weights) != weights || s.Memory == nil || len(s.Memory.Mean) != weights {
		return false
	}
	if o.Optimizer == "adam" && len(s.Memory.Square) != weights {
		return false
	}
	a, b := s.Of, o.plain()
	return a.Width == b.Width && a.Layers == b.Layers && a.Rate == b.Rate && a.Optimizer == b.Optimizer && a.Momentum == b.Momentum &&
		a.Activation == b.Activation && a.Batch == b.Batch && a.Seed == b.Seed
}

// checkpointFile is the name of the file in the checkpoint's folder.
const checkpointFile = "network.gob"

// save writes a state into the checkpoint. The file is there as a whole or not at all, whenever the process ends.
func (o Options) save(s state) error {
	if o.Checkpoint == "" {
		return nil
	}
	wrong := func(err error) error {
		return fault.New(fault.CannotRun, "give a folder that exists and can be written", "--checkpoint is %s: %w", o.Checkpoint, err)
	}
	file, err := os.CreateTemp(o.Checkpoint, checkpointFile)
	if err != nil {
		return wrong(err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // unless it has its own name by then
	if err := errors.Join(gob.NewEncoder(file).Encode(s), file.Close()); err != nil {
		return wrong(err)
	}
	if err := os.Rename(file.Name(), filepath.Join(o.Checkpoint, checkpointFile)); err != nil {
		return wrong(err)
	}
	return nil
}
