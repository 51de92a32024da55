package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// mode is what a verb may do with a study.
type mode int

const (
	known    mode = iota // the study must be in the store
	joins                // a study file's study is put into the store if it is not there
	previews             // the same, but into a store that is thrown away
)

// habitual is the study file to use if none is named.
const habitual = "study.yaml"

// study finds the study that an argument means: a study file or a name in the store.
func (a *app) study(ctx context.Context, arg string, m mode) (*broker.Broker, error) {
	file, err := a.fileOf(ctx, arg, m)
	if err != nil {
		return nil, err
	}
	if file == "" {
		return a.named(ctx, arg)
	}
	s, err := readStudyFile(file)
	if err == nil {
		err = a.takeEarlier(ctx, s, file, m)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case m == joins:
		return a.join(ctx, s)
	case m == previews:
		begun, err := a.has(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		if begun {
			return a.preview(ctx, s)
		}
		return broker.Create(ctx, store.Memory(), s)
	}
	d, err := a.named(ctx, s.Name)
	if fault.CodeOf(err) == fault.NotFound {
		err = fault.Errorf("begin it: eke run "+file, "the study %s of %s has not begun: %w", s.Name, file, err)
	}
	return d, err
}

// begin changes a study, which a study file may describe that has not begun. It begins only if the change is possible, which is tried
// on a study that is thrown away.
func (a *app) begin(ctx context.Context, arg string, change func(*broker.Broker) error) (*broker.Broker, error) {
	file, err := a.fileOf(ctx, arg, joins)
	if err != nil {
		return nil, err
	}
	if file != "" {
		s, err := readStudyFile(file)
		if err != nil {
			return nil, err
		}
		if begun, err := a.has(ctx, s.Name); err != nil {
			return nil, err
		} else if !begun {
			d, err := a.study(ctx, file, previews)
			if err == nil {
				err = change(d)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	d, err := a.study(ctx, arg, joins)
	if err != nil {
		return nil, err
	}
	return d, change(d)
}

// join opens the study that a file describes, and puts it into the store if it is not there.
func (a *app) join(ctx context.Context, s *study.Study) (*broker.Broker, error) {
	st, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	d, err := a.joinIn(ctx, st, s, "")
	if err == nil {
		a.joined = append(a.joined, d)
	}
	return d, err
}

func (a *app) joinIn(ctx context.Context, st store.Store, s *study.Study, note string) (*broker.Broker, error) {
	d, err := broker.Join(ctx, st, s)
	if errors.Is(err, broker.ErrDiffers) {
		err = fault.Errorf("to continue that study, undo the changes; to begin a new one, change name: in the file", "%w", err)
	}
	if err == nil && !a.json {
		for _, change := range d.Changes() {
			fmt.Fprintf(a.err, "eke: study %s: %s%s\n", s.Name, note, printable(change))
		}
	}
	return d, err
}

// preview is join on a copy of the study, so that nothing is changed.
func (a *app) preview(ctx context.Context, s *study.Study) (*broker.Broker, error) {
	header, events, err := a.opened.Read(ctx, s.Name, 0)
	if err != nil {
		return nil, err
	}
	copied := store.Memory()
	if err := errors.Join(copied.Create(ctx, header), copied.Append(ctx, s.Name, 0, events...)); err != nil {
		return nil, err
	}
	return a.joinIn(ctx, copied, s, "a run would say: ")
}

// fileOf returns the study file that an argument means. It is empty if the argument is a name in the store.
func (a *app) fileOf(ctx context.Context, arg string, m mode) (string, error) {
	switch {
	case arg == "" && m != known && isFile(habitual):
		return habitual, nil
	case arg == "" && isFile(habitual):
		// If there are several studies, take the one whose file is here.
		if list, err := a.list(ctx); err == nil && len(list) > 1 {
			return habitual, nil
		}
		return "", nil
	case arg != "" && looksLikeFile(arg):
		return arg, nil
	case !isFile(arg):
		return "", nil
	}
	// A program and the study that tunes it may have the same name.
	begun, err := a.has(ctx, arg)
	if begun {
		return "", nil
	}
	return arg, err
}

// has reports whether the store has a study of this name.
func (a *app) has(ctx context.Context, name string) (bool, error) {
	if !a.hasStore() {
		return false, nil
	}
	names, err := a.names(ctx)
	return slices.Contains(names, name), err
}

func looksLikeFile(arg string) bool {
	ext := strings.ToLower(filepath.Ext(arg))
	return ext == ".yaml" || ext == ".yml" || filepath.Base(arg) != arg
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// named opens a study in the store; without a name, the only one.
func (a *app) named(ctx context.Context, name string) (*broker.Broker, error) {
	names, err := a.names(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case len(names) == 0:
		return nil, fault.New(fault.NotFound, "begin one: eke run study.yaml; eke init writes the file", "there is no study in %s yet", placeOf(a.db))
	case name == "" && len(names) > 1:
		return nil, usage("name one: "+strings.Join(names, ", "), "%s has %d studies", placeOf(a.db), len(names))
	case name == "":
		name = names[0]
	}
	d, err := broker.Open(ctx, a.opened, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fault.New(fault.NotFound, guess(name, names, "choose "+oneOf(names)), "there is no study %q in %s", name, placeOf(a.db))
	}
	if err == nil {
		a.joined = append(a.joined, d)
	}
	return d, err
}

// hasStore reports whether there is anything where the store should be.
func (a *app) hasStore() bool {
	if isDatabase(a.db) {
		return true // opening it will show whether it is there
	}
	_, err := os.Stat(a.db)
	return !errors.Is(err, fs.ErrNotExist)
}

// noStore says how to begin, from where the user stands: with a study file, or without one.
func (a *app) noStore() error {
	const elsewhere = "; if the store is elsewhere, name it: --db FILE"
	if isFile(habitual) {
		return fault.New(fault.NotFound, "begin the study of "+habitual+": eke run"+elsewhere, "there is no store at %s", a.db)
	}
	return fault.New(fault.NotFound, "write a study file: eke init; or name yours: eke run FILE"+elsewhere, "there is no store at %s, and no %s here", a.db, habitual)
}

// list returns the studies of the store. It does not create a store, since a command that only reads must not.
func (a *app) list(ctx context.Context) ([]store.Header, error) {
	if !a.hasStore() {
		return nil, a.noStore()
	}
	st, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	return st.List(ctx)
}

// heads lists the studies without reading them, so that a damaged one does not hide the others.
func (a *app) heads(ctx context.Context) ([]store.Head, error) {
	if !a.hasStore() {
		return nil, a.noStore()
	}
	st, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	return st.Heads(ctx)
}

// names returns the names of the studies in the store.
func (a *app) names(ctx context.Context) (names []string, err error) {
	list, err := a.list(ctx)
	for _, h := range list {
		names = append(names, h.Name)
	}
	return names, err
}

// open opens the store, and creates it if necessary.
func (a *app) open(ctx context.Context) (store.Store, error) {
	if a.opened != nil {
		return a.opened, nil
	}
	st, err := openStore(ctx, a.db)
	if err != nil {
		return nil, err
	}
	a.opened = st
	return st, nil
}

// completeStudies offers the names of studies to the shell.
func (a *app) completeStudies(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _ := a.names(cmd.Context())            // without a store there are none
	return names, cobra.ShellCompDirectiveDefault // study files are possible as well
}
