package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err         error
		code        int
		error, hint string
	}{
		{fmt.Errorf("sqlite: /a; b/eke.db: %w; nothing was kept; make room", store.ErrFull), exitWrong,
			"/a; b/eke.db: no room is left on the disk", "nothing was kept; make room"},
		{fmt.Errorf("sqlite: eke.db: %w; you need leave to write (SQLite: no; (8))", store.ErrReadOnly), exitWrong,
			"eke.db: the store cannot be written to", "you need leave to write (SQLite: no; (8))"},
		{fmt.Errorf("sqlite: eke.db: %w; put it back", store.ErrGone), exitWrong, "eke.db: the store was deleted or replaced while in use", "put it back"},
		{fmt.Errorf("sqlite: eke.db: %w: it is a folder; give a file", store.ErrForeign), exitWrong, "eke.db: this is no store of eke's: it is a folder", "give a file"},
		{fmt.Errorf("sqlite: eke.db: %w: page 3; put a copy in its place", store.ErrDamaged), exitWrong, "eke.db: the store is damaged: page 3", "put a copy in its place"},
		{fmt.Errorf("sqlite: eke.db: %w: it has version 9; use the newer eke", store.ErrNewer), exitWrong,
			"eke.db: the store was written by a newer eke: it has version 9", "use the newer eke"},
		{fmt.Errorf("sqlite: eke.db: %w; end that", store.ErrBusy), exitWrong, "eke.db: the store is locked by another process", "end that"},
		{store.NotFound("a; b"), exitNotFound, `study "a; b": there is no study of that name`, "see which there are: eke studies"},
		{store.Exists("a"), exitWrong, `study "a": there is a study of that name already`, "choose another name, or go on with that one"},
		{fmt.Errorf("study %q: %w: seed was 1 and is now 2; noise was false", "a", broker.ErrDiffers), exitUsage,
			`study "a": the study file says otherwise than the store: seed was 1 and is now 2; noise was false`, "to go on with that study"},
		{advisor.ErrBudgetSpent, exitSpent, "budget spent", "see what came of it: eke best; or go on"},
		{fmt.Errorf("%w: 1 euro is left", advisor.ErrNotWorth), exitSpent, "no affordable setting is worth trying: 1 euro is left", "see what came of it"},
		{advisor.ErrExhausted, exitSpent, "every setting has been tried", "see what came of it: eke best"},
		{advisor.ErrBudgetPending, exitPending, "the rest of the budget", "tell what came"},
		{fmt.Errorf("study: event 3 (asked): trial 2: %w", study.ErrUnaffordable), exitPending, "event 3 (asked): trial 2: the budget", "wait"},
		{fault.New(fault.CannotRun, "install it", "no python"), exitWrong, "no python", "install it"},
		{space.Errors{{Param: "lr", Problem: "min is 2, above max", Mend: "swap them"}}, exitUsage, "parameter lr: min is 2, above max", "swap them"},
		{&space.Error{Index: 1, Problem: "it has no name", Mend: "give it one"}, exitUsage, "parameter 2: it has no name", "give it one"},
		{fmt.Errorf("sqlite: eke.db: %w", context.Canceled), exitInterrupted, "interrupted", ""},
		{fmt.Errorf("sqlite: x/eke.db: the folder x does not exist; make it first: %w", fs.ErrNotExist), exitWrong,
			"x/eke.db: the folder x does not exist", "make it first"},
		{errors.New("whatever"), exitWrong, "whatever", ""},
		{fmt.Errorf("while asking: %w", usage("do this", "not that")), exitUsage, "not that", "do this"},
	} {
		list, code := explain(c.err)
		if len(list) != 1 || code != c.code || !strings.HasPrefix(list[0].Error, c.error) || !strings.HasPrefix(list[0].Hint, c.hint) {
			t.Errorf("%v:\n%+v, code %d", c.err, list, code)
		}
	}
}

// Every error that a store names has its meaning.
func TestExplainKnowsEveryStoreError(t *testing.T) {
	for _, err := range []error{store.ErrExists, store.ErrNotFound, store.ErrConflict, store.ErrForeign, store.ErrDamaged,
		store.ErrNewer, store.ErrReadOnly, store.ErrFull, store.ErrBusy, store.ErrGone} {
		found := false
		for _, m := range meanings {
			found = found || errors.Is(err, m.err)
		}
		if !found {
			t.Errorf("%v has no meaning", err)
		}
	}
}
