package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
)

// problem is one thing that is wrong, as it is shown.
type problem struct {
	Error   string `json:"error"`
	Excerpt string `json:"excerpt,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// usage is a mistake in what was typed.
func usage(hint, format string, args ...any) error {
	return fault.New(fault.BadRequest, hint, format, args...)
}

// wrong is anything else that went wrong.
func wrong(hint, format string, args ...any) error {
	return fault.New(fault.Internal, hint, format, args...)
}

// complain shows an error on stderr and returns the exit code.
func (a *app) complain(err error, args []string) int {
	list, exit := explain(err)
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
	for _, p := range list {
		fmt.Fprintf(a.err, "eke: error: %s\n", printable(p.Error))
		if p.Excerpt != "" {
			fmt.Fprintln(a.err, p.Excerpt)
		}
		if p.Hint != "" {
			fmt.Fprintf(a.err, "eke: hint: %s\n", printable(p.Hint))
		}
	}
	return exit
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
