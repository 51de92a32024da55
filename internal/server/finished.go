package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// refusal is why a study handed out no trial, as it stood then. It takes models to find that out, so it is remembered.
type refusal struct {
	created time.Time // of the study, which tells it from another of the same name
	version int64
	err     error
	old     bool // it was so before the server began, and is no news
}

// refusals has a place for the refusal of each study, by its name, whether it is open or not.
type refusals struct{ of sync.Map }

func (l *refusals) place(name string) *atomic.Pointer[refusal] {
	p, _ := l.of.LoadOrStore(name, &atomic.Pointer[refusal]{})
	return p.(*atomic.Pointer[refusal])
}

// refuses notes that the study is over, if that is why it handed out no trial.
func (o *openStudy) refuses(r *study.Record, err error) {
	if fault.CodeOf(err).Over() && len(r.Open()) == 0 {
		o.refusal.Store(&refusal{o.created, r.Version, err, false})
	}
}

// finished says why a study is over, as far as that is known.
func (o *openStudy) finished(r *study.Record) *api.End {
	err := o.broker.Advisor().Over(r, nil, time.Now())
	if last := o.refusal.Load(); err == nil && last != nil && last.version == r.Version && last.created.Equal(o.created) {
		err = last.err
	}
	return newEnd(err)
}

// foreseen is finished for whoever has a forecast of what the rest of the money buys.
func (o *openStudy) foreseen(r *study.Record, rest *study.Rest) *api.End {
	err := o.broker.Advisor().Over(r, rest, time.Now())
	if err == nil {
		return o.finished(r)
	}
	o.refuses(r, err)
	return newEnd(err)
}

func newEnd(err error) *api.End {
	if err == nil {
		return nil
	}
	return &api.End{Code: api.NewProblem(fault.CodeOf(err), "", "").Code, Reason: err.Error()}
}
