package server

import (
	"context"
	"sync"
	"time"

	"github.com/eke-bo/eke/study"
)

// turn is held by one at a time. Who waits can be called away, and is served in the order of coming.
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

// write changes a study, when it is this one's turn.
//
// A change could be made at any time: the desk decides anew when another was faster. But of many who try at once all but
// one would have worked for nothing, and whoever thinks of the next trial would have to think again.
func (o *openStudy) write(ctx context.Context, change func(context.Context) error) error {
	release, err := o.writing.take(ctx)
	if err != nil {
		return err
	}
	defer o.watch.poke()
	defer release()
	return change(ctx)
}

// longestHold is how long thinking of the next trial keeps others from changing the study. Plans take about a tenth of that.
const longestHold = time.Second

// ask hands out the next trial to a runner. It stops thinking when the context ends.
func (o *openStudy) ask(ctx context.Context, runner, key string) (study.Trial, error) {
	release, err := o.asking.take(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	defer release()
	letOthers, err := o.writing.take(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	defer o.watch.poke()
	defer letOthers()
	patience := time.AfterFunc(longestHold, letOthers)
	defer patience.Stop()
	return o.broker.Lease(ctx, runner, key)
}

// lasting is a context for what should be finished even if whoever wanted it is gone: a result that has come in is kept.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
}
