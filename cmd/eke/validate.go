package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// understood is what validate says about a study file.
type understood struct {
	File     string        `json:"file"`
	Study    *study.Study  `json:"study"`
	Settings int           `json:"settings,omitempty"` // how many there are; left out: more than can be counted
	Policy   string        `json:"policy"`
	Why      string        `json:"why"` // of the policy
	First    space.Setting `json:"first"`
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
	u := understood{File: file, Study: s, Policy: pick.Name, Why: pick.Why, First: asked.Setting}
	u.Settings, _ = sp.Size()
	if _, u.Command = commandLine(s, asked.Setting); len(u.Command) > 0 {
		u.Warning = notFound(s, u.Command[0])
	}
	return u, nil
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
		settings = fmt.Sprint(u.Settings)
	}
	a.printf("%s is fine\n", u.File)
	rows := [][]string{
		{"study", s.Name},
		{"objective", fmt.Sprintf("%s %s", s.Objective.Goal, s.Objective.Name)},
		{"budget", budgetLine(s)},
		{"policy", u.Policy + ": " + u.Why},
		{"settings", settings},
	}
	if len(u.Command) > 0 {
		rows = append(rows, []string{"first", say.Command(u.Command)}, []string{"in", s.Workdir})
	} else {
		rows = append(rows, []string{"first", say.ExactSetting(s, u.First)}, []string{"command", "none: ask for trials and tell their results by hand"})
	}
	if s.OnCluster() {
		rows = append(rows, []string{"engine", s.Engine.Type + ": every trial is a job"})
	}
	if s.Parallel > 1 {
		rows = append(rows, []string{"parallel", fmt.Sprint(s.Parallel)})
	}
	a.table("  ", rows)
	a.printf("  parameters\n")
	a.table("    ", parameterRows(s))
	for _, constraint := range s.Where {
		a.printf("  where %s\n", constraint)
	}
	if u.Warning != "" {
		a.printf("  warning: %s\n", u.Warning)
	}
}

// budgetLine is the budget with its limits.
func budgetLine(s *study.Study) string {
	line := say.Amount(s.Cost, s.Budget.Total)
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
			values = space.Float(p.Min).String() + " … " + space.Float(p.Max).String()
			if p.Step != 0 && p.Step != 1 {
				values += " by " + space.Float(p.Step).String()
			}
			if p.Log {
				values += ", log"
			}
		case space.KindChoice, space.KindOrdered:
			values = joinValues(p.Values)
		case space.KindFixed:
			values = p.Value.String()
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
		list[i] = v.String()
	}
	return strings.Join(list, ", ")
}
