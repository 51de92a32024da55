package study_test

import (
	"testing"

	"github.com/eke-bo/eke/study"
)

// Every charge is in one sum and in no other. A look is no result, and no waste.
func TestSpending(t *testing.T) {
	r := study.Record{Trials: []study.Trial{
		{State: study.Done, Charged: 1},
		{State: study.Done, Charged: 2, Look: true},
		{State: study.Failed, Charged: 4, Look: true},
		{State: study.Failed, Charged: 8},
		{State: study.Done, Charged: 16, Beyond: true},
		{State: study.Done, Charged: 32, Look: true, Forgotten: true},
		{State: study.StoppedEarly, Charged: 64},
		{State: study.Running, Reserved: 128},
		{State: study.Done, Charged: 256, Look: true, Beyond: true},
	}}
	if got, want := r.Spending(), (study.Spending{Results: 1, Looks: 2, Lost: 4 + 8 + 16 + 32 + 64 + 256}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The price of a trial is that of full ones, of the last ten.
func TestPrice(t *testing.T) {
	r := study.Record{Trials: []study.Trial{{State: study.Done, Charged: 0.1, Look: true}, {State: study.Failed, Charged: 5}}}
	if each, known := r.Price(); known {
		t.Errorf("looks and failures have the price %v", each)
	}
	r.Trials = append(r.Trials, study.Trial{State: study.Done, Charged: 1000})
	for range 10 {
		r.Trials = append(r.Trials, study.Trial{State: study.Done, Charged: 3}, study.Trial{State: study.Done, Charged: 0.1, Look: true})
	}
	if each, known := r.Price(); !known || each != 3 {
		t.Errorf("%v, %v; want 3", each, known)
	}
}
