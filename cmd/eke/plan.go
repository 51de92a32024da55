package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// plan is what a run would do.
type plan struct {
	Study    string           `json:"study"`
	Ledger   study.Ledger     `json:"ledger"`
	Left     float64          `json:"left"`
	Unit     string           `json:"unit"`
	Policy   string           `json:"policy"`
	Why      string           `json:"why"` // of the policy
	Parallel int              `json:"parallel"`
	Begun    int              `json:"begun"`             // trials so far
	Trials   []plannedTrial   `json:"trials"`            // what would be tried first
	Foreseen []advisor.Step   `json:"foreseen"`          // what would come after the first, if all goes as expected
	Nothing  string           `json:"nothing,omitempty"` // why nothing would be tried
	About    float64          `json:"about,omitempty"`   // how many more trials there will be
	Basis    string           `json:"basis"`             // what that number rests on
	Script   string           `json:"script,omitempty"`  // of the first trial's job, on a cluster
	Earlier  *advisor.Earlier `json:"start,omitempty"`   // what the study started from; left out: nothing
	Looks    bool             `json:"looks,omitempty"`   // there are looks as well, which are not among these
	Rest     *study.Rest      `json:"rest,omitempty"`    // what the rest of the money is expected to buy; left out: nobody knows
}

type plannedTrial struct {
	study.Asked
	Number int      `json:"number"`
	Change *float64 `json:"change,omitempty"` // what it pays for a change; left out: changes cost nothing
}

func planCommand(a *app) *cobra.Command {
	check := false
	cmd := a.ofStudy(previews, &cobra.Command{
		Use:   "plan [STUDY]",
		Short: "Show what a run would do, without doing it",
		Long: `Show what a run would do: what it would try first, how much it would reserve for that, about how many trials there
will be, and how they are chosen. Nothing is run, reserved or written.

With --check, study files are checked, and nothing is planned: all mistakes are shown at once, each with its place and a hint.`,
		Example: `  eke plan
  eke plan kiln.yaml
  eke plan --check kiln.yaml oven.yaml`,
		SuggestFor: []string{"preview", "dry-run", "check", "lint", "verify"},
	}, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
		p, err := planFor(ctx, d, r)
		if err == nil {
			p.Script, err = a.scriptOf(d.Study(), p)
		}
		if err != nil {
			return err
		}
		return a.show(p, func() { a.printPlan(d.Study(), p) })
	})
	cmd.Flags().BoolVar(&check, "check", false, "check study files, and show what eke understood")
	plans, few := cmd.RunE, cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check {
			return nil
		}
		return few(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if check {
			return a.validate(cmd.Context(), args)
		}
		return plans(cmd, args)
	}
	return cmd
}

// scriptOf is the script of the first job; empty if trials run on this machine.
func (a *app) scriptOf(s *study.Study, p plan) (string, error) {
	where, scripted := engineOf(s).(engine.Scripted)
	if !scripted || len(p.Trials) == 0 {
		return "", nil
	}
	t := p.Trials[0]
	dir, err := filepath.Abs(filepath.Join(trialsOf(a.db), s.Name, fmt.Sprintf("%05d", t.Number)))
	if err != nil {
		return "", err
	}
	places := map[string]string{"trial": fmt.Sprint(t.Number), "dir": dir, "params": filepath.Join(dir, engine.ParamsFile), "result": filepath.Join(dir, engine.ResultFile)}
	if apart, ok := where.(engine.Apart); ok {
		places["dir"], places["params"], places["result"] = apart.Places()
	}
	options, err := s.EngineOptions(t.Setting, places)
	if err != nil {
		return "", err
	}
	argv, err := s.Argv(t.Setting, places)
	if err != nil {
		return "", err
	}
	limit := runner.LimitOf(s, study.Trial{Setting: t.Setting, Reserved: t.Reserved, Credible: t.Credible})
	return where.Script(engine.Job{Study: s.Name, Trial: t.Number, Dir: dir, Limit: limit, Options: options, Argv: argv, Setting: t.Setting})
}

// planFor finds the trials that a run would try next: all of the initial design, or else the first one and what is planned after it.
func planFor(ctx context.Context, d *broker.Broker, now *study.Record) (plan, error) {
	s, pick := d.Study(), d.Advisor().Pick(now)
	p := plan{Study: s.Name, Ledger: now.Ledger, Left: now.Ledger.Left(), Unit: s.Cost.Unit, Policy: pick.Name, Why: pick.Why(),
		Parallel: s.Parallel, Begun: len(now.Trials), Trials: []plannedTrial{}, Foreseen: []advisor.Step{}, Earlier: advisor.EarlierOf(now), Looks: s.Fidelity != nil}
	if err := pastDeadline(s, now, time.Now()); err != nil {
		p.Nothing = err.Error()
		return p, nil
	}
	r := *now
	r.Trials = slices.Clone(now.Trials)
	ahead := 1 // how many trials are chosen beyond the initial design
	if len(s.Changeover) > 0 {
		ahead = 5 // where changes have a price, the order matters
	}
	const most = 200 // somebody may have made the initial design very large
	for len(p.Trials) < most {
		asked, err := d.Advisor().Next(ctx, &r)
		if err != nil && (len(p.Trials) > 0 || stops(err)) {
			if len(p.Trials) == 0 {
				p.Nothing = err.Error()
			}
			break
		}
		if err != nil {
			return p, err
		}
		why, _ := advisor.WhyOf(asked.Why)
		design := why.Policy == "design" || why.Policy == "earlier"
		if !design && len(p.Trials) > 0 && ahead == 1 {
			break
		}
		planned := plannedTrial{Asked: asked, Number: len(r.Trials) + 1}
		if len(s.Changeover) > 0 {
			fee, _ := d.Advisor().Fee(&r, asked.Setting)
			planned.Change = &fee
		}
		p.Trials = append(p.Trials, planned)
		if !design {
			if ahead--; ahead == 0 {
				p.Foreseen = append(p.Foreseen, why.Next...)
				break
			}
		}
		if err := r.Apply(study.Event{Seq: r.Version + 1, At: time.Now(), Kind: study.EventAsked, Trial: len(r.Trials) + 1, Place: placeOfNext(s, &r), Asked: &asked}); err != nil {
			break // the budget covers no more reservations
		}
	}
	p.About, p.Basis = howMany(now, p, d.Advisor().Part)
	if most, by := d.Advisor().MostToCome(now); p.About >= most && len(p.Trials) > 0 {
		p.About, p.Basis = most, by
	}
	var err error
	p.Rest, err = restOf(ctx, d, now, 0)
	return p, err
}

// placeOfNext is where the trials of a plan would be evaluated, one after the other.
func placeOfNext(s *study.Study, r *study.Record) string {
	if len(s.Changeover) == 0 {
		return ""
	}
	return r.LastPlace()
}

// stops says whether a run would try nothing more, or nothing now.
func stops(err error) bool {
	code := fault.CodeOf(err)
	return code.Over() || code == fault.BudgetPending
}

// howMany estimates how many trials are to come, and says on what basis. part is the part of a full trial's price that is held for a setting while nothing is known.
func howMany(r *study.Record, p plan, part func(space.Setting) float64) (about float64, basis string) {
	if len(p.Trials) == 0 {
		return 0, ""
	}
	sum, n := 0.0, 0.0
	add := func(cost float64) {
		if cost > 0 {
			sum, n = sum+cost, n+1
		}
	}
	for _, t := range p.Trials {
		if why, _ := advisor.WhyOf(t.Why); why.Expected != nil && !t.Look { // a look costs less than the trials that are counted
			add(why.Expected.CostMedian)
		}
	}
	for _, step := range p.Foreseen {
		add(step.Expected.CostMedian)
	}
	if n > 0 {
		return p.Left / (sum / n), "what the next trials are expected to cost"
	}
	if each, known := r.Price(); known && p.Looks {
		return p.Left / each, "what recent full trials have cost"
	}
	for _, t := range r.Trials {
		if !t.Look {
			add(t.Charged)
		}
	}
	if n > 0 {
		return p.Left / (sum / n), "what trials have cost so far"
	}
	if r.Earlier != nil { // costs in another unit are 0
		for _, result := range r.Earlier.Results {
			add(result.Cost)
		}
	}
	if n > 0 {
		return p.Left / (sum / n), "what trials of " + say.Clean(r.Earlier.From) + " cost; nothing is known about costs here yet"
	}
	basis = "what is reserved for the first"
	if p.Trials[0].Look {
		basis = "what would be reserved for one"
	}
	return p.Left * part(p.Trials[0].Setting) / p.Trials[0].Reserved, basis + "; nothing is known about costs yet, and there will be more if trials are cheaper"
}

func (a *app) printPlan(s *study.Study, p plan) {
	a.printf("study %s: %s\n", s.Name, say.Goals(s))
	about := [][]string{
		{"budget", budgetLine(s, p.Ledger.Total)},
		{"left", say.Left(s.Cost, p.Ledger) + ", after " + say.Count(p.Begun, "trial")},
		{"chooses", p.Policy + ": " + p.Why},
		{"at once", fmt.Sprint(max(s.Parallel, 1))},
	}
	if limits := say.Limits(s); limits != "" {
		about = append(about, []string{"limits", limits})
	}
	if p.Earlier != nil {
		about = append(about, []string{"from", p.Earlier.Words()})
	}
	a.table("  ", about)
	if p.Nothing != "" {
		a.printf("\nA run would try nothing: %s.\n", p.Nothing)
		a.printRest(s, p.Rest)
		return
	}
	first := "It would try first"
	if len(p.Trials) > 1 {
		first += "; each result may change what follows"
	}
	a.printf("\n%s:\n", first)
	rows := [][]string{{"trial", "reserved", "setting"}}
	for _, t := range p.Trials {
		row := []string{fmt.Sprint(t.Number), say.Amount(s.Cost, t.Reserved), say.Setting(s, t.Setting)}
		if t.Change != nil {
			row = slices.Insert(row, 2, say.Amount(s.Cost, *t.Change))
		}
		rows = append(rows, row)
	}
	if len(rows[1]) > len(rows[0]) {
		rows[0] = slices.Insert(rows[0], 2, "change")
	}
	a.table("  ", rows)
	if first, _ := advisor.WhyOf(p.Trials[0].Why); p.Trials[0].Look && first.Expected == nil && s.Cost.Source != study.Reported {
		a.printf("  While no cost is known, a look has as much as a full trial.\n")
	}
	if first := p.Trials[0]; len(p.Trials) == 1 {
		a.printf("  %s\n", reason(s, first.Why))
	}
	if len(p.Foreseen) > 0 {
		a.printf("\nAnd then, if all goes as expected:\n")
		rows := [][]string{{s.Objective.Name, "cost", "setting"}}
		for _, step := range p.Foreseen {
			rows = append(rows, []string{say.ExpectedValue(step.Expected), say.Amount(s.Cost, step.Expected.CostMedian), say.Setting(s, step.Setting)})
		}
		a.table("  ", rows)
	}
	if p.Script != "" {
		t := p.Trials[0]
		limit := s.Limit(study.Trial{Setting: t.Setting, Reserved: t.Reserved, Credible: t.Credible})
		a.printf("\nThe job of trial %d would reserve %s", t.Number, say.Amount(s.Cost, t.Reserved))
		if !math.IsInf(limit, 1) {
			a.printf(", for a command that may run %s", say.Duration(limit))
		}
		a.printf(". Its script:\n\n%s", p.Script)
	}
	count, more := math.Round(max(p.About, 1)), "trials"
	if count == 1 {
		more = "trial"
	}
	if p.Looks {
		more = "full " + more
	}
	a.printf("\nAbout %s more %s, by %s.\n", say.Digits(count, 3), more, p.Basis)
	a.printRest(s, p.Rest)
}

// understood is what validate says about a study file.
type understood struct {
	File     string        `json:"file"`
	Study    *study.Study  `json:"study"`
	Settings int           `json:"settings,omitempty"` // how many there are; left out: more than can be counted
	Policy   string        `json:"policy"`
	Why      string        `json:"why"`               // of the policy
	First    space.Setting `json:"first,omitempty"`   // left out: only the earlier study can tell
	Command  []string      `json:"command,omitempty"` // for the first setting
	Warning  string        `json:"warning,omitempty"`
}

func validateCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "validate [FILE...]",
		Short: "Check study files, and show what eke understood",
		Long: `Check study files, and show what eke understood. The default is study.yaml.

All mistakes are shown at once, each with its place and a hint.`,
		Example:    `  eke plan --check kiln.yaml oven.yaml`,
		SuggestFor: []string{"check", "lint", "verify"},
		RunE:       func(cmd *cobra.Command, args []string) error { return a.validate(cmd.Context(), args) },
	}
}

// validate checks study files.
func (a *app) validate(ctx context.Context, args []string) error {
	if len(args) == 0 {
		args = []string{habitual}
	}
	list := []understood{} // never null as JSON
	var mistakes study.Errors
	for _, file := range args {
		u, err := understand(ctx, file)
		var inFile study.Errors
		switch {
		case errors.As(err, &inFile):
			mistakes = append(mistakes, inFile...)
		case err != nil:
			return err
		default:
			list = append(list, u)
		}
	}
	err := a.show(list, func() {
		for i, u := range list {
			if i > 0 {
				a.printf("\n")
			}
			a.printUnderstood(u)
		}
	})
	if err == nil && len(mistakes) > 0 {
		err = mistakes
	}
	return err
}

// understand reads a study file and chooses the first trial, as a run would.
func understand(ctx context.Context, file string) (understood, error) {
	s, err := readStudyFile(file)
	if err != nil {
		return understood{}, err
	}
	sp, err := s.Space()
	if err != nil {
		return understood{}, err
	}
	a, err := advisor.New(s)
	if err != nil {
		return understood{}, err
	}
	record := study.NewRecord(s.Budget.Total, s.Measured())
	pick := a.Pick(record)
	asked, err := a.Next(ctx, record)
	if err != nil {
		return understood{}, err
	}
	u := understood{File: file, Study: s, Policy: pick.Name, Why: pick.Why(), First: asked.Setting}
	u.Settings, _ = sp.Size()
	if _, u.Command = commandLine(s, asked.Setting); len(u.Command) > 0 && !isApart(s) {
		u.Warning = notFound(s, u.Command[0])
	}
	if s.StartFrom != "" {
		u.First, u.Command = nil, nil
	}
	if repeated := repeatedIn(s, sp); u.Warning == "" {
		u.Warning = repeated
	}
	return u, nil
}

// repeatedIn warns about a setting that the file has more than once, and that is tried once.
func repeatedIn(s *study.Study, sp *space.Space) string {
	seen := map[string]bool{}
	for _, setting := range s.Trials {
		key := sp.Key(setting)
		if seen[key] && !s.Noisy {
			return "trials has " + say.ExactSetting(s, setting) + " more than once, and without noise: true a setting is tried once"
		}
		seen[key] = true
	}
	return ""
}

// isApart reports whether commands run in an image, whose programs nobody knows here.
func isApart(s *study.Study) bool {
	_, apart := engineOf(s).(engine.Apart)
	return apart
}

// notFound warns about a program that is not on this machine. It may be on the machine where the study will run.
func notFound(s *study.Study, program string) string {
	path := program
	if filepath.Base(program) != program && !filepath.IsAbs(program) {
		path = filepath.Join(s.Workdir, program)
	}
	if _, err := exec.LookPath(path); err != nil {
		return fmt.Sprintf("the program %s was not found on this machine", path)
	}
	return ""
}

func (a *app) printUnderstood(u understood) {
	s, settings := u.Study, "too many to count"
	if u.Settings > 0 {
		settings = say.Number(float64(u.Settings))
	}
	a.printf("%s is fine\n", u.File)
	rows := [][]string{
		{"study", s.Name},
		{"objective", say.Goals(s) + boundsOf(s)},
		{"budget", budgetLine(s, s.Budget.Total)},
		{"policy", u.Policy + ": " + u.Why},
		{"settings", settings},
	}
	switch {
	case u.First == nil: // only the earlier study can tell
	case len(u.Command) > 0:
		rows = append(rows, []string{"first", say.Command(u.Command)})
	default:
		rows = append(rows, []string{"first", say.SettingByHand(s, u.First)})
	}
	if len(s.Command) > 0 {
		rows = append(rows, []string{"in", cmp.Or(s.Workdir, "the folder of its image")})
	} else {
		rows = append(rows, []string{"command", "none: ask for trials and tell their results by hand"})
	}
	if s.OnCluster() {
		rows = append(rows, []string{"engine", s.Engine.Type + ": every trial is a job"})
	}
	if s.Parallel > 1 {
		rows = append(rows, []string{"parallel", fmt.Sprint(s.Parallel)})
	}
	switch n := len(s.Slots); {
	case n > 0:
		rows = append(rows, []string{"slots", fmt.Sprintf("%d, each for one trial at a time", n)})
	case s.GPUs != "":
		rows = append(rows, []string{"slots", "every GPU, each for one trial at a time"})
	}
	if s.Protocol != "" {
		rows = append(rows, []string{"protocol", string(s.Protocol) + ": the command stays alive from trial to trial"})
	}
	if s.Noisy {
		rows = append(rows, []string{"noise", "the same setting may return different values"})
	}
	if len(s.Changeover) > 0 {
		rows = append(rows, []string{"changes", say.Changeover(s)})
	}
	if len(s.Initial) > 0 {
		rows = append(rows, []string{"initial", say.ExactSetting(s, s.Initial)})
	}
	if s.StartFrom != "" {
		rows = append(rows, []string{"start from", say.Clean(s.StartFrom)})
	}
	a.table("  ", rows)
	a.printf("  parameters\n")
	a.table("    ", parameterRows(s))
	for _, constraint := range s.Where {
		a.printf("  where %s\n", constraint)
	}
	if len(s.Limits) > 0 {
		a.printf("  limits: %s\n", say.Limits(s))
	}
	if u.Warning != "" {
		a.printf("  warning: %s\n", u.Warning)
	}
}

// boundsOf says what the objectives can be, as far as the study file says so.
func boundsOf(s *study.Study) (text string) {
	for _, o := range s.Aims() {
		if o.Min != nil || o.Max != nil {
			text += "; " + say.Limit(o.Name, study.Bound{Min: o.Min, Max: o.Max})
		}
	}
	return text
}

// budgetLine is the budget with its limits. What was added to it since the study file is in its total.
func budgetLine(s *study.Study, total float64) string {
	line := say.Amount(s.Cost, total)
	switch {
	case s.Measured():
		line += " of wall time"
	case s.Cost.Accounted():
		line += ", by " + s.Cost.Accountant() + "'s accounting"
	default:
		line += ", as the trials report"
	}
	if s.Budget.Trials > 0 {
		line += ", at most " + say.Count(s.Budget.Trials, "trial")
	}
	if s.Budget.PerTrial > 0 {
		line += ", at most " + say.Amount(s.Cost, s.Budget.PerTrial) + " a trial"
	}
	if s.Budget.Timeout > 0 {
		line += ", no trial longer than " + say.Duration(s.Budget.Timeout.Seconds())
	}
	if s.Budget.Deadline > 0 {
		line += ", no trial starts later than " + say.Duration(s.Budget.Deadline.Seconds()) + " after the first"
	}
	return line
}

// parameterRows is a table of the parameters.
func parameterRows(s *study.Study) (rows [][]string) {
	for _, p := range s.Parameters {
		values := ""
		switch p.Kind {
		case space.KindFloat, space.KindInt:
			values = say.ExactValue(space.Float(p.Min)) + " … " + say.ExactValue(space.Float(p.Max))
			if p.Step != 0 && (p.Step != 1 || p.Kind == space.KindFloat) {
				values += " by " + say.ExactValue(space.Float(p.Step))
			}
			if p.Log {
				values += ", log"
			}
		case space.KindChoice, space.KindOrdered:
			values = joinValues(p.Values)
		case space.KindFixed:
			values = say.ExactValue(p.Value)
		}
		for i, c := range p.When {
			values += []string{" when ", " and "}[min(i, 1)] + c.Param + " is " + joinValues(c.Values)
		}
		rows = append(rows, []string{p.Name, string(p.Kind), strings.TrimSpace(values)})
	}
	if f := s.Fidelity; f != nil {
		var levels []string
		for _, level := range f.Levels() {
			levels = append(levels, say.Number(level))
		}
		rows = append(rows, []string{f.Name, "fidelity", strings.Join(levels, ", ") + "; only values at the highest count"})
	}
	return rows
}

func joinValues(values []space.Value) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = say.ExactValue(v)
	}
	return strings.Join(list, ", ")
}
