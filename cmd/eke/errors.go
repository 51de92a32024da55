package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/eke-bo/eke/internal/fault"
)

// problem is one thing that is wrong, as it is shown.
type problem struct {
	Error   string `json:"error"`
	Excerpt string `json:"excerpt,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// complain shows an error on stderr and returns the exit code.
func (a *app) complain(err error, args []string) int {
	list, exit := explain(err)
	for i := range list {
		list[i].Hint = naming(list[i].Hint, a.needed)
	}
	if a.json || slices.Contains(args, "--json") { // a mistake in the flags may have hidden it
		body := struct {
			problem
			Code     int       `json:"code"`
			Problems []problem `json:"problems,omitempty"`
		}{problem: list[0], Code: exit}
		if len(list) > 1 {
			body.Problems = list
		}
		if raw, err := json.Marshal(body); err == nil {
			fmt.Fprintf(a.err, "%s\n", raw)
		}
		return exit
	}
	kind := "error"
	if exit == fault.ExitInterrupted { // somebody wanted that
		kind = "note"
	}
	for _, p := range list {
		fmt.Fprintf(a.err, "eke: %s: %s\n", kind, printable(p.Error))
		if p.Excerpt != "" {
			fmt.Fprintln(a.err, p.Excerpt)
		}
		if p.Hint != "" {
			fmt.Fprintf(a.err, "eke: hint: %s\n", printable(p.Hint))
		}
	}
	return exit
}

// ofOneStudy finds the commands in a hint that are about one study, and what follows them. Most hints are written where nobody knows what the study is called, or
// which server it is on.
var ofOneStudy = regexp.MustCompile(`\beke (best|budget add|resume|stop|study archive|tell)\b( [\w.-]+)?`)

// naming returns a hint whose commands name a study, unless they name one already.
func naming(hint, study string) string {
	if study == "" {
		return hint
	}
	return ofOneStudy.ReplaceAllStringFunc(hint, func(command string) string {
		parts := ofOneStudy.FindStringSubmatch(command)
		if name, _, _ := strings.Cut(study, " "); parts[2] == " "+name {
			return command
		}
		return "eke " + parts[1] + " " + study + parts[2]
	})
}

// nextStep says which verb helps, where an error has no hint of its own.
var nextStep = map[fault.Code]string{
	fault.BudgetSpent:   "see the result: eke best; or add to the budget: eke budget add AMOUNT",
	fault.NotWorth:      "see the result: eke best; or add to the budget: eke budget add AMOUNT",
	fault.Exhausted:     "see the result: eke best",
	fault.Closed:        "see the result: eke best",
	fault.Deadline:      "see the result: eke best; or set a later deadline in the study file",
	fault.BudgetPending: "report the results of the trials under way (eke tell), or wait for them, and ask again",
	fault.NotFound:      "list the studies: eke study list",
}

// explain turns an error into words and an exit code. There is always at least one problem.
func explain(err error) (list []problem, exit int) {
	code := fault.CodeOf(err)
	if errors.Is(err, context.Canceled) {
		return []problem{{Error: "interrupted"}}, fault.ExitInterrupted
	}
	for _, d := range fault.Details(err) {
		list = append(list, problem{Error: d.Message, Excerpt: d.Excerpt, Hint: cmp.Or(d.Hint, nextStep[code])})
	}
	return list, code.Exit()
}

func exitCodesTopic() *cobra.Command {
	var table strings.Builder
	for _, exit := range fault.Exits() {
		fmt.Fprintf(&table, "  %-4d %s\n", exit.Code, exit.Meaning)
	}
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: "The exit codes of eke. They stay the same from one version to the next.\n\n" + table.String() + `
With --json, stderr has {"error": …, "hint": …, "code": …}. If a study file has several mistakes, "problems" lists them all.`,
	}
}

// noVerb refuses an unknown verb of a command, and suggests what was probably meant.
func noVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see: " + cmd.CommandPath() + " --help"
	if meant := meantVerbs(cmd, args[0]); args[0] == "why" && !cmd.HasParent() {
		hint = "write: " + strings.Join(slices.Concat([]string{"eke trials"}, args[1:], []string{"--why"}), " ")
	} else if len(meant) > 0 {
		hint = "did you mean " + strings.Join(meant, " or ") + "?"
	}
	return usage(hint, "there is no command %q", strings.TrimSpace(cmd.CommandPath()+" "+args[0]))
}

// meantVerbs guesses which verbs were meant. A word that other tools use is a better guess than one that looks similar.
func meantVerbs(cmd *cobra.Command, word string) []string {
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, strings.ToLower(word)) {
			return []string{c.Name()}
		}
	}
	return cmd.SuggestionsFor(word)
}

// flagMistake says what is wrong with a flag.
func flagMistake(cmd *cobra.Command, err error) error {
	var (
		help     = "see: " + cmd.CommandPath() + " --help"
		unknown  *pflag.NotExistError
		needs    *pflag.ValueRequiredError
		unfit    *pflag.InvalidValueError
		notAFlag *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown, help)
	case errors.As(err, &needs):
		return usage(help, "--%s needs a value", needs.GetFlag().Name)
	case errors.As(err, &unfit):
		flag := unfit.GetFlag()
		return usage(cmp.Or(fault.HintOf(err), expected[flag.Value.Type()], help), "--%s is %q", flag.Name, unfit.GetValue())
	case errors.As(err, &notAFlag):
		return usage(help, "%s is not a flag", notAFlag.GetSpecifiedFlag())
	}
	return usage(help, "%w", err)
}

// expected says what a flag of a type takes.
var expected = map[string]string{
	"int":      "give a whole number",
	"uint64":   "give a whole number from 0",
	"float64":  "give a number",
	"bool":     "give true or false",
	"duration": "give a duration such as 90s or 2h30m",
}

func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError, hint string) error {
	if short := unknown.GetSpecifiedShortnames(); short != "" { // one letter looks like any other: no guess
		if cmd.Name() == "add" && beginsLikeANumber(short) {
			return usage(toLower, "the amount is -%s, and is to be added", short)
		}
		return usage(hint, "%s has no flag -%s", cmd.CommandPath(), short)
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	if meant := nearest(unknown.GetSpecifiedName(), flags); meant != "" {
		hint = "did you mean --" + meant + "?"
	}
	if unknown.GetSpecifiedName() == serverFlag {
		hint = "do it on the server's page, over HTTP (the server's /openapi.json says how), or on the server's machine"
	}
	return usage(hint, "%s has no flag --%s", cmd.CommandPath(), unknown.GetSpecifiedName())
}

// nearest returns the word that was probably meant, if any. It measures as cobra does, so that verbs, flags and names of studies are
// guessed in the same way.
func nearest(word string, known []string) string {
	if word == "" || len(word) > 64 { // no name is longer, and measuring takes quadratic time
		return ""
	}
	guess := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, k := range known {
		if k != "" && !strings.ContainsAny(k, " ") {
			guess.AddCommand(&cobra.Command{Use: k, Run: func(*cobra.Command, []string) {}})
		}
	}
	if meant := guess.SuggestionsFor(word); len(meant) > 0 {
		return meant[0]
	}
	return ""
}

// guess is a hint: the word that was probably meant or, if there is none, what to do otherwise.
func guess(word string, known []string, otherwise string) string {
	if meant := nearest(word, known); meant != "" {
		return "did you mean " + meant + "?"
	}
	return otherwise
}

// oneOf lists what may be given; a long list is cut.
func oneOf[T ~string](items []T) string {
	const shown = 12
	var words []string
	for _, item := range items[:min(len(items), shown)] {
		words = append(words, string(item))
	}
	switch list := strings.Join(words, ", "); {
	case len(items) == 1:
		return list
	case len(items) > shown:
		return fmt.Sprintf("one of %s, … (%d in all)", list, len(items))
	default:
		return "one of " + list
	}
}

// usage is a mistake in what was typed.
func usage(hint, format string, args ...any) error {
	return fault.New(fault.BadRequest, hint, format, args...)
}

// wrong is anything else that went wrong.
func wrong(hint, format string, args ...any) error {
	return fault.New(fault.Internal, hint, format, args...)
}
