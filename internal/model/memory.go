package model

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"sync"
)

// Memory keeps the models of the last suggestion for the next one. While no result has come in between, as when many evaluations are
// begun one after the other, the same models are needed again, and only pending points are new. It never changes a suggestion: without
// it, the same models would be computed again. It is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	key     fitKey // what the models were fitted from
	models  *Fitted
	assumed *assumed
}

// NewMemory returns a memory that is empty.
func NewMemory() *Memory { return &Memory{} }

// Forget empties the memory.
func (m *Memory) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.key, m.models, m.assumed = fitKey{}, nil, nil
}

// Take makes the memory keep what another one has.
func (m *Memory) Take(from *Memory) {
	from.mu.Lock()
	key, models := from.key, from.models
	from.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.key, m.models, m.assumed = key, models, nil
}

// Len returns the number of observations of the models that are kept, and 0 if none are.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.models == nil {
		return 0
	}
	return m.models.Objective().Len()
}

// mostKept is the number of observations up to which models are kept. There they take 30 MB, and as much again with pending points.
const mostKept = 1000

// fit returns the models that were fitted with the same key. Models of any other key are forgotten, since models of many data are
// large.
func (m *Memory) fit(key fitKey) (Fitted, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.models == nil || m.key != key {
		m.key, m.models, m.assumed = fitKey{}, nil, nil
		return Fitted{}, false
	}
	return *m.models, true
}

func (m *Memory) keep(key fitKey, f Fitted) {
	if f.Objective().Len() > mostKept {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.key, m.models, m.assumed = key, &f, nil
}

// pending returns the assumptions that were kept for the longest known beginning of the points, with the same models; none if there are
// no such assumptions.
func (m *Memory) pending(f *Fitted, points [][]float64, none assumed) assumed {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if a := m.assumed; a != nil && m.has(f) && len(a.points) <= len(points) && slices.EqualFunc(a.points, points[:len(a.points)], slices.Equal) {
			return *a
		}
	}
	return none
}

func (m *Memory) keepPending(f *Fitted, a assumed) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.has(f) {
		m.assumed = &a
	}
}

// has says whether these are the models that are kept.
func (m *Memory) has(f *Fitted) bool {
	return m.models != nil && slices.Equal(m.models.of, f.of)
}

// fitKey is what models are fitted from, as far as that differs between the states of a study.
type fitKey struct {
	text    string
	earlier *Earlier
}

// fitKey is the same for all states that the fitter fits the same models to. It returns false if no key can be made: a plan read from a file may hold
// NaN or infinity.
func (f *Fitter) fitKey(s *State) (fitKey, bool) {
	var key []byte
	number := func(v float64) { key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v)) }
	numbers := func(list []float64) {
		number(float64(len(list)))
		for _, v := range list {
			number(v)
		}
	}
	for i, x := range s.X {
		numbers(x)
		numbers([]float64{s.Y[i], s.LnCost[i]})
	}
	for _, q := range s.reported() {
		numbers(q.Y)
		numbers(q.Looks)
		numbers(q.Earlier)
		key = append(key, q.Name...)
	}
	for _, e := range s.Failed {
		numbers(e.X)
		number(e.LnCost)
	}
	numbers(s.FailedCost)
	for _, l := range s.Looks {
		numbers(l.X)
		step := 0.0
		if l.Step {
			step = 1
		}
		numbers([]float64{l.Level, l.Y, l.LnCost, step})
	}
	numbers(s.Levels)
	plan := s.Previous
	if plan != nil {
		plan = &Plan{Hyper: plan.Hyper, Searched: plan.Searched, SearchedLooks: plan.SearchedLooks, Proportional: plan.Proportional, GivenUp: plan.GivenUp, Standard: plan.Standard, Warp: plan.Warp, Earlier: plan.Earlier, Gain: plan.Gain, Quantities: plan.Quantities, Laws: plan.Laws}
	}
	raw, err := json.Marshal([]any{f.Haste, f.TakesLooks(), f.CostsOnly, len(s.Looking) > 0, f.Paper, f.Noise, f.CostNoise, s.Dim, s.Choices, s.Switches, s.Seed, s.fitSeed(), plan})
	return fitKey{string(append(key, raw...)), s.Earlier}, err == nil
}
