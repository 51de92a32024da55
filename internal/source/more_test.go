package source_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
	h := newSite(t, time.Minute)
	h.create(reported, `echo "{\"strength\": 1, \"cost\": 1}"`)
	var told [2]heard
	c := h.config("kiln", &told[0])
	stop := make(chan struct{})
	c.Stop = stop
	var both sync.WaitGroup
	both.Add(2)
	go func() { both.Wait(); close(stop) }()
	over := make(chan error, 2)
	for i := range told {
		own := c
		own.Tell = told[i].tell
		started := sync.OnceFunc(both.Done)
		told[i].on = func(n runner.News) {
			switch n.Kind {
			case runner.Started: // neither goes on before the other has begun
				started()
				<-stop
			case runner.Stopped:
				started()
			}
		}
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
	if r := h.record("kiln"); len(r.Trials) != 2 || r.Trials[0].State != study.Done || r.Trials[1].State != study.Done {
		t.Errorf("%+v", r.Trials)
	}
}

// A server of version 0.1.0 refuses the limit of a log, which it does not know. Whoever watches sees the study as it stands all the same.
func TestOldServer(t *testing.T) {
	t.Parallel()
	var refused atomic.Int32
	h := newSite(t, time.Minute, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/log") && r.URL.Query().Has("limit") {
				refused.Add(1)
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(http.StatusUnprocessableEntity)
				fmt.Fprint(w, `{"title":"Unprocessable Entity","status":422,"detail":"validation failed: query.limit: unknown query parameter","code":"bad_request"}`)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	h.create(reported, `echo "{\"strength\": 1, \"cost\": 1}"`)
	var told heard
	c := h.config("kiln", &told)
	sum, err := runner.Run(t.Context(), c)
	if err != nil || !sum.Code.Over() {
		t.Fatalf("%+v, %v\n%s", sum, err, &told)
	}
	if got := h.upToDate(c.Source, "kiln"); got.Ledger != h.record("kiln").Ledger {
		t.Errorf("the record is not the server's: %+v", got)
	}
	before := refused.Load()
	h.upToDate(c.Source, "kiln")
	if before == 0 || refused.Load() != before { // once is enough, if the answer is waited for
		t.Errorf("it was refused %d times, and once more: %v", before, refused.Load() != before)
	}
}

// A log that cannot be read is not an empty one: nobody is shown a budget of which nothing is spent, and the run goes on.
func TestUnreadableLog(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/log") {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	h.create(reported, `test $EKE_TRIAL = 1 && echo "{\"strength\": 1, \"cost\": 1}"`)
	var told heard
	sum, err := runner.Run(t.Context(), h.config("kiln", &told))
	if err != nil || sum.Record != nil {
		t.Errorf("%+v, %v", sum, err)
	}
	if trials := h.record("kiln").Trials; len(trials) < 5 { // one that worked was seen by nobody here
		t.Errorf("given up after %d trials\n%s", len(trials), &told)
	}
	for _, n := range told.list {
		if n.Record != nil {
			t.Errorf("%s: %+v", n.Kind, n.Record)
		}
	}
}

// A server whose certificate is not trusted is not spoken to, nor tried again; --ca says whom to trust.
func TestTLS(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute)
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
