package suite

import (
	"sync"

	"github.com/eke-bo/eke/bench/problem"
)

// workshop makes tasks and keeps the last ones. All policies of a replication run one after the other, and finding f* takes longer
// than a study with some policies.
type workshop struct {
	make func(name string, number int) (*problem.Task, error)
	mu   sync.Mutex // guards what follows
	kept map[Key]*problem.Task
	last []Key
}

// keptTasks is how many tasks are kept.
const keptTasks = 32

func (w *workshop) task(name string, number int) (*problem.Task, error) {
	key := Key{Problem: name, Number: number}
	w.mu.Lock()
	task := w.kept[key]
	w.mu.Unlock()
	if task != nil {
		return task, nil
	}
	task, err := w.make(name, number)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept[key], w.last = task, append(w.last, key)
	if len(w.last) > keptTasks {
		delete(w.kept, w.last[0])
		w.last = w.last[1:]
	}
	return task, nil
}
