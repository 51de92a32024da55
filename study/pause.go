package study

import (
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

var (
	// ErrPaused says that the study is paused.
	ErrPaused error = fault.New(fault.Paused, "go on with: eke resume", "the study is paused")

	// ErrArchived says that the study is archived.
	ErrArchived error = fault.New(fault.Closed, "take it out again: eke study archive --undo", "the study is archived")
)

// MayAsk returns an error if no trial is handed out, whatever the budget: ErrClosed, ErrArchived or ErrPaused.
func (r *Record) MayAsk() error {
	switch {
	case r.Closed:
		return ErrClosed
	case r.Archived:
		return ErrArchived
	case r.Paused:
		return ErrPaused
	}
	return nil
}

func (r *Record) paused(Event) error  { return change(&r.Paused, true, "the study is paused already") }
func (r *Record) resumed(Event) error { return change(&r.Paused, false, "the study is not paused") }
func (r *Record) restored(Event) error {
	return change(&r.Archived, false, "the study is not archived")
}

func (r *Record) archived(Event) error {
	if err := r.Idle("archived"); err != nil {
		return err
	}
	return change(&r.Archived, true, "the study is archived already")
}

// Idle returns an error that names the trials under way, if there are any: the study cannot be archived, or whatever is to be done with it, before they end.
func (r *Record) Idle(what string) error {
	var open []string
	for _, t := range r.Open() {
		open = append(open, strconv.Itoa(t.Number))
	}
	switch len(open) {
	case 0:
		return nil
	case 1:
		return fault.New(fault.Conflict, "wait for it, or stop it: eke stop "+open[0], "the study cannot be %s while trial %s is under way", what, open[0])
	}
	return fault.New(fault.Conflict, "wait for them, or stop them: eke stop TRIAL...", "the study cannot be %s while %d trials are under way: %s", what, len(open), strings.Join(open, ", "))
}

func change(flag *bool, to bool, already string) error {
	if *flag == to {
		return refuse("%s", already)
	}
	*flag = to
	return nil
}

// stop notes that a trial is to be stopped by whoever evaluates it. One that has not begun need not be: it can end at once.
func (r *Record) stop(e Event) error {
	t, err := r.trial(e.Trial)
	switch {
	case err != nil:
		return err
	case t.State != Running:
		return refuse("trial %d is %s; only a running trial can be stopped", t.Number, t.State)
	case t.Stopping:
		return refuse("trial %d is being stopped already", t.Number)
	}
	t.Stopping, t.Early = true, e.Reason
	return nil
}
