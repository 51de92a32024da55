package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/store"
)

// runnersFolder is where the runs of a study have their workspaces, in the folder of its trials.
const runnersFolder = "runners"

// folderOf is the folder for the files of a study's trials, inside the folder for all studies. It has the study's name. The exception is a
// study that was renamed while its folder was not, because the command was killed or a run was at work. Its folder is then found by its
// workspaces.
func (a *app) folderOf(ctx context.Context, all string, h store.Header) (string, error) {
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
			if !exists(named) && !runner.IsAtWork(filepath.Join(old, runnersFolder)) && os.Rename(old, named) == nil {
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
