package study

import (
	"fmt"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Item is a setting that somebody wanted to be tried.
type Item struct {
	Number  int           `json:"number"`            // Number counts the items from 1.
	Setting space.Setting `json:"setting"`           // Setting is what to try.
	Point   []float64     `json:"point"`             // Point is the setting's canonical point in the unit cube.
	Retries int           `json:"retries,omitempty"` // Retries is the trial that is tried again; 0 if it is a new setting.
	Note    string        `json:"note,omitempty"`    // Note is a remark of whoever wants it.
	Added   time.Time     `json:"added"`             // Added is when it was enqueued.
	Key     string        `json:"key,omitempty"`     // Key is that of the request that enqueued it.

	Trial   int  `json:"trial,omitempty"`   // Trial is the trial that was made of it; 0 means none yet.
	Dropped bool `json:"dropped,omitempty"` // Dropped says that it is not wanted any more.
	Outside bool `json:"outside,omitempty"` // Outside says that the parameters have changed, and do not allow it any more.
}

// IsWaiting reports whether the item is still to be tried.
func (i Item) IsWaiting() bool { return i.Trial == 0 && !i.Dropped && !i.Outside }

// Waiting returns the items of the queue that are still to be tried, first come first.
func (r *Record) Waiting() (list []Item) {
	for _, i := range r.Queue {
		if i.IsWaiting() {
			list = append(list, i)
		}
	}
	return list
}

func (r *Record) enqueued(e Event) error {
	q := e.Enqueued
	if q == nil || len(q.Setting) == 0 {
		return refuse("nothing was enqueued")
	}
	if q.Retries != 0 {
		t, err := r.trial(q.Retries)
		if err != nil {
			return err
		}
		if t.State.Open() {
			return refuse("trial %d is %s; only one that has ended can be tried again", t.Number, t.State)
		}
	}
	r.Queue = append(r.Queue, Item{
		Number: len(r.Queue) + 1, Setting: q.Setting, Point: q.Point, Retries: q.Retries, Note: q.Note, Added: e.At, Key: e.Key,
	})
	return nil
}

func (r *Record) dequeued(e Event) error {
	i, err := r.waiting(e.Item)
	if err == nil {
		i.Dropped = true
	}
	return err
}

// taken returns the item that a trial is made of; nil if it is made of none.
func (r *Record) taken(number int) (*Item, error) {
	if number == 0 {
		return nil, nil
	}
	return r.waiting(number)
}

func (r *Record) waiting(number int) (*Item, error) {
	if number < 1 || number > len(r.Queue) {
		hint := "the queue is empty"
		if len(r.Queue) > 0 {
			hint = fmt.Sprintf("the last item is %d", len(r.Queue))
		}
		return nil, fault.New(fault.NotFound, hint, "there is no item %d in the queue", number)
	}
	if i := &r.Queue[number-1]; i.IsWaiting() {
		return i, nil
	}
	return nil, refuse("item %d of the queue is not waiting any more", number)
}
