package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

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
