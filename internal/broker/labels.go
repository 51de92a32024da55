package broker

import (
	"context"

	"github.com/eke-bo/eke/study"
)

// Label changes what people have written on the study.
func (b *Broker) Label(ctx context.Context, change func(*study.Labels)) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		labels := r.Labels
		change(&labels)
		labels, err := labels.Tidy()
		if err != nil || labels.Equal(r.Labels) {
			return nil, err
		}
		return []study.Event{{Kind: study.EventLabelled, Labels: &labels}}, nil
	})
	return err
}
