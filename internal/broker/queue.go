package broker

import (
	"context"
	"fmt"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Enqueue has a setting tried next, once the settings are through that were enqueued before. Parameters that it leaves out have their
// defaults. The same key enqueues once.
func (b *Broker) Enqueue(ctx context.Context, setting space.Setting, note, key string) (study.Item, error) {
	sp := b.advisor.Space()
	setting = sp.Complete(setting)
	point, err := sp.Encode(setting)
	if err == nil {
		err = sp.Allows(setting)
	}
	if err != nil {
		return study.Item{}, err
	}
	number := 0
	r, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		if i := slices.IndexFunc(r.Queue, func(q study.Item) bool { return key != "" && q.Key == key }); i >= 0 {
			number = i + 1
			return nil, nil
		}
		if err := b.mayEncode(r); err != nil {
			return nil, err
		}
		number = len(r.Queue) + 1
		return []study.Event{{Kind: study.EventEnqueued, Key: key, Enqueued: &study.Enqueued{Setting: setting, Point: point, Note: note}}}, nil
	})
	if err != nil {
		return study.Item{}, err
	}
	return r.Queue[number-1], nil
}

// Dequeue takes an item out of the queue.
func (b *Broker) Dequeue(ctx context.Context, item int) error {
	return b.append(ctx, study.Event{Kind: study.EventDequeued, Item: item})
}

// Retry has the settings of trials tried again, each once however often that is wanted before it happens. It returns the items
// of the queue.
func (b *Broker) Retry(ctx context.Context, trials ...int) (items []study.Item, err error) {
	var numbers []int
	r, err := b.update(ctx, func(r *study.Record) (events []study.Event, err error) {
		numbers = nil
		if err := b.mayEncode(r); err != nil {
			return nil, err
		}
		at := map[int]int{}
		for _, item := range r.Waiting() {
			at[item.Retries] = item.Number
		}
		for _, n := range trials {
			t, err := r.Trial(n)
			switch {
			case err != nil:
				return nil, err
			case t.Outside:
				return nil, fault.New(fault.Conflict, "", "the parameters have changed, and do not allow the setting of trial %d any more", n)
			case at[n] == 0:
				at[n] = len(r.Queue) + len(events) + 1
				events = append(events, study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{
					Setting: t.Setting, Point: t.Point, Retries: n, Note: fmt.Sprintf("trial %d is tried again", n)}})
			}
			numbers = append(numbers, at[n])
		}
		return events, nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		items = append(items, r.Queue[n-1])
	}
	return items, nil
}
