package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/eke-bo/eke/study"
)

// Memory returns an empty store that forgets everything when it is closed. It is for tests, and for studies that are not worth
// a file.
func Memory() Store { return &memory{studies: map[string]*remembered{}, former: map[string][]string{}} }

type memory struct {
	mu      sync.Mutex
	closed  bool
	order   []string
	studies map[string]*remembered
	former  map[string][]string // the identities of the studies that a name was retired for
	tokens  []Token
	guarded bool // there has been a token
}

// remembered keeps its events encoded, as a file would. So nobody can change them through a shared pointer, and what a file
// would refuse is refused here.
type remembered struct {
	header  Header
	bodies  [][]byte
	touched map[int]time.Time
	files   map[fileKey][]Part
}

func (m *memory) Create(ctx context.Context, h Header) error {
	if err := h.Check(); err != nil {
		return err
	}
	return m.locked(ctx, func() error {
		if m.studies[h.Name] != nil {
			return Exists(h.Name)
		}
		h.ID = cmp.Or(h.ID, NewID())
		h.Created = h.Created.UTC().Round(0) // drops the monotonic clock, which no file would keep
		m.studies[h.Name] = &remembered{header: copied(h), touched: map[int]time.Time{}, files: map[fileKey][]Part{}}
		m.order = append(m.order, h.Name)
		return nil
	})
}

func (m *memory) List(ctx context.Context) (list []Header, err error) {
	err = m.locked(ctx, func() error {
		for _, name := range m.order {
			list = append(list, copied(m.studies[name].header))
		}
		return nil
	})
	return list, err
}

func (m *memory) Heads(ctx context.Context) (list []Head, err error) {
	err = m.locked(ctx, func() error {
		for _, name := range m.order {
			r := m.studies[name]
			list = append(list, Head{r.header.ID, name, r.header.Created, int64(len(r.bodies))})
		}
		return nil
	})
	return list, err
}

func (m *memory) Ready(ctx context.Context) error { return m.locked(ctx, func() error { return nil }) }

func (m *memory) Read(ctx context.Context, name string, after int64) (h Header, events []study.Event, err error) {
	err = m.study(ctx, name, func(r *remembered) error {
		h = copied(r.header)
		for i := max(after, 0); i < int64(len(r.bodies)); i++ {
			e, err := Decode(name, i+1, r.bodies[i])
			if err != nil {
				return err
			}
			events = append(events, e)
		}
		return nil
	})
	return h, events, err
}

func (m *memory) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	bodies, err := Encode(name, version, events)
	if err != nil {
		return err
	}
	return m.study(ctx, name, func(r *remembered) error {
		if last := int64(len(r.bodies)); last != version {
			return Conflict(name, version, last)
		}
		if !r.endsWith(events) {
			return OtherLog(name, version)
		}
		r.bodies = append(r.bodies, bodies...)
		return nil
	})
}

// endsWith reports whether the log ends with the event that the first of these follows.
func (r *remembered) endsWith(events []study.Event) bool {
	last := r.header.ID
	if n := len(r.bodies); n > 0 {
		last = Digest(r.bodies[n-1])
	}
	return len(events) == 0 || events[0].Before == "" || events[0].Before == last
}

func (m *memory) Touch(ctx context.Context, name string, trials []int, at time.Time) error {
	return m.study(ctx, name, func(r *remembered) error {
		for _, number := range trials {
			r.touched[number] = at.UTC().Round(0)
		}
		return nil
	})
}

func (m *memory) Touched(ctx context.Context, name string) (touched map[int]time.Time, err error) {
	err = m.study(ctx, name, func(r *remembered) error {
		touched = maps.Clone(r.touched)
		return nil
	})
	return touched, err
}

func (m *memory) Rename(ctx context.Context, name, to string) error {
	return m.study(ctx, name, func(r *remembered) error {
		h := r.header
		h.Name = to
		if err := h.Check(); err != nil {
			return err
		}
		if m.studies[to] != nil {
			return Exists(to)
		}
		r.header, m.studies[to] = h, r
		m.retire(name, h.ID)
		delete(m.studies, name)
		m.order[slices.Index(m.order, name)] = to
		return nil
	})
}

func (m *memory) Delete(ctx context.Context, name string) error {
	return m.study(ctx, name, func(r *remembered) error {
		m.retire(name, r.header.ID)
		delete(m.studies, name)
		m.order = slices.DeleteFunc(m.order, func(other string) bool { return other == name })
		return nil
	})
}

func (m *memory) Retire(ctx context.Context, name string) error {
	return m.study(ctx, name, func(r *remembered) error {
		m.retire(name, r.header.ID)
		return nil
	})
}

func (m *memory) retire(name, id string) {
	if !slices.Contains(m.former[name], id) {
		m.former[name] = append(m.former[name], id)
	}
}

func (m *memory) Former(ctx context.Context, name string) (ids []string, err error) {
	err = m.locked(ctx, func() error {
		ids = slices.Clone(m.former[name])
		return nil
	})
	return ids, err
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.studies, m.order, m.tokens = true, nil, nil, nil
	return nil
}

var _ Files = (*memory)(nil)

type fileKey struct {
	trial int
	name  string
}

func (m *memory) AppendFile(ctx context.Context, study string, f File, offset int64, data []byte, l FileLimits) (size int64, err error) {
	if err := f.Check(); err != nil {
		return 0, err
	}
	err = m.study(ctx, study, func(r *remembered) error {
		key := fileKey{f.Trial, f.Name}
		parts := r.files[key]
		size = sizeOf(parts)
		part, ok := Append(size, offset, data, l.Skip)
		if !ok {
			return nil
		}
		if r.kept()+int64(len(part.Data)) > l.Most {
			return ErrFilesFull
		}
		parts = append(parts, Part{part.Offset, slices.Clone(part.Data)})
		size = sizeOf(parts)
		for kept := keptOf(parts); kept > l.Keep; kept = keptOf(parts) {
			i := slices.IndexFunc(parts, func(p Part) bool { return p.Offset+int64(len(p.Data)) > l.Keep/2 })
			if i < 0 || i == len(parts)-1 {
				break
			}
			parts = slices.Delete(parts, i, i+1)
		}
		r.files[key] = parts
		return nil
	})
	return size, err
}

func (m *memory) ReadFile(ctx context.Context, study string, trial int, name string, offset, most int64) (f File, list []Part, err error) {
	err = m.study(ctx, study, func(r *remembered) error {
		parts := r.files[fileKey{trial, name}]
		if len(parts) == 0 {
			return ErrNoFile
		}
		f = File{trial, name, sizeOf(parts), keptOf(parts)}
		read := int64(0)
		for _, p := range parts {
			if p.Offset+int64(len(p.Data)) > offset && read < most {
				list = append(list, Part{p.Offset, slices.Clone(p.Data)})
				read += int64(len(p.Data))
			}
		}
		return nil
	})
	return f, list, err
}

func (m *memory) Files(ctx context.Context, study string, trial int) (list []File, err error) {
	err = m.study(ctx, study, func(r *remembered) error {
		for key, parts := range r.files {
			if key.trial == trial {
				list = append(list, File{trial, key.name, sizeOf(parts), keptOf(parts)})
			}
		}
		slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
	return list, err
}

func (r *remembered) kept() (sum int64) {
	for _, parts := range r.files {
		sum += keptOf(parts)
	}
	return sum
}

func sizeOf(parts []Part) int64 {
	if len(parts) == 0 {
		return 0
	}
	last := parts[len(parts)-1]
	return last.Offset + int64(len(last.Data))
}

func keptOf(parts []Part) (sum int64) {
	for _, p := range parts {
		sum += int64(len(p.Data))
	}
	return sum
}

var _ Tokens = (*memory)(nil)

func (m *memory) AddToken(ctx context.Context, t Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	return m.locked(ctx, func() error {
		if slices.ContainsFunc(m.tokens, func(known Token) bool { return known.ID == t.ID || known.Hash == t.Hash }) {
			return TokenExists(t.ID)
		}
		t.Created = t.Created.UTC().Round(0) // drops the monotonic clock
		m.tokens, m.guarded = append(m.tokens, t), true
		return nil
	})
}

func (m *memory) Tokens(ctx context.Context) (list []Token, err error) {
	err = m.locked(ctx, func() error {
		list = slices.Clone(m.tokens)
		return nil
	})
	return list, err
}

func (m *memory) Guarded(ctx context.Context) (guarded bool, err error) {
	err = m.locked(ctx, func() error {
		guarded = m.guarded
		return nil
	})
	return guarded, err
}

func (m *memory) RevokeToken(ctx context.Context, id string) error {
	return m.locked(ctx, func() error {
		before := len(m.tokens)
		m.tokens = slices.DeleteFunc(m.tokens, func(t Token) bool { return t.ID == id })
		if len(m.tokens) == before {
			return NoToken(id)
		}
		return nil
	})
}

// locked runs do while nobody else uses the store.
func (m *memory) locked(ctx context.Context, do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.closed {
		return ErrClosed
	}
	return do()
}

// study is locked for a study of the store.
func (m *memory) study(ctx context.Context, name string, do func(*remembered) error) error {
	return m.locked(ctx, func() error {
		r := m.studies[name]
		if r == nil {
			return NotFound(name)
		}
		return do(r)
	})
}

func copied(h Header) Header {
	h.Definition = slices.Clone(h.Definition)
	return h
}
