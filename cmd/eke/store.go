package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/postgres"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// open opens the store, and creates it if necessary.
func (a *app) open(ctx context.Context) (store.Store, error) {
	if a.opened != nil {
		return a.opened, nil
	}
	if a.at.server != "" {
		client, err := a.at.client()
		if err != nil {
			return nil, err
		}
		a.opened = newRemote(client)
		return a.opened, nil
	}
	st, err := openStore(ctx, a.db)
	if err != nil {
		return nil, err
	}
	a.opened = st
	return st, nil
}

// openStore opens a store of either kind.
func openStore(ctx context.Context, db string) (store.Store, error) {
	if isDatabase(db) {
		return postgres.Open(ctx, db)
	}
	st, err := sqlite.Open(ctx, db)
	if errors.Is(err, store.ErrReadOnly) { // looking at it is possible all the same
		return sqlite.OpenReading(ctx, db, err)
	}
	return st, err
}

// names returns the names of the studies in the store.
func (a *app) names(ctx context.Context) (names []string, err error) {
	list, err := a.heads(ctx)
	for _, h := range list {
		names = append(names, h.Name)
	}
	return names, err
}

// heads lists the studies without reading them, so that a damaged one does not hide the others.
func (a *app) heads(ctx context.Context) ([]store.Head, error) {
	st, err := a.existing(ctx)
	if err != nil {
		return nil, err
	}
	return st.Heads(ctx)
}

// existing opens the store, and does not create one, since a command that only reads must not.
func (a *app) existing(ctx context.Context) (store.Store, error) {
	if !a.hasStore() {
		return nil, a.noStore()
	}
	return a.open(ctx)
}

// hasStore reports whether there is anything where the store should be.
func (a *app) hasStore() bool {
	if isDatabase(a.db) || a.at.server != "" {
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

// hasPassword reports whether the URL of a database has a password in it.
func hasPassword(db string) bool {
	u, err := url.Parse(db)
	if err != nil || !isDatabase(db) {
		return false
	}
	_, inUser := u.User.Password()
	return inUser || u.Query().Has("password")
}

// place names in messages where the studies are.
func (a *app) place() string { return cmp.Or(a.at.server, placeOf(a.db)) }

// placeOf names a store in messages, without the password that a URL may have.
func placeOf(db string) string {
	if isDatabase(db) {
		return postgres.Place(db)
	}
	return db
}

// trialsOf is the folder for the files of a store's trials: beside the store, or here if the store is a database.
func trialsOf(db string) string {
	if isDatabase(db) {
		return "eke.trials"
	}
	return strings.TrimSuffix(db, ".db") + ".trials"
}

// isDatabase reports whether a store is given by the URL of a database rather than by a path.
func isDatabase(db string) bool {
	return strings.HasPrefix(db, "postgres://") || strings.HasPrefix(db, "postgresql://")
}

// runnersFolder is where the runs of a study have their workspaces, in the folder of its trials.
const runnersFolder = "runners"

// folderOf is the folder for the files of a study's trials, inside the folder for all studies. It has the study's name. The exception is a
// study that was renamed while its folder was not, because the command was killed or a run was at work. Its folder is then found by its
// workspaces. It is renamed then, unless jobs of a cluster have its path.
func (a *app) folderOf(ctx context.Context, all string, h store.Header, hasJobs bool) (string, error) {
	named := filepath.Join(all, h.Name)
	if h.ID == "" || isWorkedOn(named, h.ID) {
		return named, nil
	}
	entries, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		if old := filepath.Join(all, e.Name()); e.IsDir() && isWorkedOn(old, h.ID) {
			if !hasJobs && !exists(named) && !runner.IsAtWork(filepath.Join(old, runnersFolder)) && os.Rename(old, named) == nil {
				return named, nil
			}
			return old, nil
		}
	}
	inUse, err := a.isInUse(ctx, named)
	if inUse {
		named += "-" + h.ID[:min(8, len(h.ID))]
	}
	return named, err
}

// hasJobs reports whether jobs of a study may be under way on a cluster, where they go on without eke.
func hasJobs(s *study.Study, r *study.Record) bool { return s.OnCluster() && len(r.Open()) > 0 }

// isInUse reports whether a study that is there was worked on in a folder. Its name may be another by now.
func (a *app) isInUse(ctx context.Context, folder string) (bool, error) {
	heads, err := a.opened.Heads(ctx)
	return slices.ContainsFunc(heads, func(h store.Head) bool { return isWorkedOn(folder, h.ID) }), err
}

// isWorkedOn reports whether a folder has workspaces of a study.
func isWorkedOn(folder, id string) bool {
	return id != "" && slices.Contains(runner.StudiesIn(filepath.Join(folder, runnersFolder)), id)
}

// exists reports whether there is anything of that name, a link that leads nowhere included.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
