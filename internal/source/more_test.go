package source_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/study"
)

// Workers in one folder have journals of their own, and leave each other's alone.
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	h := newHouse(t, time.Minute)
	h.create(reported, `sleep 0.2; echo "{\"strength\": 1, \"cost\": 1}"`)
	var told [2]heard
	c := h.config("kiln", &told[0])
	stop := make(chan struct{})
	c.Stop = stop
	time.AfterFunc(time.Second, func() { close(stop) })
	over := make(chan error, 2)
	for i := range told {
		own := c
		own.Tell = told[i].tell
		go func() {
			_, err := runner.Run(context.Background(), own)
			over <- err
		}()
	}
	for range told {
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
	workspaces, _ := filepath.Glob(filepath.Join(c.Dir, "run-*"))
	if len(workspaces) != 2 || told[0].kinds(runner.Recovered)+told[1].kinds(runner.Recovered) > 0 {
		t.Errorf("workspaces %v\n%s\n%s", workspaces, &told[0], &told[1])
	}
	for _, trial := range h.record("kiln").Trials {
		if trial.State != study.Done && !strings.Contains(trial.Note, "before it began") { // handed out as the stop came
			t.Errorf("%+v", trial)
		}
	}
}

// A server whose certificate is not trusted is not spoken to, nor tried again; --ca says whom to trust.
func TestTLS(t *testing.T) {
	t.Parallel()
	h := newHouse(t, time.Minute)
	h.create(strings.Replace(reported, "total: 10", "total: 2", 1), `echo "{\"strength\": 1, \"cost\": 1}"`)
	s := server.New(server.Config{Store: h.store, Rate: 1e6})
	defer s.Close()
	secure := httptest.NewTLSServer(s)
	defer secure.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	for _, trusted := range [][]byte{nil, ca} {
		var told heard
		c := h.config("kiln", &told)
		var err error
		if c.Source, err = at(api.NewClient(api.Config{URL: secure.URL, CA: trusted})); err != nil {
			t.Fatal(err)
		}
		_, err = runner.Run(t.Context(), c)
		if want := trusted != nil; (err == nil) != want || !want && !strings.Contains(fmt.Sprint(err), "certificate") {
			t.Errorf("trusted %v: %v", want, err)
		}
	}
}
