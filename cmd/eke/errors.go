package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// problem is one thing that is wrong, ready to be shown.
type problem struct {
	Error   string `json:"error"`
	Excerpt string `json:"excerpt,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// failure is an error of the tool's own, with what to do about it.
type failure struct {
	code    int
	message string
	hint    string
}

func (f *failure) Error() string { return f.message }

// usage is a mistake in what was typed.
func usage(hint, format string, args ...any) error {
	return &failure{exitUsage, fmt.Sprintf(format, args...), hint}
}

// wrong is anything else that has gone wrong.
func wrong(hint, format string, args ...any) error {
	return &failure{exitWrong, fmt.Sprintf(format, args...), hint}
}

// complain shows an error on stderr and returns the exit code.
func (a *app) complain(err error, args []string) int {
	list, code := explain(err)
	asJSON := a.json
	for _, arg := range args { // a mistake in the flags may have kept --json from being seen
		asJSON = asJSON || arg == "--json"
	}
	if asJSON {
		body := struct {
			problem
			Code     int       `json:"code"`
			Problems []problem `json:"problems,omitempty"`
		}{problem: list[0], Code: code}
		if len(list) > 1 {
			body.Problems = list
		}
		if raw, err := json.Marshal(body); err == nil {
			fmt.Fprintf(a.err, "%s\n", raw)
		}
		return code
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
	return code
}

// meanings says of the errors that the packages below name what they come to here. A hint that is empty is what the
// error itself says after its semicolon.
var meanings = []struct {
	err  error
	code int
	hint string
}{
	{context.Canceled, exitInterrupted, ""},
	{context.DeadlineExceeded, exitWrong, ""},
	{broker.ErrDiffers, exitUsage, "to go on with that study put the file back as it was (only its budget can grow: eke budget add); " +
		"to begin a new one give the file another name:"},
	{advisor.ErrBudgetSpent, exitSpent, "see what came of it: eke best; or go on with more: eke budget add AMOUNT"},
	{advisor.ErrNotWorth, exitSpent, "see what came of it: eke best; or go on with more: eke budget add AMOUNT"},
	{advisor.ErrExhausted, exitSpent, "see what came of it: eke best"},
	{study.ErrClosed, exitSpent, "see what came of it: eke best"},
	{advisor.ErrBudgetPending, exitPending, "tell what came of the trials under way (eke tell), or wait for them, and ask again"},
	{study.ErrUnaffordable, exitPending, "wait until trials under way have ended, or: eke budget add AMOUNT"},
	{store.ErrNotFound, exitNotFound, "see which there are: eke studies"},
	{store.ErrExists, exitWrong, ""},
	{store.ErrConflict, exitWrong, ""},
	{store.ErrForeign, exitWrong, ""},
	{store.ErrDamaged, exitWrong, ""},
	{store.ErrNewer, exitWrong, ""},
	{store.ErrReadOnly, exitWrong, ""},
	{store.ErrFull, exitWrong, ""},
	{store.ErrBusy, exitWrong, ""},
	{store.ErrGone, exitWrong, ""},
	{store.ErrAway, exitWrong, ""},
	{store.ErrDenied, exitWrong, ""},
}

// explain turns any error into words and an exit code. There is always at least one problem.
func explain(err error) (list []problem, code int) {
	var (
		own      *failure
		inFile   study.Errors
		inSpace  space.Errors
		notRun   *fault.Error
		oneParam *space.Error
	)
	switch {
	case errors.As(err, &own):
		return []problem{{Error: own.message, Hint: own.hint}}, own.code
	case errors.As(err, &inFile):
		for _, e := range inFile {
			list = append(list, problem{e.Message(), e.Excerpt(), e.Mend})
		}
		return list, exitUsage
	case errors.As(err, &inSpace):
		for _, e := range inSpace {
			list = append(list, spaceProblem(e))
		}
		return list, exitUsage
	case errors.As(err, &oneParam):
		return []problem{spaceProblem(oneParam)}, exitUsage
	case errors.As(err, &notRun) && notRun.Code == fault.CannotRun:
		return []problem{{Error: notRun.Problem, Hint: notRun.Hint}}, exitWrong
	}
	text := bare(err.Error())
	for _, m := range meanings {
		if !errors.Is(err, m.err) {
			continue
		}
		if m.err == context.Canceled {
			return []problem{{Error: "interrupted"}}, m.code
		}
		if m.hint != "" && m.err != store.ErrNotFound {
			return []problem{{Error: text, Hint: m.hint}}, m.code
		}
		message, mend := cutMend(text, m.err.Error())
		if m.hint != "" {
			mend = m.hint
		}
		return []problem{{Error: message, Hint: mend}}, m.code
	}
	if strings.HasPrefix(text, "unknown command") { // cobra's own words, for verbs that it brings along
		return []problem{{Error: text, Hint: "see: eke --help"}}, exitUsage
	}
	message, mend := cutMend(text, "")
	return []problem{{Error: message, Hint: strings.TrimSuffix(mend, ": file does not exist")}}, exitWrong
}

func spaceProblem(e *space.Error) problem {
	if e.Param == "" {
		return problem{Error: fmt.Sprintf("parameter %d: %s", e.Index+1, e.Problem), Hint: e.Mend}
	}
	return problem{Error: fmt.Sprintf("parameter %s: %s", e.Param, e.Problem), Hint: e.Mend}
}

// cutMend parts what an error says is wrong from what it says to do, at the first semicolon after that text:
// before it stand paths and names, which may have any letters.
func cutMend(text, after string) (message, mend string) {
	from := max(strings.Index(text, after), 0)
	if i := strings.Index(text[from:], "; "); i >= 0 {
		return text[:from+i], text[from+i+2:]
	}
	return text, ""
}

// bare is an error's text without the names of packages, which say nothing to who reads it.
func bare(text string) string {
	for _, name := range []string{"desk", "store", "sqlite", "postgres", "study", "space", "evaluator", "policy", "eke", "runner", "report"} {
		text = strings.TrimPrefix(text, name+": ")
	}
	return text
}
