package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func studyCommand(a *app) *cobra.Command {
	return family(&cobra.Command{Use: "study", Short: "List, create, copy, rename, label, archive or delete studies", SuggestFor: []string{"list", "ls", "find", "new", "create", "mv", "rm"}},
		listCommand(a, "list"), studyCreateCommand(a), copyCommand(a), renameCommand(a), labelCommand(a), archiveCommand(a), deleteCommand(a))
}

func studyCreateCommand(a *app) *cobra.Command {
	var c connection
	cmd := &cobra.Command{
		Use:   "create [FILE]",
		Short: "Create a study from a study file, and run nothing",
		Long: `Create a study from a study file (default: study.yaml), and run nothing. With --server the study is created on that server,
where workers, programs and people find it; without, in the store.

On a server that has tokens you need one of the role admin: eke token new --role admin.`,
		Example: `  eke study create kiln.yaml
  EKE_TOKEN=… eke study create kiln.yaml --server https://eke.example.org`,
		SuggestFor: []string{"new", "add"},
		Args:       atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.createStudy(cmd.Context(), cmp.Or(first(args), habitual), c)
		},
	}
	c.add(cmd.Flags())
	return cmd
}

// createdStudy is what study create prints.
type createdStudy struct {
	Study  string       `json:"study"`
	Budget study.Ledger `json:"budget"`
	Server string       `json:"server,omitempty"`
}

func (a *app) createStudy(ctx context.Context, file string, c connection) error {
	s, err := readStudyFile(file)
	if err != nil {
		return err
	}
	created := createdStudy{Study: s.Name, Budget: study.Ledger{Total: s.Budget.Total}, Server: c.server}
	where, next := placeOf(a.db), "run it: eke run "+s.Name
	if len(s.Command) == 0 {
		next = "ask for its trials: eke ask " + s.Name
	}
	if c.server == "" {
		st, err := a.open(ctx)
		if err == nil {
			err = a.takeEarlier(ctx, s, file, joins)
		}
		if err == nil {
			_, err = broker.Create(ctx, st, s)
		}
		if err != nil {
			return err
		}
	} else {
		client, err := c.client()
		if err != nil {
			return err
		}
		if err := createOn(ctx, client, s, file); err != nil {
			return serverProblem(s.Name, err)
		}
		where, next = c.server, "evaluate its trials: eke worker --server "+c.server+" --study "+s.Name
	}
	return a.show(created, func() {
		a.printf("study %s is created in %s, with a budget of %s\n%s\n", s.Name, where, say.Amount(s.Cost, s.Budget.Total), next)
	})
}

// createOn creates the study of a file on a server. The server reads the file as it is, and so reports its mistakes in the same way.
func createOn(ctx context.Context, client *api.Client, s *study.Study, file string) error {
	raw, err := readSome(file, study.MaxFile+1)
	if err != nil {
		return usage("give a study file that you may read", "%s cannot be read: %v", file, cause(err))
	}
	if s.StartsFromFile() { // which the server does not have
		if s.Earlier, err = readEarlier(ctx, s, file); err != nil {
			return err
		}
	}
	return client.CreateStudy(ctx, string(raw), s.Earlier)
}

// createUnlessThere creates the study of a file on a server that does not have it. Whoever has worked on the study in dir knows its ID: if it
// has another name now, a new one would spend its money a second time.
func createUnlessThere(ctx context.Context, client *api.Client, s *study.Study, file, dir string) error {
	_, err := client.Study(ctx, api.Place{Study: s.Name})
	if fault.CodeOf(err) != fault.NotFound {
		return err
	}
	for _, id := range runner.StudiesIn(dir) {
		if now, err := client.Study(ctx, api.Place{Study: s.Name, StudyID: id}); err == nil {
			return fault.New(fault.BadStudy, fmt.Sprintf("write name: %s in the study file; to begin another study of the old name: eke study create", now.Name),
				"study %s was renamed on the server, and is called %s", s.Name, now.Name)
		}
	}
	if err = createOn(ctx, client, s, file); fault.CodeOf(err) == fault.Exists { // somebody was faster
		return nil
	}
	return err
}
