package server

import (
	"context"

	"github.com/eke-bo/eke/store"
)

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
