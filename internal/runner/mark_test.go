package runner_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store"
)

// marked has a run of a store note how far it has seen the log.
func marked(t *testing.T, h *home, st store.Store) func(*runner.Config) {
	d, err := broker.Open(t.Context(), st, h.s.Name)
	if err != nil {
		t.Fatal(err)
	}
	header, err := d.Header(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return func(c *runner.Config) {
		c.Source, c.Mark = &source.Store{Broker: d}, runner.MarkIn(h.dir, header.ID, d.Digest)
	}
}

// What a run has seen last, such as a budget that somebody else raised, is missed by the next one if the store has lost it.
func TestStoreWithoutItsLastEvent(t *testing.T) {
	s := bowl("flat")
	s.Budget.Total, s.Stop.Never = 2, true
	h := newHome(t, s)
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err := broker.Open(t.Context(), h.db, s.Name)
	if err == nil {
		err = d.AddBudget(t.Context(), 0.01) // for which nothing can be had
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context(), marked(t, h, h.db)); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(h.dir, ".seen", "*"))
	if len(files) != 1 {
		t.Fatalf("the marks are %q", files)
	}
	var mark struct{ Events int64 }
	raw, err := os.ReadFile(files[0])
	if err = errors.Join(err, json.Unmarshal(raw, &mark)); err != nil || mark.Events != h.audit().Version {
		t.Errorf("%s, %v", raw, err)
	}

	header, events, err := h.db.Read(t.Context(), s.Name, 0)
	short := store.Memory()
	if err = errors.Join(err, short.Create(t.Context(), header), short.Append(t.Context(), s.Name, 0, events[:len(events)-1]...)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context(), marked(t, h, short)); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), fmt.Sprintf("has %d events, but %d were seen here", len(events)-1, len(events))) {
		t.Errorf("a store without the last event: %v", err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context(), marked(t, h, h.db)); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a damaged mark: %v", err)
	}
}
