package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
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
			return serverProblem(ctx, client, s.Name, err)
		}
		where, next = c.server, "evaluate its trials: eke worker --server "+c.server+" --study "+s.Name
	}
	return a.show(created, func() {
		a.printf("study %s is created in %s, with a budget of %s\n%s\n", s.Name, where, say.Amount(s.Cost, s.Budget.Total), next)
	})
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

// listed is one study in the list.
type listed struct {
	Name      string          `json:"name"`
	Objective study.Objective `json:"objective"`
	Several   []study.Aim     `json:"objectives,omitempty"` // if there are several
	Cost      study.Cost      `json:"cost"`
	Ledger    study.Ledger    `json:"ledger"`
	Trials    int             `json:"trials"`
	Best      *float64        `json:"best,omitempty"`
	Front     int             `json:"front,omitempty"` // how many results are on the front of several objectives
	Created   time.Time       `json:"created"`
	Archived  bool            `json:"archived,omitempty"`
	Tags      []string        `json:"tags,omitempty"`
	Paused    bool            `json:"paused,omitempty"`
	Finished  *statusEnd      `json:"finished,omitempty"` // why it is over; left out: it goes on
	Damaged   string          `json:"damaged,omitempty"`

	Estimate *advisor.Estimate `json:"estimate,omitempty"` // of the best, where evaluations have noise

	changed time.Time
	unknown bool // there was no time to find out whether it is over
}

// fitsFor is how long the list may fit models, to say which studies are over, and what the best of studies with noise are. There may be many.
const fitsFor = 3 * time.Second

// listView says which studies to list, and in which order.
type listView struct {
	words     []string
	tag, by   string
	all, down bool
}

// wants reports whether to list a study; hidden, that it is left out because it is archived.
func (v listView) wants(name string, l study.Labels, archived bool) (wanted, hidden bool) {
	wanted = hasWords(name, l, v.words) && (v.tag == "" || slices.Contains(l.Tags, v.tag))
	hidden = wanted && archived && !v.all
	return wanted && !hidden, hidden
}

// listing is what a list found.
type listing struct {
	list    []listed
	of      int  // how many studies there are
	hidden  int  // archived ones that were left out
	unknown bool // there was no time to fit the models of every study
}

// listCommand lists studies. Its name was another one in version 0.1.
func listCommand(a *app, name string) *cobra.Command {
	var v listView
	cmd := &cobra.Command{
		Use:   name + " [WORD...]",
		Short: "List the studies in the store, or find some",
		Long: `List the studies in the store that are not archived. With words, list the studies with all of these words in their name, tags or notes.

With --server, list the studies on that server that you may see. Words are looked for in their names and tags.`,
		Example: `  eke study list kiln --sort changed --down
  eke study list --tag autumn --all
  EKE_TOKEN=… eke study list --server https://eke.example.org`,
		SuggestFor: []string{"ls", "search", "find"},
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := oneOfThese("--sort", v.by, "created", "changed", "name", "spent"); err != nil {
				return err
			}
			v.words = words
			found, err := a.listStudies(cmd.Context(), v)
			if err != nil {
				return err
			}
			sorted(found.list, v.by, v.down)
			return a.show(found.list, func() { a.printListing(found) })
		},
	}
	a.at.add(cmd.Flags())
	cmd.Flags().BoolVar(&v.all, "all", false, "list archived studies as well")
	cmd.Flags().StringVar(&v.tag, "tag", "", "only studies with this `tag`")
	cmd.Flags().StringVar(&v.by, "sort", "created", "sort by created, changed, name or spent")
	cmd.Flags().BoolVar(&v.down, "down", false, "sort downwards")
	return cmd
}

func (a *app) listStudies(ctx context.Context, v listView) (found listing, err error) {
	st, err := a.existing(ctx)
	if err != nil {
		return found, err
	}
	if on, ok := st.(*remote); ok {
		return on.list(ctx, v)
	}
	heads, err := st.Heads(ctx)
	if err != nil {
		return found, err
	}
	found.list, found.of = []listed{}, len(heads)
	fits, cancel := context.WithTimeout(ctx, fitsFor)
	defer cancel()
	for _, h := range heads {
		d, err := broker.Open(ctx, st, h.Name)
		if fault.CodeOf(err) == fault.StoreBroken { // one damaged study does not hide the others
			found.list = append(found.list, listed{Name: h.Name, Created: h.Created, Damaged: err.Error()})
			continue
		}
		if err != nil {
			return found, err
		}
		record, err := d.Record(ctx)
		if err != nil {
			return found, err
		}
		wanted, hidden := v.wants(h.Name, record.Labels, record.Archived)
		if hidden {
			found.hidden++
		}
		if !wanted {
			continue
		}
		s := d.Study()
		one := listed{
			Name: h.Name, Objective: s.Objective, Several: s.Objectives, Cost: s.Cost, Ledger: record.Ledger, Trials: len(record.Trials), Created: h.Created,
			Archived: record.Archived, Paused: record.Paused, Tags: record.Labels.Tags, changed: changedAt(h.Created, record),
		}
		over := d.Advisor().Ended(fits, record, time.Now()) // as eke status says it
		if fits.Err() != nil {
			over, one.unknown = d.Advisor().Over(record, nil, time.Now()), ctx.Err() == nil
		}
		if over != nil {
			one.Finished, one.unknown = &statusEnd{fault.CodeOf(over), over.Error()}, false
		}
		found.unknown = found.unknown || one.unknown
		best, ok, err := d.Best(fits, record)
		if s.Several() && err == nil {
			var front advisor.Front
			front, err = d.Front(fits, record)
			one.Front = len(front.Trials)
		}
		switch {
		case err != nil && fits.Err() != nil && ctx.Err() == nil:
			found.unknown = true
		case err != nil:
			return found, err
		case ok && !s.Several():
			expected := best.Expected()
			one.Best, one.Estimate = &expected, best.Estimate
		}
		found.list = append(found.list, one)
	}
	return found, nil
}

func (a *app) printListing(found listing) {
	rows := [][]string{{"study", "objective", "best", "trials", "spent", "of", "created", "state"}}
	for _, one := range found.list {
		rows = append(rows, one.row(found.unknown))
	}
	switch {
	case len(found.list) == 0 && found.of > found.hidden:
		a.printf("no such study\n")
	case len(found.list) == 0 && found.hidden == 0:
		a.printf("no studies in %s yet\n", a.place())
	case len(found.list) > 0:
		a.table("", rows)
	}
	if found.unknown {
		a.printf("?: there was no time to fit the models of every study; eke status STUDY does\n")
	}
	if found.hidden > 0 {
		a.printf("%d archived; --all lists them too\n", found.hidden)
	}
}

// hasWords reports whether all words are in the name, the tags or the notes of a study.
func hasWords(name string, l study.Labels, words []string) bool {
	text := strings.ToLower(name + "\n" + strings.Join(l.Tags, "\n") + "\n" + l.Notes)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}

// changedAt is when a trial last began or ended.
func changedAt(created time.Time, r *study.Record) time.Time {
	for _, t := range r.Trials {
		for _, at := range []time.Time{t.Asked, t.Finished} {
			if at.After(created) {
				created = at
			}
		}
	}
	return created
}

// sorted sorts studies, which come in the order of their creation.
func sorted(list []listed, by string, down bool) {
	order := map[string]func(a, b listed) int{
		"changed": func(a, b listed) int { return a.changed.Compare(b.changed) },
		"name":    func(a, b listed) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
		"spent":   func(a, b listed) int { return cmp.Compare(a.Ledger.Spent, b.Ledger.Spent) },
	}[by]
	if order != nil {
		slices.SortStableFunc(list, order)
	}
	if down {
		slices.Reverse(list)
	}
}

// row is a study in the table. Where models could not be fitted for lack of time, nobody knows the best of a study with noise.
func (l listed) row(unknown bool) []string {
	if l.Damaged != "" {
		return []string{l.Name, "damaged", "", "", "", "", onClock(l.Created), "damaged"}
	}
	value := ""
	switch {
	case l.Several != nil: // none is the best by itself
		value = say.Count(l.Front, "result") + " on the front"
	case l.Best != nil:
		value = say.Number(*l.Best)
	case unknown && l.Trials > 0:
		value = "?"
	}
	return []string{l.Name, say.Goals(&study.Study{Objective: l.Objective, Objectives: l.Several}), value, fmt.Sprint(l.Trials),
		say.Amount(l.Cost, l.Ledger.Spent), say.Amount(l.Cost, l.Ledger.Total), onClock(l.Created), l.state()}
}

// state says why a study hands out no trials; it is empty if it may hand out some.
func (l listed) state() string {
	switch {
	case l.Archived:
		return "archived"
	case l.Finished != nil:
		short, _, _ := strings.Cut(l.Finished.Reason, ": ") // the rest of a long reason is said by eke status
		return "finished: " + short
	case l.Paused:
		return "paused"
	case l.unknown && l.Trials > 0:
		return "?"
	}
	return ""
}
