package worker

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/study"
)

// outcome is what came of a trial.
type outcome struct {
	State study.State `json:"state"`
	Value float64     `json:"value"`
	Cost  *float64    `json:"cost,omitempty"` // nil: nobody knows, and the server estimates it
	Wall  float64     `json:"wall"`           // seconds
	Note  string      `json:"note,omitempty"`
}

// mostNote is how long a note may be, in bytes: the server adds words of its own.
const mostNote = api.MaxNote - 500

// Why a command was stopped by the server.
var (
	errLimit = errors.New("the server grants it no more time")
	errTaken = errors.New("the trial is not this worker's any more")
)

// outcomeOf turns what the evaluator says into what the server is told. The problem, if there is one, ends the worker.
//
// A trial that was stopped because the worker was, or because it is somebody else's, is abandoned, not cut: that says
// nothing of its setting.
func outcomeOf(worker, running context.Context, out local.Outcome, err error) (o outcome, problem error) {
	stopped := worker.Err() != nil
	switch {
	case err != nil && (stopped || running.Err() != nil):
		return outcome{State: study.Abandoned, Note: "the worker was stopped before it began"}, nil
	case err != nil: // nothing ran
		return outcome{State: study.Abandoned, Cost: new(float64), Note: clip(err.Error())}, err
	case out.State == study.Cut && stopped:
		out.State, out.Note = study.Abandoned, "the worker was stopped"
	case out.State == study.Cut && errors.Is(context.Cause(running), errTaken):
		out.State = study.Abandoned
	}
	return outcomeFrom(out, out.Wall), nil
}

func outcomeFrom(out local.Outcome, wall time.Duration) outcome {
	o := outcome{State: out.State, Value: out.Value, Wall: wall.Seconds(), Note: clip(out.Note)}
	if out.HasCost {
		o.Cost = &out.Cost
	}
	if o.Cost != nil && (*o.Cost > api.MaxCost || *o.Cost < 0) {
		o.Cost = nil
	}
	if o.State == study.Done && !(math.Abs(o.Value) <= api.MaxValue) {
		o.State, o.Note = study.Failed, strings.TrimPrefix(o.Note+"; its value is larger than any that can be kept", "; ")
	}
	return o
}

// clip shortens a note at the end of a character.
func clip(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= mostNote {
		return text
	}
	text = text[:mostNote]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "…"
}
