package advisor

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"

	"github.com/eke-bo/eke/study"
)

// repeats remembers whether the results of a record have noise. Every suggestion asks that several times, and to find out takes a look at all of them.
type repeats struct {
	mu    sync.Mutex
	seed  maphash.Seed
	of    uint64 // the sum of the results that it was found out by
	known bool
	noise bool
	text  []byte // scratch
}

// hasNoise says whether evaluations have noise: the study says so, or a setting that was evaluated twice had two values.
func (a *Advisor) hasNoise(r *study.Record) bool {
	if a.study.Noisy {
		return true
	}
	k := &a.repeats
	k.mu.Lock()
	defer k.mu.Unlock()
	if of := k.sum(r); !k.known || k.of != of {
		k.of, k.known, k.noise = of, true, a.disagree(r.Results())
	}
	return k.noise
}

// sum is the same for records with the same results.
func (k *repeats) sum(r *study.Record) uint64 {
	if k.seed == (maphash.Seed{}) {
		k.seed = maphash.MakeSeed()
	}
	k.text = k.text[:0]
	add := func(counts bool, point []float64, value float64) {
		if !counts {
			return
		}
		k.number(uint64(len(point)))
		k.number(math.Float64bits(value))
		for _, x := range point {
			k.number(math.Float64bits(x))
		}
	}
	for i := range r.Known {
		known := &r.Known[i]
		add(!known.Forgotten && !known.Outside && !known.Look, known.Point, known.Value)
	}
	for i := range r.Trials {
		trial := &r.Trials[i]
		add(trial.Counts(), trial.Point, trial.Value)
	}
	return maphash.Bytes(k.seed, k.text)
}

func (k *repeats) number(v uint64) { k.text = binary.LittleEndian.AppendUint64(k.text, v) }

// disagree says whether a setting has two values.
func (a *Advisor) disagree(results []study.Trial) bool {
	values := map[string]float64{}
	for _, t := range results {
		key := a.space.Key(t.Setting)
		if value, again := values[key]; again && value != t.Value {
			return true
		}
		values[key] = t.Value
	}
	return false
}
