package server

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// scopedStore is a store as the sender of the current request sees it: a token with a group sees the studies of that group, and there are
// no others. The check is here, where studies are read, so that no handler can forget it, nor a broker that goes from one study to another.
//
// It embeds no store, so that the compiler asks for a check when stores learn something new.
type scopedStore struct {
	all    store.Store
	mu     sync.Mutex
	groups map[string]groupOf // by study
}

// groupOf is the group of a study, as its log says up to a version.
type groupOf struct {
	id      string // of the study, which tells it from another of the same name
	version int64
	digest  string // of the event at that version
	group   string
}

// isIn says whether a log, or the end of it, has the last event that is known.
func (g groupOf) isIn(h store.Header, events []study.Event) bool {
	return h.ID == g.id && slices.ContainsFunc(events, func(e study.Event) bool { return e.Seq == g.version && e.Digest == g.digest })
}

var _ store.Store = (*scopedStore)(nil)

func newScopedStore(all store.Store) *scopedStore {
	return &scopedStore{all: all, groups: map[string]groupOf{}}
}

// Read is one read of the store, which brings what is new about the group as well. The last event that is known is read again: if it is another one, the
// log was restored from a backup, and the group of old may be wrong.
func (s *scopedStore) Read(ctx context.Context, name string, after int64) (store.Header, []study.Event, error) {
	if seesAll(ctx) {
		return s.all.Read(ctx, name, after)
	}
	known := s.known(name)
	h, events, err := s.all.Read(ctx, name, min(after, max(known.version-1, 0)))
	if err == nil && known.version > 0 && !known.isIn(h, events) { // another study of that name, or another log
		known = groupOf{}
		h, events, err = s.all.Read(ctx, name, 0)
	}
	if err != nil {
		if isDamage(err) && !(known.version > 0 && sees(ctx, known.group)) {
			err = store.NotFound(name) // that it is damaged is nobody else's business
		}
		return store.Header{}, nil, err
	}
	known.id = h.ID
	for _, e := range events {
		if e.Seq <= known.version {
			continue
		}
		known.version, known.digest = e.Seq, e.Digest
		if e.Kind == study.EventLabelled && e.Labels != nil {
			known.group = e.Labels.Group
		}
	}
	s.note(name, known)
	if !sees(ctx, known.group) {
		return store.Header{}, nil, store.NotFound(name)
	}
	return h, slices.DeleteFunc(events, func(e study.Event) bool { return e.Seq <= after }), nil
}

// Create adds a study to the group of whoever creates it. Until its first event says so, nobody with a group sees it.
func (s *scopedStore) Create(ctx context.Context, h store.Header) error {
	by := tokenIn(ctx)
	if err := s.all.Create(ctx, h); err != nil || by.Group == "" {
		return err
	}
	_, err := store.Follow(s.all, h.Name).Update(ctx, func(*study.Record, store.Header) ([]study.Event, error) {
		return []study.Event{{Kind: study.EventLabelled, At: time.Now().UTC(), Labels: &study.Labels{Owner: by.ID, Group: by.Group}}}, nil
	})
	return err
}

func (s *scopedStore) List(ctx context.Context) ([]store.Header, error) {
	list, err := s.all.List(ctx)
	return seen(ctx, s, list, func(h store.Header) string { return h.Name }, err)
}

func (s *scopedStore) Heads(ctx context.Context) ([]store.Head, error) {
	list, err := s.all.Heads(ctx)
	return seen(ctx, s, list, func(h store.Head) string { return h.Name }, err)
}

func (s *scopedStore) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	if err := s.check(ctx, name); err != nil {
		return err
	}
	return s.all.Append(ctx, name, version, events...)
}

func (s *scopedStore) Touch(ctx context.Context, name string, trials []int, at time.Time) error {
	if err := s.check(ctx, name); err != nil {
		return err
	}
	return s.all.Touch(ctx, name, trials, at)
}

func (s *scopedStore) Touched(ctx context.Context, name string) (map[int]time.Time, error) {
	if err := s.check(ctx, name); err != nil {
		return nil, err
	}
	return s.all.Touched(ctx, name)
}

// Rename says that the other name is taken, whoever has taken it: two studies cannot have one name.
func (s *scopedStore) Rename(ctx context.Context, name, to string) error {
	if err := s.check(ctx, name); err != nil {
		return err
	}
	return s.all.Rename(ctx, name, to)
}

func (s *scopedStore) Delete(ctx context.Context, name string) error {
	if err := s.check(ctx, name); err != nil {
		return err
	}
	return s.all.Delete(ctx, name)
}

func (s *scopedStore) Retire(ctx context.Context, name string) error {
	if err := s.check(ctx, name); err != nil {
		return err
	}
	return s.all.Retire(ctx, name)
}

// Former says what a name meant before, to those who see what it means now.
func (s *scopedStore) Former(ctx context.Context, name string) ([]string, error) {
	if err := s.check(ctx, name); err != nil {
		return nil, err
	}
	return s.all.Former(ctx, name)
}

func (s *scopedStore) Ready(ctx context.Context) error { return s.all.Ready(ctx) }

func (s *scopedStore) Close() error { return s.all.Close() }

// scopedFiles are the files of a store as the sender of the current request sees them.
type scopedFiles struct {
	of  *scopedStore
	all store.Files
}

// files returns the files of the store, if it keeps any.
func (s *scopedStore) files() (store.Files, bool) {
	all, ok := s.all.(store.Files)
	return scopedFiles{s, all}, ok
}

func (f scopedFiles) AppendFile(ctx context.Context, study string, file store.File, offset int64, data []byte, l store.FileLimits) (int64, error) {
	if err := f.of.check(ctx, study); err != nil {
		return 0, err
	}
	return f.all.AppendFile(ctx, study, file, offset, data, l)
}

func (f scopedFiles) ReadFile(ctx context.Context, study string, trial int, name string, offset, most int64) (store.File, []store.Part, error) {
	if err := f.of.check(ctx, study); err != nil {
		return store.File{}, nil, err
	}
	return f.all.ReadFile(ctx, study, trial, name, offset, most)
}

func (f scopedFiles) Files(ctx context.Context, study string, trial int) ([]store.File, error) {
	if err := f.of.check(ctx, study); err != nil {
		return nil, err
	}
	return f.all.Files(ctx, study, trial)
}

// check returns ErrNotFound if the sender of the current request sees no study of that name.
func (s *scopedStore) check(ctx context.Context, name string) error {
	if seesAll(ctx) {
		return nil
	}
	_, _, err := s.Read(ctx, name, math.MaxInt64)
	return err
}

// seen leaves out of a list what the sender of the current request must not see.
func seen[T any](ctx context.Context, s *scopedStore, list []T, name func(T) string, err error) ([]T, error) {
	if err != nil || seesAll(ctx) {
		return list, err
	}
	return slices.DeleteFunc(list, func(one T) bool { return s.check(ctx, name(one)) != nil }), nil
}

func (s *scopedStore) known(name string) groupOf {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups[name]
}

func (s *scopedStore) note(name string, g groupOf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[name] = g
}
