package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// fitter is a server that only fits models, for as long as its context lasts.
func fitter(t *testing.T) *Server {
	return &Server{fitting: newTurns(mostFits), background: t.Context(), log: slog.New(slog.DiscardHandler)}
}

// Many who ask at once share one computation, and who asks later gets its result. If they ask for something newer, the next one is theirs.
func TestComputedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := fitter(t), &kept[int64]{}
		computed, finish := 0, make(chan struct{})
		get := func(of int64) {
			found, err := k.get(t.Context(), s, of, func(context.Context) (int64, bool, error) {
				computed++
				<-finish
				return of, true, nil
			})
			if err != nil || found < of {
				t.Errorf("of %d it got %d, %v", of, found, err)
			}
		}
		var all sync.WaitGroup
		for i := range 48 {
			all.Go(func() { get(int64(1 + i/24)) })
		}
		synctest.Wait()
		if computed != 1 {
			t.Errorf("%d computations at once", computed)
		}
		close(finish)
		all.Wait()
		if get(1); computed > 2 {
			t.Errorf("%d computations", computed)
		}
	})
}

// An error is not kept, nor is what was cut short. Where there is an older answer, it is given instead of an error.
func TestFailuresAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k, broken := fitter(t), &kept[string]{}, errors.New("broken")
		get := func(of int64, found string, keep bool, err error) string {
			got, e := k.get(t.Context(), s, of, func(context.Context) (string, bool, error) {
				if found == "panic" {
					panic(found)
				}
				return found, keep, err
			})
			return fmt.Sprintf("%s %v", got, e)
		}
		for _, c := range []struct{ got, want string }{
			{get(1, "", false, broken), " broken"},
			{get(1, "panic", false, nil), " panic: panic"},
			{get(1, "part", false, nil), "part <nil>"},
			{get(1, "whole", true, nil), "whole <nil>"},
			{get(2, "", false, broken), "whole <nil>"},
			{get(2, "newer", true, nil), "newer <nil>"},
		} {
			if c.got != c.want {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		}
	})
}

// While the models of another study are fitted, whoever reads a study's models gets what was computed last. If nothing was, they are told
// to come again, long before clients give up; and then it is there.
func TestModelsComputedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.Memory()
		defer st.Close()
		s := New(Config{Store: st, Rate: 1e6})
		defer s.Close()
		send := func(method, path, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "http://localhost/api/v1"+path, strings.NewReader(body))
			if r.Header.Set("Content-Type", "application/json"); path == "/studies" {
				r.Header.Set("Content-Type", "application/yaml")
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		send("POST", "/studies", quick)
		asked := 0
		ask := func() {
			asked++
			send("POST", "/studies/quick/ask", `{"worker":"w"}`)
			send("POST", fmt.Sprintf("/studies/quick/trials/%d/tell", asked), fmt.Sprintf(`{"value":%d,"cost":1}`, asked))
		}
		read := func(want int) (in insight.Insight) {
			t.Helper()
			w := send("GET", "/studies/quick/insight", "")
			if w.Code != want {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if err := json.Unmarshal(w.Body.Bytes(), &in); err != nil {
				t.Fatal(err)
			}
			return in
		}
		for range 3 {
			ask()
		}
		release, err := s.fitting.take(t.Context(), sender{"other", "other"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		read(http.StatusTooManyRequests)
		release()
		synctest.Wait()
		if in := read(200); in.Observed != 3 {
			t.Errorf("%+v", in)
		}
		if release, err = s.fitting.take(t.Context(), sender{"other", "other"}, 1); err != nil {
			t.Fatal(err)
		}
		ask()
		if in := read(200); in.Observed != 3 {
			t.Errorf("%+v", in)
		}
		if w := send("GET", "/studies/quick/slice?parameter=x", ""); w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		release()
		if in := read(200); in.Observed != 4 {
			t.Errorf("%+v", in)
		}
	})
}

// A look that has no time left for the front of a study does not keep it from others.
func TestFrontIsFoundAgain(t *testing.T) {
	several := oven()
	several.Objectives = []study.Aim{{Objective: several.Objective}, {Objective: study.Objective{Name: "memory", Goal: study.Minimize}}}
	s := New(Config{Rate: 1e6, Store: store.Memory()})
	defer s.Close()
	b, err := broker.Create(t.Context(), s.store, several)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Import(t.Context(), []broker.Result{{Setting: space.Setting{"x": space.Float(0.5)}, Value: 1, Cost: 1, Metrics: study.Metrics{"memory": 2}}}, false); err != nil {
		t.Fatal(err)
	}
	o, r, err := s.open(t.Context(), "oven")
	if err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 { // whoever has no time left may find the front all the same
		o.shown.Store(nil)
		o.summary(late, r)
		if v := o.view(t.Context(), r); v.Front == nil || len(v.Front.Trials) != 1 {
			t.Fatalf("%+v", v.Front)
		}
	}
}

// held is a store that keeps whoever appends to a study waiting.
type held struct {
	store.Store
	study string
	open  chan struct{}
}

func (h *held) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	if name == h.study && events[0].Kind == study.EventAsked {
		select {
		case <-h.open:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return h.Store.Append(ctx, name, version, events...)
}

// While a choice takes long, the reports of its study's trials wait for it. They keep nobody from choosing a trial of another study.
func TestReportsHoldNoThinkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &held{Store: store.Memory(), open: make(chan struct{})}
		defer st.Close()
		s := New(Config{Store: st, Rate: 1e6})
		defer s.Close()
		send := func(path, body, kind string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "http://localhost/api/v1"+path, strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code >= 300 {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			return w
		}
		steps := strings.NewReplacer("name: quick", "name: steps", "total: 100", "total: 10000").Replace(quick)
		send("/studies", steps+"fidelity: {name: epochs, min: 1, max: 27, log: true, stop_early: median}\n", "application/yaml")
		send("/studies", quick, "application/yaml")
		for range s.thinkers.one {
			send("/studies/steps/ask", `{"worker":"w"}`, "application/json")
		}
		st.study = "steps"
		var all sync.WaitGroup
		all.Go(func() { send("/studies/steps/ask", `{"worker":"w"}`, "application/json") })
		time.Sleep(2 * longestHold) // from then on, others may change the study
		for i := range s.thinkers.one {
			all.Go(func() {
				send(fmt.Sprintf("/studies/steps/trials/%d/report", i+1), `{"step":9,"value":1,"cost":1}`, "application/json")
			})
		}
		synctest.Wait()
		if s.thinkers.held != 1 {
			t.Errorf("%d of %d think, or wait to", s.thinkers.held, s.thinkers.one)
		}
		if s.thinkers.held < s.thinkers.one { // else it would wait for ever
			send("/studies/quick/ask", `{"worker":"w"}`, "application/json")
		}
		close(st.open)
		all.Wait()
	})
}

// Whoever asks for a trial does not wait until the server has found out whether the study is over, which waits for the models of others.
func TestAskDoesNotWaitForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Rate: 1e6, Store: store.Memory()})
		defer s.Close()
		if _, err := broker.Create(t.Context(), s.store, oven()); err != nil {
			t.Fatal(err)
		}
		o, _, err := s.open(t.Context(), "oven")
		if err != nil {
			t.Fatal(err)
		}
		release, err := s.fitting.take(t.Context(), sender{"other", "other"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() { s.findEnd(t.Context(), "oven", false) })
		synctest.Wait()
		patient, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := o.ask(patient, s.thinkers, broker.Asker{Runner: "w"}, func(*study.Record) error { return nil }); err != nil {
			t.Error(err)
		}
		release()
		all.Wait()
	})
}

// One sender's models wait for one another, and not more than some of them.
func TestFitsOfOneSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fitter(t)
		release, err := s.fitting.take(t.Context(), bob, 1)
		if err != nil {
			t.Fatal(err)
		}
		refused := make(chan error, 48)
		var all sync.WaitGroup
		for range 48 {
			all.Go(func() {
				_, err := new(kept[int]).get(t.Context(), s, 1, func(context.Context) (int, bool, error) { return 0, true, nil })
				refused <- err
			})
		}
		synctest.Wait()
		if len(refused) != 48-mostFits {
			t.Errorf("%d were refused at once", len(refused))
		}
		release()
		all.Wait()
		close(refused)
		fine := 0
		for err := range refused {
			if err == nil {
				fine++
			}
		}
		if fine != mostFits {
			t.Errorf("%d were served", fine)
		}
	})
}
