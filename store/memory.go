package store

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/eke-bo/eke/study"
)

// Memory returns an empty store that forgets everything when it is closed. It is for tests, and for studies that are not worth
// a file.
func Memory() Store { return &memory{studies: map[string]*remembered{}} }

type memory struct {
	mu      sync.Mutex
	closed  bool
	order   []string
	studies map[string]*remembered
	tokens  []Token
}

// remembered keeps its events encoded, as a file would. So nobody can change them through a shared pointer, and what a file
// would refuse is refused here.
type remembered struct {
	header  Header
	bodies  [][]byte
	touched map[int]time.Time
}

func (m *memory) Create(ctx context.Context, h Header) error {
	if err := h.Check(); err != nil {
		return err
	}
	unlock, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if m.studies[h.Name] != nil {
		return Exists(h.Name)
	}
	h.Created = h.Created.UTC().Round(0) // drops the monotonic clock, which no file would keep
	m.studies[h.Name] = &remembered{header: copied(h), touched: map[int]time.Time{}}
	m.order = append(m.order, h.Name)
	return nil
}

func (m *memory) List(ctx context.Context) ([]Header, error) {
	unlock, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var list []Header
	for _, name := range m.order {
		list = append(list, copied(m.studies[name].header))
	}
	return list, nil
}

func (m *memory) Read(ctx context.Context, name string, after int64) (Header, []study.Event, error) {
	r, unlock, err := m.find(ctx, name)
	if err != nil {
		return Header{}, nil, err
	}
	defer unlock()
	var events []study.Event
	for i := max(after, 0); i < int64(len(r.bodies)); i++ {
		e, err := Decode(name, i+1, r.bodies[i])
		if err != nil {
			return Header{}, nil, err
		}
		events = append(events, e)
	}
	return copied(r.header), events, nil
}

func (m *memory) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	bodies, err := Encode(name, version, events)
	if err != nil {
		return err
	}
	r, unlock, err := m.find(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	if last := int64(len(r.bodies)); last != version {
		return Conflict(name, version, last)
	}
	r.bodies = append(r.bodies, bodies...)
	return nil
}

func (m *memory) Touch(ctx context.Context, name string, trials []int, at time.Time) error {
	r, unlock, err := m.find(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	for _, number := range trials {
		r.touched[number] = at.UTC().Round(0)
	}
	return nil
}

func (m *memory) Touched(ctx context.Context, name string) (map[int]time.Time, error) {
	r, unlock, err := m.find(ctx, name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return maps.Clone(r.touched), nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.studies, m.order, m.tokens = true, nil, nil, nil
	return nil
}

// enter locks the store; the caller unlocks it, unless there is an error.
func (m *memory) enter(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ErrClosed
	}
	return m.mu.Unlock, nil
}

func (m *memory) find(ctx context.Context, name string) (*remembered, func(), error) {
	unlock, err := m.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	r := m.studies[name]
	if r == nil {
		unlock()
		return nil, nil, NotFound(name)
	}
	return r, unlock, nil
}

func copied(h Header) Header {
	h.Definition = slices.Clone(h.Definition)
	return h
}
