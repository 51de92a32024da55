package broker_test

import (
	"context"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// overtaken is a store in which something happens after it was read for the first time.
type overtaken struct {
	store.Store
	happens func()
}

func (o *overtaken) Read(ctx context.Context, name string, after int64) (store.Header, []study.Event, error) {
	h, events, err := o.Store.Read(ctx, name, after)
	if happens := o.happens; happens != nil {
		o.happens = nil
		happens()
	}
	return h, events, err
}

// Two take the same study file over at once, and somebody adds to the budget in between. The edit is booked once, and nothing of what was added
// is taken away.
func TestOneEditIsBookedOnce(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	if _, err := broker.Create(ctx, st, definition()); err != nil {
		t.Fatal(err)
	}
	edited := definition()
	edited.Budget.Total = 10
	slow := &overtaken{Store: st, happens: func() {
		quick, err := broker.Redefine(ctx, st, edited)
		if err == nil {
			err = quick.AddBudget(ctx, 3)
		}
		if err != nil {
			t.Fatal(err)
		}
	}}
	b, err := broker.Redefine(ctx, slow, edited)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Record(ctx)
	if err != nil || r.Ledger.Total != 13 || len(b.Changes()) > 0 {
		t.Errorf("the budget is %v, not 13; the slow one changed %q, %v", r.Ledger.Total, b.Changes(), err)
	}
}
