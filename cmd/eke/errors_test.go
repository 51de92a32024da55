package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Semicolons in paths, names and messages mean nothing: no text is taken apart.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err         error
		exit        int
		error, hint string
	}{
		{fmt.Errorf("/a; b/eke.db: %w", store.ErrFull), 1, "/a; b/eke.db: no room is left on the disk", "this change was not saved"},
		{fault.Errorf("ask; then write", "eke.db: %w (SQLite: no; (8))", store.ErrReadOnly), 1, "eke.db: the store cannot be written to (SQLite: no; (8))", "ask; then write"},
		{fault.Errorf("put it back", "eke.db: %w", store.ErrGone), 1, "eke.db: the store was deleted or replaced while in use", "put it back"},
		{fault.Errorf("give a file", "eke.db: %w: it is a folder", store.ErrForeign), 1, "eke.db: this is not an eke store: it is a folder", "give a file"},
		{fmt.Errorf("eke.db: %w: page 3", store.ErrDamaged), 1, "eke.db: the store is damaged: page 3", "nothing was written to it"},
		{fmt.Errorf("eke.db: %w: it has version 9", store.ErrNewer), 1, "eke.db: the store was written by a newer eke: it has version 9", "use the newer eke"},
		{fault.Errorf("end that", "eke.db: %w", store.ErrBusy), 1, "eke.db: the store is locked by another process", "end that"},
		{store.NotFound("a; b"), 5, `study "a; b": there is no study of that name`, "list the studies: eke study list"},
		{store.Exists("a"), 1, `study "a": there is already a study of that name`, "choose another name"},
		{fmt.Errorf("study %q: %w: seed was 1 and is now 2; noise was false", "a", broker.ErrDiffers), 2,
			`study "a": the study file differs from the study in the store: seed was 1 and is now 2; noise was false`, "to continue that study"},
		{advisor.ErrBudgetSpent, 3, "budget spent", "see the result: eke best; or add to the budget"},
		{fmt.Errorf("%w: 1 euro is left", advisor.ErrNotWorth), 3, "no affordable setting is worth trying: 1 euro is left", "see the result"},
		{advisor.ErrExhausted, 3, "every setting has been tried", "see the result: eke best"},
		{study.ErrClosed, 3, "the study was ended", "see the result: eke best"},
		{advisor.ErrBudgetPending, 4, "the rest of the budget", "report the results"},
		{fmt.Errorf("event 3 (asked): trial 2: %w", study.ErrUnaffordable), 4, "event 3 (asked): trial 2: the budget", "report the results"},
		{fault.New(fault.CannotRun, "install it", "no python"), 1, "no python", "install it"},
		{space.Errors{{Param: "lr", Problem: "min is 2, above max", Hint: "swap them"}}, 2, "parameter lr: min is 2, above max", "swap them"},
		{&space.Error{Index: 1, Problem: "it has no name", Hint: "give it one"}, 2, "parameter 2: it has no name", "give it one"},
		{fmt.Errorf("the file: %w", study.Errors{{File: "a.yaml", Line: 3, Column: 4, Field: "name", Problem: "name is empty", Hint: "give one"}}), 2,
			"a.yaml:3:4: name is empty", "give one"},
		{fmt.Errorf("eke.db: %w", context.Canceled), 130, "interrupted", ""},
		{fault.Errorf("", "eke.db: %w", context.Canceled), 130, "interrupted", ""},
		{fault.New(fault.StoreDenied, "create it first", "x/eke.db: the folder x does not exist"), 1, "x/eke.db: the folder x does not exist", "create it first"},
		{errors.New("whatever"), 1, "whatever", ""},
		{fmt.Errorf("while asking: %w", usage("do this", "not that")), 2, "while asking: not that", "do this"},
	} {
		list, exit := explain(c.err)
		if len(list) != 1 || exit != c.exit || !strings.HasPrefix(list[0].Error, c.error) || !strings.HasPrefix(list[0].Hint, c.hint) || (c.hint == "") != (list[0].Hint == "") {
			t.Errorf("%v:\n%+v, exit code %d", c.err, list, exit)
		}
	}
}

// Where the study has to be named, the commands of a hint name it, once.
func TestHintsNameTheStudy(t *testing.T) {
	for _, c := range []struct{ hint, study, want string }{
		{"wait for it, or stop it: eke stop 2", "slow", "wait for it, or stop it: eke stop slow 2"},
		{"wait for it, or stop it: eke stop 2", "", "wait for it, or stop it: eke stop 2"},
		{"go on with: eke resume", "slow --server http://127.0.0.1", "go on with: eke resume slow --server http://127.0.0.1"},
		{"see the result: eke best; or add to the budget: eke budget add AMOUNT", "slow", "see the result: eke best slow; or add to the budget: eke budget add slow AMOUNT"},
		{"go on with: eke resume slow", "slow", "go on with: eke resume slow"},
		{"list the studies: eke study list", "slow", "list the studies: eke study list"},
	} {
		if got := naming(c.hint, c.study); got != c.want {
			t.Errorf("%q for %q: %q", c.hint, c.study, got)
		}
	}
}

// What somebody asked for is no error, but the exit code says that it is not done.
func TestInterruptionIsNoError(t *testing.T) {
	for _, c := range []struct {
		err  error
		json bool
		exit int
		text string
	}{
		{fault.New(fault.Interrupted, "continue: eke run kiln", "stopped"), false, 130, "eke: note: stopped\neke: hint: continue: eke run kiln\n"},
		{fault.New(fault.Interrupted, "", "stopped"), true, 130, `{"error":"stopped","code":130}` + "\n"},
		{context.Canceled, false, 130, "eke: note: interrupted\n"},
		{errors.New("whatever"), false, 1, "eke: error: whatever\n"},
	} {
		var out strings.Builder
		if exit := (&app{err: &out, json: c.json}).complain(c.err, nil); exit != c.exit || out.String() != c.text {
			t.Errorf("%v: exit code %d, %q", c.err, exit, out.String())
		}
	}
}

// A study file's mistakes are all shown, each with its hint.
func TestExplainShowsEveryMistake(t *testing.T) {
	list, exit := explain(study.Errors{{File: "a.yaml", Problem: "one", Hint: "first"}, {File: "a.yaml", Line: 1, Column: 2, Source: "ab", Problem: "two", Hint: "second"}})
	want := []problem{{Error: "a.yaml: one", Hint: "first"}, {Error: "a.yaml:1:2: two", Excerpt: "  1 | ab\n    |  ^", Hint: "second"}}
	if exit != 2 || !slices.Equal(list, want) {
		t.Errorf("%q, exit code %d", list, exit)
	}
}
