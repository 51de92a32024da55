package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// takeEarlier reads the results that a study file starts from. Those in a file are read here, since a store knows no files; those of a study in the
// store only for a preview, which has a store of its own. If the study has begun, its log has the results, whatever happened
// to where they came from.
func (a *app) takeEarlier(ctx context.Context, s *study.Study, file string, m mode) error {
	if s.StartFrom == "" || m == known || !s.StartsFromFile() && m != previews {
		return nil
	}
	if begun, err := a.has(ctx, s.Name); begun || err != nil {
		return err
	}
	var err error
	if s.StartsFromFile() {
		s.Earlier, err = readEarlier(ctx, s, file)
		return err
	}
	if has, err := a.has(ctx, s.StartFrom); err != nil || !has {
		return err // and the preview says that there is no such study
	}
	p, of, err := broker.Earlier(ctx, a.opened, s.StartFrom)
	if err == nil {
		s.Earlier, err = broker.FitEarlier(s, p, of)
	}
	return err
}

// readEarlier reads the file that a study starts from: results of any form that import knows, or a store, perhaps with the name of one of its
// studies, such as old.db#kiln.
func readEarlier(ctx context.Context, s *study.Study, file string) (*study.Prior, error) {
	path, name, _ := strings.Cut(s.StartFrom, "#")
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	if !isFile(path) {
		return nil, fault.New(fault.BadStudy, "give a path from the study file's folder, or the name of a study in the store", "start_from: there is no file %s", path)
	}
	head, err := readSome(path, sqlite.HeadSize)
	if err != nil {
		return nil, usage("give a file that you may read", "%s cannot be read: %v", path, cause(err))
	}
	if sqlite.IsStore(head) {
		return earlierIn(ctx, s, path, name)
	}
	t, err := readResults(ctx, path, name)
	if err != nil {
		return nil, err
	}
	p, err := results.Earlier(t, s)
	if err != nil {
		return nil, err
	}
	p.From = s.StartFrom
	return broker.FitEarlier(s, p, nil)
}

// earlierIn returns the results of a study in another store.
func earlierIn(ctx context.Context, s *study.Study, path, name string) (*study.Prior, error) {
	st, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	list, err := st.List(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, h := range list {
		names = append(names, h.Name)
	}
	switch {
	case name == "" && len(names) == 1:
		name = names[0]
	case name == "":
		return nil, fault.New(fault.BadStudy, "name one, such as start_from: "+s.StartFrom+"#"+first(names), "start_from: %s has %d studies", path, len(names))
	}
	p, of, err := broker.Earlier(ctx, st, name)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, fault.New(fault.BadStudy, guess(name, names, "choose "+oneOf(names)), "start_from: there is no study %q in %s", name, path)
	}
	if err != nil {
		return nil, err
	}
	p.From = s.StartFrom
	return broker.FitEarlier(s, p, of)
}
