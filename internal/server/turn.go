package server

import (
	"context"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

// turn is held by one request at a time. The others wait in order, until their contexts end.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) (release func(), err error) {
	select {
	case t <- struct{}{}:
		return sync.OnceFunc(func() { <-t }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write changes a study when it is the request's turn.
//
// The broker would allow a change at any time, and decide again if another was faster. But if many tried at once, all but one
// would have worked in vain, and a setting might have to be chosen again.
func (o *openStudy) write(ctx context.Context, change func(context.Context) error) error {
	release, err := o.writing.take(ctx)
	if err != nil {
		return err
	}
	defer o.watch.poke()
	defer release()
	return change(ctx)
}

// longestHold is how long the choice of a trial may keep others from changing the study. Most choices take a tenth of that.
const longestHold = time.Second

// ask hands out the next trial, unless the study as it stands then forbids it. The context may cut the choice short.
func (o *openStudy) ask(ctx context.Context, thinkers *shares, to broker.Asker, may func(*study.Record) error) (study.Trial, error) {
	release, err := o.asking.take(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	defer release()
	chosen, err := thinkers.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return study.Trial{}, err
	}
	defer chosen()
	r, err := o.broker.Record(ctx)
	if err == nil {
		err = may(r)
	}
	if err != nil {
		return study.Trial{}, err
	}
	letOthers, err := o.writing.take(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	defer o.watch.poke()
	defer letOthers()
	patience := time.AfterFunc(longestHold, letOthers)
	defer patience.Stop()
	return o.broker.Lease(ctx, to)
}

// lasting is a context for what must be finished even if the client is gone: a result that has arrived is kept.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
}
