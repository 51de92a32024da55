package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// A whole small study, several trials at once. The command does not get to see the token.
func TestWholeStudy(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute)
	h.create(reported, `test -z "$EKE_TOKEN" && echo "{\"strength\": $EKE_PARAM_X, \"cost\": 1}"`)
	var told heard
	c := h.config("kiln", &told)
	c.Parallel = 3
	sum, err := runner.Run(t.Context(), c)
	if err != nil || !sum.Code.Over() || sum.Code != fault.BudgetSpent && sum.Code != fault.NotWorth {
		t.Fatalf("%+v, %v\n%s", sum, err, &told)
	}
	r := h.record("kiln")
	if len(r.Trials) < 8 || r.Ledger.Spent > 10 || len(r.Trials) != sum.Trials {
		t.Errorf("%d trials for %v: %+v", len(r.Trials), r.Ledger.Spent, sum)
	}
	for _, trial := range r.Trials {
		if x, _ := trial.Setting["x"].Any().(float64); trial.State != study.Done || trial.Value != x || trial.Charged != 1 {
			t.Errorf("%+v", trial)
		}
	}
	if left := unsettled(t, c); len(left) > 0 {
		t.Errorf("left in the journal: %v", left)
	}
	if got := h.upToDate(c.Source, "kiln"); got.Ledger != r.Ledger || len(got.Trials) != len(r.Trials) || got.Trials[7].Value != r.Trials[7].Value {
		t.Errorf("the record is not the server's: %+v", got)
	}
	for _, n := range append(told.list, runner.News{Record: sum.Record}) { // whoever watches sees the study as it stands or, of a busy server, as it last stood
		if n.Kind == runner.Ended && (n.Study == nil || n.Trial.State != study.Done) {
			t.Errorf("%+v", n)
		}
		if n.Record == nil {
			continue
		}
		if then := h.recordAt("kiln", n.Record.Version); n.Record.Ledger != then.Ledger || len(n.Record.Trials) != len(then.Trials) {
			t.Errorf("%+v; the server's was %+v", n.Record, then)
		}
	}
	if sum, err := runner.Run(t.Context(), c); err != nil || sum.Trials != 0 || !sum.Code.Over() {
		t.Errorf("once more: %+v, %v", sum, err)
	}
}

// The server is away several times while trials run, and cuts off answers when it goes: every result is there, once.
func TestServerAway(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute)
	h.create(reported, `sleep 0.1; echo "{\"strength\": $EKE_PARAM_X, \"cost\": 0.5}"`)
	var told heard
	started, noticed := make(chan bool, 100), make(chan bool, 1000)
	told.on = func(n runner.News) {
		switch n.Kind {
		case runner.Started:
			started <- true
		case runner.Trouble:
			noticed <- true
		}
	}
	c := h.config("kiln", &told)
	c.Parallel = 2
	over := make(chan error, 1)
	var sum runner.Summary
	go func() {
		var err error
		sum, err = runner.Run(context.Background(), c)
		over <- err
	}()
	await := func(times int, what <-chan bool) {
		for range times {
			select {
			case <-what:
			case err := <-over:
				t.Fatalf("it has ended: %+v, %v\n%s", sum, err, &told)
			}
		}
	}
	for range 4 { // the budget covers twenty trials
		await(3, started)
		h.shut()
		for len(noticed) > 0 { // the last time that it was away
			<-noticed
		}
		await(2, noticed)
		h.open()
	}
	if err := <-over; err != nil {
		t.Fatalf("%v\n%s", err, &told)
	}
	r := h.record("kiln")
	for _, trial := range r.Trials {
		if trial.State != study.Done {
			t.Errorf("trial %d is %s: %s", trial.Number, trial.State, trial.Note)
		}
	}
	if len(r.Trials) != sum.Trials || len(unsettled(t, c)) > 0 || told.kinds(runner.Back) == 0 {
		t.Errorf("%d trials, %+v, left %v\n%s", len(r.Trials), sum, unsettled(t, c), &told)
	}
	t.Logf("%d trials, noticed %d times", len(r.Trials), told.kinds(runner.Back))
}

// Answers get lost on their way back, after the server has done what was asked: no trial is left behind, none told twice.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	var requests, lost atomic.Int64
	h := newSite(t, time.Minute, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet || r.URL.Path == "/api/v1/studies" || requests.Add(1)%2 == 0 {
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(httptest.NewRecorder(), r)
			lost.Add(1)
			panic(http.ErrAbortHandler)
		})
	})
	h.create(strings.Replace(reported, "total: 10", "total: 6", 1), `echo "{\"strength\": 1, \"cost\": 1}"`)
	var told heard
	c := h.config("kiln", &told)
	sum, err := runner.Run(t.Context(), c)
	r := h.record("kiln")
	if err != nil || len(r.Trials) != 6 || sum.Trials != 6 || len(unsettled(t, c)) > 0 || lost.Load() < 12 {
		t.Errorf("%+v, %v: %d trials, %d answers lost\n%s", sum, err, len(r.Trials), lost.Load(), &told)
	}
	for _, trial := range r.Trials {
		if trial.State != study.Done || trial.Charged != 1 {
			t.Errorf("%+v", trial)
		}
	}
}

// Something in between answers in the server's stead for a while: a proxy that does not know where to go, a page that wants a
// password. Nothing is put aside, and the worker goes on.
func TestAnswersOfOthers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a proxy": http.NotFound,
		"a page":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>please pay</html>")) },
		"a move": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.example.org", http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told heard
			var since atomic.Int64 // when the first trial ended: for half a second nobody gets through
			h := newSite(t, time.Minute, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "/tell") {
						since.CompareAndSwap(0, time.Now().UnixMilli())
					}
					if began := since.Load(); began > 0 && time.Now().UnixMilli() < began+500 {
						answer(w, r)
						return
					}
					next.ServeHTTP(w, r)
				})
			})
			h.create(strings.Replace(reported, "total: 10", "total: 3", 1), `echo "{\"strength\": 1, \"cost\": 1}"`)
			c := h.config("kiln", &told)
			c.Parallel = 2
			sum, err := runner.Run(t.Context(), c)
			if r := h.record("kiln"); err != nil || sum.Trials != 3 || len(r.Trials) != 3 || r.Ledger.Spent != 3 || len(unsettled(t, c)) > 0 {
				t.Errorf("%+v, %v: %+v, left %v\n%s", sum, err, r.Ledger, unsettled(t, c), &told)
			}
		})
	}
}

// A gap longer than the lease: the trial is abandoned on the server, goes on here, and its late result counts.
func TestLateResult(t *testing.T) {
	t.Parallel()
	var deaf atomic.Bool
	h := newSite(t, 2*time.Second, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if deaf.Load() {
				http.Error(w, "the network is gone", http.StatusBadGateway)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	h.create(strings.Replace(reported, "total: 10", "total: 2", 1), `until test -e late; do sleep 0.05; done; echo "{\"strength\": 7, \"cost\": 2}"`)
	told := &heard{}
	started := make(chan struct{})
	c := h.config("kiln", told)
	told.on = func(n runner.News) {
		switch {
		case n.Kind == runner.Started && n.Trial.Number == 1:
			deaf.Store(true)
			close(started)
		case n.Kind == runner.Late: // now the trial may end
			if err := os.WriteFile(filepath.Join(c.WorkDir, "late"), nil, 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	stop := make(chan struct{})
	c.Stop = stop
	go func() {
		<-started
		for h.record("kiln").Trials[0].State != study.Abandoned {
			time.Sleep(50 * time.Millisecond)
		}
		close(stop) // or the abandoned setting would be tried once more
		deaf.Store(false)
	}()
	if _, err := runner.Run(t.Context(), c); err != nil {
		t.Fatalf("%v\n%s", err, told)
	}
	r := h.record("kiln")
	if got := r.Trials[0]; got.State != study.Done || got.Value != 7 || r.Ledger.Spent != 2 || told.kinds(runner.Late) != 1 {
		t.Errorf("%+v, %+v\n%s", got, r.Ledger, told)
	}
}

// Where the cost is wall time a trial gets more of it while there is any, and is cut when there is none.
func TestLimits(t *testing.T) {
	t.Parallel()
	h := newSite(t, 6*time.Second)
	h.create(strings.Replace(timed, "total: 4s, per_trial: 3s", "total: 1.5s, per_trial: 1.4s", 1), `sleep 20`)
	var told heard
	c := h.config("timed", &told)
	if sum, err := runner.Run(t.Context(), c); err != nil {
		t.Fatalf("%+v %v\n%s", sum, err, &told)
	}
	r := h.record("timed")
	if got := r.Trials[0]; got.State != study.Cut || r.Ledger.Spent > 1.5 || r.Ledger.Spent < 1.2 || math.Abs(got.Charged-min(got.Wall, 1.5)) > 0.2 {
		t.Errorf("%+v %+v\n%s", got, r.Ledger, &told)
	}
}

// A token that the server does not know, or that is not good for this, ends the worker before anything is run.
func TestWrongToken(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute)
	h.create(reported, `echo 1`)
	kept := h.store.(store.Tokens)
	right, one := server.NewToken(server.Worker, "w")
	reader, two := server.NewToken(server.Reader, "r")
	for _, token := range []store.Token{one, two} {
		if err := kept.AddToken(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	for status := 0; status != http.StatusUnauthorized; time.Sleep(20 * time.Millisecond) { // the server looks for new tokens once a second
		r, err := http.Get("http://" + h.address + "/api/v1/studies")
		if err != nil {
			t.Fatal(err)
		}
		status = r.StatusCode
		r.Body.Close()
	}
	for token, code := range map[string]fault.Code{"": fault.Unauthenticated, "eke_" + right[5:]: fault.Unauthenticated, reader: fault.Forbidden} {
		var told heard
		c := h.config("kiln", &told)
		var err error
		if c.Source, err = at(api.NewClient(api.Config{URL: "http://" + h.address, Token: token})); err != nil {
			t.Fatal(err)
		}
		_, err = runner.Run(t.Context(), c)
		if fault.CodeOf(err) != code || told.kinds(runner.Started) > 0 {
			t.Errorf("%.6s: %v, want %s", token, err, code)
		}
	}
	if n := len(h.record("kiln").Trials); n > 0 {
		t.Errorf("%d trials", n)
	}
}

func TestTokenIsNotSentInTheClear(t *testing.T) {
	for url, fine := range map[string]bool{
		"http://127.0.0.1:8420": true, "http://localhost": true, "http://[::1]:1": true, "https://eke.example.org": true,
		"http://eke.example.org": false, "http://192.168.1.2:8420": false, "http://127.0.0.1.evil.org": false,
		"ftp://localhost": false, "http://u:p@localhost": false, "localhost:8420": false, "": false,
	} {
		if _, err := api.NewClient(api.Config{URL: url, Token: "eke_x"}); (err == nil) != fine {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := api.NewClient(api.Config{URL: "http://eke.example.org", Token: "eke_x", Insecure: true}); err != nil {
		t.Error(err)
	}
	if _, err := api.NewClient(api.Config{URL: "https://eke.example.org", CA: []byte("nothing")}); err == nil {
		t.Error("certificates of nothing")
	}
}

// A study whose command changes under the worker's hands is left alone; a local command never gives way.
func TestChangedCommand(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute)
	h.create(reported, `echo "{\"strength\": 1, \"cost\": 1}"`)
	change := func() {
		head, events, err := h.store.Read(context.Background(), "kiln", 0)
		if err != nil {
			t.Error(err)
			return
		}
		s, err := study.Parse([]byte(reported+"\ncommand: [sh, -c, 'touch evil']\n"), "study.yaml")
		if err != nil {
			t.Error(err)
			return
		}
		raw, _ := json.Marshal(s)
		err = h.store.Append(context.Background(), head.Name, int64(len(events)), study.Event{Seq: int64(len(events)) + 1, Kind: study.EventDefined, Definition: raw, At: time.Now()})
		if err != nil {
			t.Error(err)
		}
	}
	told := &heard{}
	told.on = func(n runner.News) {
		if n.Kind == runner.Ended && n.Trial.Number == 2 {
			change()
		}
	}
	c := h.config("kiln", told)
	_, err := runner.Run(t.Context(), c)
	if !errors.Is(err, runner.ErrChanged) {
		t.Fatalf("%v\n%s", err, told)
	}
	if c.Own, err = study.Parse([]byte(reported+"\ncommand: [sh, -c, 'echo strength=3; echo cost=1; touch own']\n"), "study.yaml"); err != nil {
		t.Fatal(err)
	}
	if _, err := runner.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.WorkDir, "evil")); err == nil {
		t.Error("the changed command was run")
	}
	if _, err := os.Stat(filepath.Join(c.WorkDir, "own")); err != nil {
		t.Error("the local command was not run")
	}
	c.Own.Parameters = c.Own.Parameters[:0]
	if _, err := runner.Run(t.Context(), c); fault.CodeOf(err) != fault.BadStudy {
		t.Errorf("a file of another study: %v", err)
	}
}

// Once no new trial is begun, twice what runs is cut, and told as abandoned.
func TestStops(t *testing.T) {
	t.Parallel()
	h := newSite(t, time.Minute)
	h.create(reported, `test $EKE_TRIAL = 1 || sleep 30; sleep 0.3; echo "{\"strength\": 1, \"cost\": 1}"`)
	for _, twice := range []bool{false, true} {
		told := &heard{}
		c := h.config("kiln", told)
		stop := make(chan struct{})
		c.Stop = stop
		ctx, cut := context.WithCancel(t.Context())
		told.on = func(n runner.News) {
			if n.Kind == runner.Started {
				close(stop)
				if twice {
					cut()
				}
			}
		}
		sum, err := runner.Run(ctx, c)
		cut()
		want := map[bool]study.State{false: study.Done, true: study.Abandoned}[twice]
		r := h.record("kiln")
		if last := r.Trials[len(r.Trials)-1]; err != nil || sum.Code != fault.Interrupted || last.State != want || len(unsettled(t, c)) > 0 {
			t.Errorf("twice %v: %+v, %v, %+v\n%s", twice, sum, err, last, told)
		}
	}
	if n := len(h.record("kiln").Trials); n != 2 {
		t.Errorf("%d trials", n)
	}
}

// Whoever stops a trial of a worker does not wait for its next heartbeat.
func TestStopIsHeardSoon(t *testing.T) {
	t.Parallel()
	h := newSite(t, 10*time.Minute)
	h.create(reported, "sleep 600")
	var told heard
	begun := make(chan bool, 100)
	told.on = func(n runner.News) {
		if n.Kind == runner.Started {
			begun <- true
		}
	}
	c := h.config("kiln", &told)
	stop := make(chan struct{})
	c.Stop = stop
	over := make(chan error, 1)
	go func() {
		_, err := runner.Run(t.Context(), c)
		over <- err
	}()
	<-begun
	client, err := api.NewClient(api.Config{URL: "http://" + h.address})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Stop(t.Context(), api.Place{Study: "kiln", Trial: 1}); err != nil {
		t.Fatal(err)
	}
	close(stop)
	select {
	case err = <-over:
	case <-time.After(time.Minute): // the next heartbeat is due after more than three
		t.Fatalf("the trial goes on\n%s", &told)
	}
	if trial := h.record("kiln").Trials[0]; err != nil || trial.State != study.Cut {
		t.Errorf("%+v, %v", trial, err)
	}
}

// An older server refuses an exit code, or the numbers of a failure, which it does not know. The outcome is told without it.
func TestOlderServerKnowsNoExitCodes(t *testing.T) {
	var bodies []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(raw))
		if strings.Contains(string(raw), `"exit"`) || strings.Contains(string(raw), `"metrics"`) || strings.Contains(string(raw), `"stopped"`) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"code":"bad_request","detail":"body.exit: unexpected property"}`)
			return
		}
		fmt.Fprint(w, `{"number":1,"state":"failed","value":null}`)
	}))
	defer h.Close()
	client, err := api.NewClient(api.Config{URL: h.URL})
	if err != nil {
		t.Fatal(err)
	}
	s := &source.Server{Client: client, Name: "kiln"}
	got, err := s.Finish(t.Context(), runner.Ref{Number: 1}, "key", study.Finished{State: study.Failed, Exit: &study.Exit{Code: 7}})
	if err != nil || got.State != study.Failed || len(bodies) != 2 || !strings.Contains(bodies[0], `"exit":{"code":7}`) {
		t.Errorf("%+v, %v, %q", got, err, bodies)
	}
	got, err = s.Finish(t.Context(), runner.Ref{Number: 1}, "key", study.Finished{State: study.Failed, Metrics: study.Metrics{"size": 7}})
	if err != nil || got.State != study.Failed || len(bodies) != 4 || !strings.Contains(bodies[2], `"metrics":{"size":7}`) {
		t.Errorf("%+v, %v, %q", got, err, bodies)
	}
	got, err = s.Finish(t.Context(), runner.Ref{Number: 1}, "key", study.Finished{State: study.Failed, Exit: &study.Exit{Code: 7}, Metrics: study.Metrics{"size": 7}})
	if err != nil || got.State != study.Failed || len(bodies) != 7 || !strings.Contains(bodies[5], `"exit":{"code":7}`) || strings.Contains(bodies[5], "metrics") {
		t.Errorf("%+v, %v, %q", got, err, bodies)
	}
	_, err = s.Finish(t.Context(), runner.Ref{Number: 1}, "key", study.Finished{State: study.Abandoned, Stopped: true})
	if err != nil || len(bodies) != 9 || !strings.Contains(bodies[7], `"stopped":true`) || strings.Contains(bodies[8], "stopped") {
		t.Errorf("%v, %q", err, bodies)
	}
}

// The order to stop a trial early says at which step that was decided, in the answer to a report and to a heartbeat. An older server does not say.
func TestOrderToStopEarly(t *testing.T) {
	for field, at := range map[string]float64{"": 0, `,"early_at":3`: 3} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch path.Base(r.URL.Path) {
			case "report":
				fmt.Fprintf(w, `{"stop":true,"reason":"stopped early at epochs 3: no chance"%s}`, field)
			case "heartbeat":
				fmt.Fprint(w, `{"reserved":1,"stop":true,"lease_seconds":60,"limit":null}`)
			default:
				fmt.Fprintf(w, `{"number":1,"state":"running","value":null,"stopping":true,"early":"stopped early at epochs 3: no chance"%s}`, field)
			}
		}))
		defer h.Close()
		client, err := api.NewClient(api.Config{URL: h.URL})
		if err != nil {
			t.Fatal(err)
		}
		s := &source.Server{Client: client, Name: "kiln"}
		task := runner.Task{Trial: study.Trial{Number: 1}}
		told, err := s.Steps(t.Context(), task, []study.Step{{Step: 3, Value: 1}}, false)
		orders, failed := s.Alive(t.Context(), []runner.Task{task})
		if err != nil || failed != nil || len(orders) != 1 {
			t.Fatalf("%v, %v, %+v", err, failed, orders)
		}
		for _, o := range append(orders, told) {
			if o.Trial != 1 || o.At != at || !errors.Is(o.Why, runner.ErrEarly) || !strings.HasSuffix(o.Why.Error(), ": no chance") {
				t.Errorf("%q: %+v", field, o)
			}
		}
	}
}
