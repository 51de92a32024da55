package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

func renameCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rename [STUDY] NAME",
		Short: "Give a study another name",
		Long: `Give a study another name. Its trials, its budget and its history stay as they are, and the folder with its trials' files is renamed
as well. Change name: in the study file too, or the next eke run is refused. A run of the study goes on under the new name.`,
		Example:           `  eke study rename kiln kiln-2026`,
		SuggestFor:        []string{"mv", "move"},
		ValidArgsFunction: a.completeStudies,
		Args:              from1To(2, "write: eke study rename [STUDY] NAME", "the new name is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, to := studyAnd(args)
			if err := study.CheckName(to); err != nil {
				return err
			}
			return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
				return a.rename(ctx, d, to)
			})
		},
	}
}

func (a *app) rename(ctx context.Context, d *broker.Broker, to string) error {
	from := d.Study().Name
	header, err := d.Header(ctx)
	if err != nil {
		return err
	}
	old, err := a.folderOf(ctx, trialsOf(a.db), header)
	if err != nil {
		return err
	}
	folder := filepath.Join(trialsOf(a.db), to)
	inUse, err := a.isInUse(ctx, folder)
	switch {
	case err != nil:
		return err
	case exists(folder) && !inUse:
		return wrong("move it away first", "there is a folder %s already, with the trials of another study", folder)
	}
	if err := d.Rename(ctx, to); err != nil {
		return err
	}
	move := os.Rename
	if inUse { // by a study that was renamed while a run was at work: this one's stays where it is, and is found there
		move = func(string, string) error { return nil }
	} else if runner.IsAtWork(filepath.Join(old, runnersFolder)) { // who works there knows the folder by its old name
		move = func(_, to string) error { return os.Symlink(filepath.Base(old), to) }
	}
	if moved := move(old, folder); moved != nil && !errors.Is(moved, fs.ErrNotExist) {
		return wrong("rename it by hand to "+folder, "the study is renamed, but the folder with its trials' files is not: %v", cause(moved))
	}
	told := struct {
		Study string `json:"study"`
		Was   string `json:"was"`
	}{to, from}
	return a.show(told, func() {
		a.printf("study %s is now called %s\n", from, to)
		if s, err := readStudyFile(habitual); err == nil && s.Name == from {
			a.printf("note: %s still says name: %s; change it there too\n", habitual, from)
		}
	})
}
