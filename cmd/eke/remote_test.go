package main

import (
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// A log that is longer than an answer is read to its end, and adds up to what the server's store has.
func TestLongLogOfAServer(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	s, err := study.Parse([]byte("name: kiln\nobjective: {goal: maximize}\ncost: {source: reported}\nbudget: {total: 1}\nparameters: {x: {type: float, min: 0, max: 1}}\n"), "kiln.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, err := broker.Create(ctx, st, s)
	for range 2500 {
		if err == nil {
			err = d.AddBudget(ctx, 1)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	served := server.New(server.Config{Store: st, Rate: 1e6})
	defer served.Close()
	h := httptest.NewServer(served)
	defer h.Close()
	client, err := api.NewClient(api.Config{URL: h.URL})
	if err != nil {
		t.Fatal(err)
	}
	on := newRemote(client)
	for _, after := range []int64{0, 1, 2499, 2500} {
		_, want, err := st.Read(ctx, "kiln", after)
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := on.Read(ctx, "kiln", after); err != nil || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("after %d there are %d events, not %d, %v", after, len(got), len(want), err)
		}
	}
	want, _, err := store.Load(ctx, st, "kiln")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := store.Load(ctx, on, "kiln"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, not %+v, %v", got, want, err)
	}
	if err := on.Append(ctx, "kiln", want.Version, study.Event{Seq: want.Version + 1, Kind: study.EventClosed}); err == nil {
		t.Error("a server's log was written to as if it were a store's")
	}
}
