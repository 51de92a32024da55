package main

import (
	"context"
	"strings"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// restOf forecasts what the rest of a study's money would buy, with an amount added to it. It is nil if there is nothing to forecast.
func restOf(ctx context.Context, d *broker.Broker, r *study.Record, added float64) (*study.Rest, error) {
	if r.Closed {
		return nil, nil
	}
	return d.Advisor().Rest(ctx, r, added)
}

// printRest says what the rest of the money is expected to buy, if that is known.
func (a *app) printRest(s *study.Study, r *study.Rest) {
	if r != nil {
		a.printf("%s.\n", capital(say.Rest(s, r)))
	}
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// stopFlag is what --stop says.
const stopFlag = "when to stop although there is money left: never, or when the rest is expected to gain less than a `NUMBER`"

// restart changes when a study ends, if the flag says so.
func restart(ctx context.Context, d *broker.Broker, flag string) (*broker.Broker, error) {
	if flag == "" {
		return d, nil
	}
	stop, err := study.ParseStop(flag)
	if err != nil {
		return nil, fault.New(fault.BadRequest, fault.HintOf(err), "--%w", err)
	}
	return d.StopAt(ctx, stop)
}
