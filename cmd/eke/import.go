package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// importFlags say how results are taken over.
type importFlags struct {
	columns        map[string]string
	from           string
	charge, dryRun bool
}

func importCommand(a *app) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import [STUDY] FILE",
		Short: "Take over results that were obtained elsewhere",
		Long: `Take over results that were obtained elsewhere, so that eke learns from them: from CSV or JSON, from eke export, or from an Optuna
database (SQLite) or journal.

A column belongs to the parameter with its name. Columns named value, cost, or after the objective or the unit are known as well; --map
says what other columns are. Rows that the study does not allow are listed and left out. Imported results cost the study nothing, unless --charge books what they
cost. To see what would happen first, use --dry-run. Equal rows are repeats, and each of them counts. Importing the same file again adds nothing,
not even with another --map, unless the results were forgotten: then a row that is read in another way is added, and is not charged twice.`,
		Example: `  eke import results.csv --dry-run
  eke import kiln results.csv --map temperature=heat,score=value
  eke import study.yaml optuna.db --map gpu_hours=cost --charge`,
		SuggestFor: []string{"load", "observe"},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
			list, _ := a.completeStudies(cmd, args, text)
			return list, cobra.ShellCompDirectiveDefault // files
		},
		Args: from1To(2, "write: eke import [STUDY] FILE", "the file is missing"),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, file := studyAnd(args)
			t, err := readResults(cmd.Context(), file, f.from)
			if err != nil {
				return err
			}
			return a.imports(cmd.Context(), arg, t, file, f)
		},
	}
	flags := cmd.Flags()
	flags.StringToStringVar(&f.columns, "map", nil, "what columns are: `COLUMN=NAME`, where the name is a parameter, value, cost, or metric.NAME for another number")
	flags.StringVar(&f.from, "from", "", "the `study` to take, if an Optuna file has several")
	flags.BoolVar(&f.charge, "charge", false, "charge the study what the results cost")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would happen")
	return cmd
}

// readResults reads a file of any form.
func readResults(ctx context.Context, file, from string) (*results.Table, error) {
	if !isFile(file) {
		return nil, usage("give a CSV or JSON file, or an Optuna database or journal", "there is no file %s", file)
	}
	raw, err := readSome(file, results.MaxFile+1)
	switch {
	case err != nil:
		return nil, usage("give a file that you may read", "%s cannot be read: %v", file, cause(err))
	case results.IsDatabase(raw):
		db, err := sqlite.OpenForeign(ctx, file)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		return results.ReadDatabase(ctx, db, from)
	case len(raw) > results.MaxFile:
		return nil, usage("import it in parts", "%s is larger than %d bytes", file, results.MaxFile)
	}
	return results.Read(raw, from)
}

func (a *app) imports(ctx context.Context, arg string, t *results.Table, file string, f importFlags) error {
	var d *broker.Broker
	var m *results.Matched
	var done broker.Imported
	var err error
	take := func(on *broker.Broker) (err error) {
		d = on
		if m, err = results.Match(t, d.Study(), f.columns); err != nil {
			return err
		}
		if f.charge && m.Columns["cost"] == "" {
			return usage("say which it is: --map COLUMN=cost; or leave --charge out", "--charge needs to know what the results cost, and no column of %s says so", file)
		}
		list := make([]broker.Result, len(m.Results))
		for i, r := range m.Results {
			list[i] = broker.Result(r)
		}
		switch {
		case len(list) == 0:
			err = usage("look at the rows that were left out", "%s has no result that study %s can take", file, d.Study().Name)
		case f.dryRun:
			done, err = d.WouldImport(ctx, list, f.charge)
		default:
			done, err = d.Import(ctx, list, f.charge)
		}
		return err
	}
	if f.dryRun {
		if d, err = a.study(ctx, arg, previews); err == nil {
			err = take(d)
		}
	} else {
		_, err = a.begin(ctx, arg, take)
	}
	if err != nil && (m == nil || len(m.Results) > 0) {
		return err
	}
	s := d.Study()
	told := struct {
		Study  string `json:"study"`
		File   string `json:"file"`
		Form   string `json:"form"`
		Rows   int    `json:"rows"`
		DryRun bool   `json:"dry_run"`
		broker.Imported
		*results.Matched
	}{s.Name, file, t.Form, len(t.Rows), f.dryRun, done, m}
	return errors.Join(a.show(told, func() { a.printImport(s, t, m, done, f) }), err)
}

// mostListed is how many refused rows are listed.
const mostListed = 20

func (a *app) printImport(s *study.Study, t *results.Table, m *results.Matched, done broker.Imported, f importFlags) {
	a.printf("%s: %s\n", t.Form, say.Count(len(t.Rows), "row"))
	var rows [][]string
	roles := []string{"value", "cost"}
	for _, p := range s.Inputs() {
		roles = append(roles, results.Role(p.Name))
	}
	for _, role := range append(roles, s.AsksFor()...) {
		if column := m.Columns[role]; column != "" {
			rows = append(rows, []string{role, "column " + column})
		}
	}
	if len(m.Metrics) > 0 {
		rows = append(rows, []string{"metrics", say.Clean(strings.Join(m.Metrics, ", "))})
	}
	a.table("  ", rows)
	if len(m.Unused) > 0 {
		example := m.Unused[0]
		a.printf("not used: %s; to keep a column as a metric: --map %s=metric.%s\n", say.Clean(strings.Join(m.Unused, ", ")), say.Clean(example), say.Clean(example))
	}
	for i, r := range m.Refused {
		if i == mostListed {
			a.printf("left out: %d more\n", len(m.Refused)-mostListed)
			break
		}
		a.printf("left out: %s: %s\n", r.Where, strings.ReplaceAll(r.Problem, "\n", "; "))
	}
	if m.Without > 0 {
		a.printf("left out: %s without a result\n", say.Count(m.Without, "trial"))
	}
	if done.Known > 0 {
		a.printf("known already: %s\n", say.Count(done.Known, "result"))
	}
	if done.Reread > 0 {
		a.printf("  %d of them from rows that were imported before, with other columns; they stay as they are. To read them anew, forget them first: %s\n", done.Reread, forgetting(s.Name, done))
	}
	if done.Forgotten > 0 {
		a.printf("  %d of them forgotten, and they stay so; eke forget --undo makes trials and results count again\n", done.Forgotten)
	}
	would := map[bool]string{true: "would be added", false: "added"}[f.dryRun]
	a.printf("%s %s, charged %s\n", say.Count(done.Added, "result"), would, say.Amount(s.Cost, done.Charged))
	a.printLacking(s, m)
	if done.Paid > 0 {
		a.printf("  %d of them charged before they were forgotten, and not charged again\n", done.Paid)
	}
}

// printLacking says which of several objectives rows lack.
func (a *app) printLacking(s *study.Study, m *results.Matched) {
	rows, names := 0, []string{}
	for _, o := range s.Objectives[min(1, len(s.Objectives)):] {
		if slices.ContainsFunc(m.Results, func(r results.Result) bool { return slices.Contains(s.Missing(r.Metrics), o.Name) }) {
			names = append(names, say.Clean(o.Name))
		}
	}
	for _, r := range m.Results {
		rows += min(len(s.Missing(r.Metrics)), 1)
	}
	switch lacks := strings.Join(names, " or "); rows {
	case 0:
	case 1:
		a.printf("1 row lacks %s: it is data for the models, and on no front\n", lacks)
	default:
		a.printf("%d rows lack %s: they are data for the models, and on no front\n", rows, lacks)
	}
}

// forgetting returns the commands that forget results that were read in another way before.
func forgetting(name string, done broker.Imported) string {
	var commands []string
	if len(done.RereadTrials) > 0 {
		commands = append(commands, "eke forget "+name+" "+spans(done.RereadTrials))
	}
	if len(done.RereadResults) > 0 {
		commands = append(commands, "eke forget "+name+" --known "+spans(done.RereadResults))
	}
	return strings.Join(commands, "; ")
}

// spans writes numbers as commands take them, such as 3 5-9.
func spans(numbers []int) string {
	numbers = slices.Sorted(slices.Values(numbers))
	var words []string
	for i := 0; i < len(numbers); {
		j := i + 1
		for j < len(numbers) && numbers[j] == numbers[i]+j-i {
			j++
		}
		word := strconv.Itoa(numbers[i])
		if j > i+1 {
			word += "-" + strconv.Itoa(numbers[j-1])
		}
		words, i = append(words, word), j
	}
	if len(words) > mostListed {
		words = append(words[:mostListed], "…")
	}
	return strings.Join(words, " ")
}
