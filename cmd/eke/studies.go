package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/store"
)

// mode is what a verb may do with a study.
type mode int

const (
	known mode = iota // the study must be in the store
	joins             // a study file's study is put into the store if it is not there
)

// habitual is the study file that is meant if none is named.
const habitual = "study.yaml"

// study finds the study that an argument means: a study file, or a name in the store.
func (a *app) study(ctx context.Context, arg string, m mode) (*broker.Broker, error) {
	file, err := a.fileOf(ctx, arg, m)
	if err != nil {
		return nil, err
	}
	if file == "" {
		return a.named(ctx, arg)
	}
	s, err := readStudyFile(file)
	if err != nil {
		return nil, err
	}
	if m == joins {
		st, err := a.open(ctx)
		if err != nil {
			return nil, err
		}
		return broker.Join(ctx, st, s)
	}
	d, err := a.named(ctx, s.Name)
	if own := (*failure)(nil); errors.As(err, &own) && own.code == exitNotFound {
		return nil, &failure{exitNotFound, fmt.Sprintf("the study %s of %s has not begun: %s", s.Name, file, own.message), "begin it: eke run " + file}
	}
	return d, err
}

// openForRun finds the study to run, and puts it into the store if need be.
func (a *app) openForRun(ctx context.Context, arg string) (*broker.Broker, error) {
	return a.study(ctx, arg, joins)
}

// fileOf returns the study file that an argument means, or nothing if it means a name in the store.
func (a *app) fileOf(ctx context.Context, arg string, m mode) (string, error) {
	switch {
	case arg == "" && m == joins && isFile(habitual):
		return habitual, nil
	case arg == "" && isFile(habitual):
		// Of several studies, the one whose file is here.
		if list, err := a.list(ctx); err == nil && len(list) > 1 {
			return habitual, nil
		}
		return "", nil
	case arg == "":
		return "", nil
	case looksLikeFile(arg):
		return arg, nil
	case !isFile(arg):
		return "", nil
	}
	// A program may well be called as the study that tunes it.
	if !a.hasStore() {
		return arg, nil
	}
	list, err := a.list(ctx)
	for _, h := range list {
		if h.Name == arg {
			return "", nil
		}
	}
	return arg, err
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
	list, err := a.list(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, h := range list {
		names[i] = h.Name
	}
	switch {
	case len(names) == 0:
		return nil, &failure{exitNotFound, "there is no study in " + placeOf(a.db) + " yet", "begin one: eke run study.yaml; eke init writes the file"}
	case name == "" && len(names) > 1:
		return nil, usage("name one: "+strings.Join(names, ", "), "%s has %d studies", placeOf(a.db), len(names))
	case name == "":
		name = names[0]
	}
	d, err := broker.Open(ctx, a.opened, name)
	if errors.Is(err, store.ErrNotFound) {
		hint := "there is " + strings.Join(names, ", ")
		if meant := nearest(name, names); meant != "" {
			hint = "did you mean " + meant + "?"
		}
		return nil, &failure{exitNotFound, fmt.Sprintf("there is no study %q in %s", name, placeOf(a.db)), hint}
	}
	return d, err
}

// hasStore says whether there is anything where the store should be.
func (a *app) hasStore() bool {
	if isDatabase(a.db) {
		return true // who names one means it; whether it is there is told when it is opened
	}
	_, err := os.Stat(a.db)
	return !errors.Is(err, fs.ErrNotExist)
}

// list returns the studies of the store, which must be there: who only looks makes no store.
func (a *app) list(ctx context.Context) ([]store.Header, error) {
	if !a.hasStore() {
		return nil, &failure{exitNotFound, "there is no store at " + a.db,
			"begin a study with: eke run; or name the store that has it: --db FILE"}
	}
	st, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	return st.List(ctx)
}

// open opens the store, and makes it if it is not there.
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
	list, err := a.list(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, h := range list {
		names = append(names, h.Name)
	}
	return names, cobra.ShellCompDirectiveDefault // study files do as well
}
