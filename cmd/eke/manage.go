package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func copyCommand(a *app) *cobra.Command {
	var budget float64
	var results bool
	var c connection
	cmd := &cobra.Command{
		Use:   "copy [STUDY] NAME",
		Short: "Make a new study like another one",
		Long: `Make a new study like another one, under another name. It has no trials. With --results it knows the results of the original, for
free, and goes on from there. To change more than the budget, edit a copy of the study file instead and run that.

With --server, both studies are on that server.`,
		Example: `  eke study copy kiln kiln-2 --budget 50 --results
  EKE_TOKEN=… eke study copy kiln kiln-2 --server https://eke.example.org`,

		SuggestFor:        []string{"cp", "duplicate", "clone", "fork"},
		ValidArgsFunction: a.completeStudies,
		Args:              from1To(2, "write: eke study copy [STUDY] NAME", "the new name is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, to := studyAnd(args)
			if err := study.CheckName(to); err != nil {
				return err
			}
			if cmd.Flags().Changed("budget") && (!(budget > 0) || budget > study.MaxAmount) {
				return usage("give an amount above 0", "--budget is %v", budget)
			}
			if c.server != "" {
				return a.copyOn(cmd.Context(), c, arg, api.CopyRequest{Name: to, Results: results}, budget)
			}
			return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
				defined := *d.Study()
				defined.Name, defined.Earlier = to, r.Earlier // what was read then: a file, or a study that may be gone
				if defined.Budget.Total = r.Ledger.Total; cmd.Flags().Changed("budget") {
					defined.Budget.Total = budget
				}
				return a.copyStudy(ctx, d, r, &defined, results)
			})
		},
	}
	c.add(cmd.Flags())
	cmd.Flags().Float64Var(&budget, "budget", 0, "the budget of the new study (default: the budget of the original, with what was added to it)")
	cmd.Flags().BoolVar(&results, "results", false, "let it know the results of the original")
	return cmd
}

func (a *app) copyStudy(ctx context.Context, d *broker.Broker, r *study.Record, defined *study.Study, results bool) error {
	made, err := broker.Create(ctx, a.opened, defined)
	if err != nil {
		return err
	}
	if err := made.Label(ctx, func(l *study.Labels) { l.Tags, l.Group = r.Labels.Tags, r.Labels.Group }); err != nil {
		return err
	}
	count := 0
	if results {
		done, err := made.Import(ctx, made.Allowed(broker.Measured(r)), false)
		if err != nil {
			return err
		}
		count = done.Added
	}
	return a.showCopy(defined.Name, d.Study().Name, results, count)
}

// copyOn is copy on a server. A budget of 0 is that of the other study.
func (a *app) copyOn(ctx context.Context, c connection, name string, how api.CopyRequest, budget float64) error {
	client, err := c.clientFor(name)
	if err != nil {
		return err
	}
	of, err := client.Study(ctx, api.Place{Study: name})
	if err != nil {
		return serverProblem(ctx, client, name, err)
	}
	if budget > 0 {
		changed := of.Definition.Budget
		changed.Total = budget
		how.Changes = map[string]any{"budget": changed}
	}
	made, err := client.Copy(ctx, name, how)
	if err != nil {
		return serverProblem(ctx, client, name, err)
	}
	return a.showCopy(made.Name, name, how.Results, made.Known)
}

func (a *app) showCopy(name, of string, results bool, count int) error {
	told := struct {
		Study   string `json:"study"`
		Of      string `json:"of"`
		Results int    `json:"results"`
	}{name, of, count}
	return a.show(told, func() {
		a.printf("study %s is a copy of %s", name, of)
		if results {
			a.printf(", and knows its %s", say.Count(count, "result"))
		}
		a.printf("\n")
	})
}

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
			return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
				return a.rename(ctx, d, r, to)
			})
		},
	}
}

func (a *app) rename(ctx context.Context, d *broker.Broker, r *study.Record, to string) error {
	from := d.Study().Name
	header, err := d.Header(ctx)
	if err != nil {
		return err
	}
	old, err := a.folderOf(ctx, trialsOf(a.db), header, hasJobs(d.Study(), r))
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

func labelCommand(a *app) *cobra.Command {
	var tag, untag []string
	var notes, group string
	var c connection
	cmd := &cobra.Command{
		Use:   "label [STUDY]",
		Short: "Change the tags and the notes of a study, or show them",
		Long: `Change what is written on a study: tags, by which eke study list finds it, and notes in Markdown. Without a flag, they are shown.

--group says whose tokens may see the study on a server (eke token new --group); an empty one means that all may.

With --server, the study is on that server.`,
		Example: `  eke study label kiln --tag autumn --tag oven-2
  eke study label kiln --untag oven-2 --notes "The *second* firing."
  eke study list --tag autumn
  EKE_TOKEN=… eke study label kiln --tag autumn --server https://eke.example.org`,
		SuggestFor:        []string{"tag", "note", "notes", "annotate"},
		ValidArgsFunction: a.completeStudies,
		Args:              atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			change := func(l *study.Labels) {
				l.Tags = slices.DeleteFunc(append(slices.Clone(l.Tags), tag...), func(t string) bool { return slices.Contains(untag, t) })
				if cmd.Flags().Changed("notes") {
					l.Notes = notes
				}
				if cmd.Flags().Changed("group") {
					l.Group = group
				}
			}
			if c.server != "" {
				return a.labelOn(cmd.Context(), c, first(args), change)
			}
			return a.withStudy(cmd.Context(), first(args), known, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
				if err := d.Label(ctx, change); err != nil {
					return err
				}
				r, err := d.Record(ctx)
				if err != nil {
					return err
				}
				return a.show(r.Labels, func() { a.printLabels(d.Study().Name, r.Labels) })
			})
		},
	}
	c.add(cmd.Flags())
	cmd.Flags().StringSliceVar(&tag, "tag", nil, "add a `tag`; repeat for more")
	cmd.Flags().StringSliceVar(&untag, "untag", nil, "remove a `tag`; repeat for more")
	cmd.Flags().StringVar(&notes, "notes", "", "replace the notes, a `text` in Markdown")
	cmd.Flags().StringVar(&group, "group", "", "the `group` whose tokens may see the study on a server")
	return cmd
}

// labelOn is label for a study on a server. Only what changes is sent: who may change tags need not be allowed to change the group.
func (a *app) labelOn(ctx context.Context, c connection, name string, change func(*study.Labels)) error {
	client, err := c.clientFor(name)
	if err != nil {
		return err
	}
	s, err := client.Study(ctx, api.Place{Study: name})
	if err != nil {
		return serverProblem(ctx, client, name, err)
	}
	was := study.Labels{Tags: s.Tags, Notes: s.Notes, Owner: s.Owner, Group: s.Group}
	now := was
	change(&now)
	var request api.LabelRequest
	if !slices.Equal(now.Tags, was.Tags) {
		request.Tags = &now.Tags
	}
	if now.Notes != was.Notes {
		request.Notes = &now.Notes
	}
	if now.Group != was.Group {
		request.Group = &now.Group
	}
	if request != (api.LabelRequest{}) {
		if s, err = client.Label(ctx, name, request); err != nil {
			return serverProblem(ctx, client, name, err)
		}
	}
	labels := study.Labels{Tags: s.Tags, Notes: s.Notes, Owner: s.Owner, Group: s.Group}
	return a.show(labels, func() { a.printLabels(name, labels) })
}

func (a *app) printLabels(name string, l study.Labels) {
	a.printf("study %s\n", name)
	for _, row := range [][2]string{{"tags", strings.Join(l.Tags, ", ")}, {"group", l.Group}, {"owner", l.Owner}} {
		if row[1] != "" {
			a.printf("  %-6s %s\n", row[0], row[1])
		}
	}
	if l.Notes != "" {
		a.printf("\n%s\n", l.Notes)
	}
}

func deleteCommand(a *app) *cobra.Command {
	var yes bool
	var file string
	cmd := &cobra.Command{
		Use:   "delete STUDY",
		Short: "Delete a study for good, after exporting it",
		Long: `Delete a study from the store, for good: its trials, what they cost, and its history. All of it is exported first, to
STUDY.deleted.json unless --export names another file. The folder with its trials' files stays.

It asks before it deletes; --yes answers. eke study archive puts a study away without losing anything.`,
		Example: `  eke study delete kiln
  eke study delete kiln --yes --export kiln.json`,
		SuggestFor:        []string{"rm", "drop"},
		ValidArgsFunction: a.completeStudies,
		Args:              from1To(1, "write: eke study delete STUDY", "the study's name is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withStudy(cmd.Context(), args[0], known, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
				return a.delete(ctx, d, r, file, yes)
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&file, "export", "", "the `file` to export to (default: STUDY.deleted.json)")
	return cmd
}

func (a *app) delete(ctx context.Context, d *broker.Broker, r *study.Record, file string, yes bool) error {
	s := d.Study()
	if err := r.Idle("deleted"); err != nil {
		return err
	}
	lost := fmt.Sprintf("%s, %s spent, and their history", say.Count(len(r.Trials), "trial"), say.Amount(s.Cost, r.Ledger.Spent))
	if !yes && !a.confirm(fmt.Sprintf("This deletes study %s for good: %s. Type its name to go on: ", s.Name, lost), s.Name) {
		return fault.New(fault.Interrupted, "type its name, or give --yes; eke study archive puts a study away and loses nothing", "study %s is not deleted", s.Name)
	}
	// Once it is archived nothing can be added to what is exported.
	if err := d.Archive(ctx, true); err != nil {
		return err
	}
	if file == "" {
		file = unused(s.Name+".deleted", ".json")
	}
	e, err := a.export(ctx, s, true)
	if err != nil {
		return err
	}
	if err := intoFile(file, func(w io.Writer) error { return writeJSON(w, e) }); err != nil {
		return err
	}
	if err := d.Delete(ctx); err != nil {
		return err
	}
	told := struct {
		Deleted string `json:"deleted"`
		Export  string `json:"export"`
		Trials  int    `json:"trials"`
	}{s.Name, file, len(r.Trials)}
	return a.show(told, func() {
		a.printf("study %s is deleted: %s; all of it is in %s\n", s.Name, lost, file)
		if folder := filepath.Join(trialsOf(a.db), s.Name); isFolder(folder) {
			a.printf("the files of its trials are still in %s\n", folder)
		}
	})
}

// confirm asks for a word. Nobody answers where there is no terminal, unless the answer is piped in.
func (a *app) confirm(question, word string) bool {
	fmt.Fprint(a.err, printable(question))
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	return strings.TrimSpace(line) == word
}

// unused returns a file name that is not taken.
func unused(base, ext string) string {
	for n := 1; ; n++ {
		name := base + ext
		if n > 1 {
			name = fmt.Sprintf("%s.%d%s", base, n, ext)
		}
		if _, err := os.Lstat(name); err != nil {
			return name
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
