package source_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// post sends a request that must be answered with that status.
func (h *site) post(path, body string, status int) {
	h.t.Helper()
	r, err := http.Post("http://"+h.address+"/api/v1"+path, "application/json", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	defer r.Body.Close()
	if raw, _ := io.ReadAll(r.Body); r.StatusCode != status {
		h.t.Fatalf("%s: %s: %s", path, r.Status, raw)
	}
}

func (h *site) client() *api.Client {
	h.t.Helper()
	c, err := api.NewClient(api.Config{URL: "http://" + h.address})
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// silent waits until the server has given a trial up.
func (h *site) silent(name string, trial int) {
	h.t.Helper()
	for end := time.Now().Add(5 * time.Minute); h.record(name).Trials[trial-1].State != study.Abandoned; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatal("the trial is not given up")
		}
	}
}

// asked asks for a trial of the kiln, and returns where it is.
func (h *site) asked(worker string) api.Place {
	h.t.Helper()
	c := h.client()
	s, err := c.Study(h.t.Context(), api.Place{Study: "kiln"})
	if err != nil {
		h.t.Fatal(err)
	}
	l, err := c.Ask(h.t.Context(), api.Place{Study: "kiln"}, api.AskRequest{Worker: worker, Count: 1}, "")
	if err != nil || l.ID == "" || s.ID == "" {
		h.t.Fatalf("%+v of %+v, %v", l, s, err)
	}
	return api.Place{Study: "kiln", StudyID: s.ID, Trial: l.Number, TrialID: l.ID}
}

func (h *site) tells(p api.Place, value float64, want fault.Code) {
	h.t.Helper()
	cost := 1.0
	_, err := h.client().Tell(h.t.Context(), p, "", api.TellRequest{Value: value, Cost: &cost})
	if want == "" && err != nil || want != "" && fault.CodeOf(err) != want {
		h.t.Errorf("%v of %+v: %v, want %q", value, p, err, want)
	}
}

const otherKiln = `
name: kiln
objective: {name: strength, goal: maximize}
cost: {source: reported, unit: euros}
budget: {total: 4}
parameters: {x: {type: float, min: 100, max: 200}}
policy: {name: random}
`

// A worker works on one study. When that is deleted, and another gets its name, the worker ends; one that works on the other, in the same
// process and folder, runs every trial that it tells of.
func TestNamesakeOfAWorkersStudy(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"deleted", "renamed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := newSite(t, time.Minute)
			h.create(reported, `echo "$EKE_PARAM_X" >> ran; echo "{\"strength\": $EKE_PARAM_X, \"cost\": 1}"`)
			paused, went := make(chan struct{}), make(chan struct{})
			var told heard
			c := h.config("kiln", &told)
			told.on = func(n runner.News) {
				switch {
				case n.Kind == runner.Ended && n.Trial.Number == 3:
					h.post("/studies/kiln/pause", "", http.StatusOK)
				case n.Kind == runner.Waiting:
					close(paused)
					<-went
				}
			}
			over := make(chan error, 1)
			go func() {
				_, err := runner.Run(t.Context(), c)
				over <- err
			}()
			<-paused
			if how == "deleted" {
				h.post("/studies/kiln/delete", `{"confirm":"kiln"}`, http.StatusOK)
			} else {
				h.post("/studies/kiln/rename", `{"name":"oven"}`, http.StatusOK)
				h.post("/studies/oven/resume", "", http.StatusOK)
			}
			h.create(otherKiln, `echo "$EKE_PARAM_X" >> ran; echo "{\"strength\": $EKE_PARAM_X, \"cost\": 1}"`)
			close(went)
			err := <-over
			if how == "deleted" && fault.CodeOf(err) != fault.NotFound {
				t.Errorf("the worker of a study that was deleted: %v\n%s", err, &told)
			}
			if how == "renamed" && (err != nil || len(h.record("oven").Trials) < 9) {
				t.Errorf("the worker of a study that was renamed: %v\n%s", err, &told)
			}
			if n := len(h.record("kiln").Trials); n != 0 {
				t.Errorf("the other study has %d trials", n)
			}
			told.on = nil
			c.Source = &source.Server{Client: h.client(), Name: "kiln"}
			if _, err := runner.Run(t.Context(), c); err != nil {
				t.Errorf("%v\n%s", err, &told)
			}
			raw, err := os.ReadFile(filepath.Join(c.WorkDir, "ran"))
			if err != nil {
				t.Fatal(err)
			}
			trials := h.record("kiln").Trials
			for _, trial := range trials {
				x, _ := trial.Setting["x"].Number()
				if trial.State != study.Done || trial.Value != x || !strings.Contains(string(raw), trial.Setting["x"].String()) {
					t.Errorf("trial %d: %s, %v at %v", trial.Number, trial.State, trial.Value, trial.Setting)
				}
			}
			if len(trials) != 4 {
				t.Errorf("%d trials\n%s", len(trials), &told)
			}
		})
	}
}

// A worker that cannot reach its server leaves a result behind, and its study is renamed: whoever works on the study by its new name tells it, though workers have a folder for each name.
func TestResultOfARenamedStudy(t *testing.T) {
	t.Parallel()
	h := newSite(t, 100*time.Millisecond)
	h.create(reported, `echo "{\"strength\": $EKE_PARAM_X, \"cost\": 2}"`)
	ctx, die := context.WithCancel(t.Context())
	defer die()
	var told heard
	c := h.config("kiln", &told)
	dir := c.Dir
	c.Dir = filepath.Join(dir, "kiln")
	told.on = func(n runner.News) {
		if n.Kind == runner.Started {
			h.shut()
			go func() { // once its journal has the outcome
				for ctx.Err() == nil {
					for _, name := range unsettled(t, c) {
						if raw, err := os.ReadFile(name); err == nil && strings.Contains(string(raw), `"outcome"`) {
							die()
						}
					}
					time.Sleep(5 * time.Millisecond)
				}
			}()
		}
	}
	if _, err := runner.Run(ctx, c); err != nil || len(unsettled(t, c)) != 1 {
		t.Fatalf("%v, left %v\n%s", err, unsettled(t, c), &told)
	}
	h.open()
	h.silent("kiln", 1)
	h.post("/studies/kiln/pause", "", http.StatusOK)
	h.post("/studies/kiln/rename", `{"name":"oven"}`, http.StatusOK)
	h.post("/studies/oven/resume", "", http.StatusOK)
	told.on = nil
	former := c
	c.Dir, c.Source = filepath.Join(dir, "oven"), &source.Server{Client: h.client(), Name: "oven"}
	if _, err := runner.Run(t.Context(), c); err != nil {
		t.Fatalf("%v\n%s", err, &told)
	}
	trial := h.record("oven").Trials[0]
	if x, _ := trial.Setting["x"].Number(); trial.State != study.Done || trial.Value != x || trial.Charged != 2 || len(unsettled(t, former)) > 0 {
		t.Errorf("trial 1 is %+v, left %v\n%s", trial, unsettled(t, former), &told)
	}
	if own, _ := filepath.Glob(filepath.Join(c.Dir, "run-*")); len(own) != 1 {
		t.Errorf("the study has %v by its new name", own)
	}
}

// A late result is of the trial that it names, or of none.
func TestLateTellOfANamesake(t *testing.T) {
	t.Parallel()
	h := newSite(t, 50*time.Millisecond)
	h.create(reported, "true")
	late := h.asked("w")
	h.silent("kiln", 1)
	h.tells(api.Place{Study: "kiln", Trial: 1}, 7, "") // an older worker's: nothing else can be meant
	late2 := h.asked("w")
	h.silent("kiln", 2)

	h.post("/studies/kiln/rename", `{"name":"oven"}`, http.StatusOK)
	h.create(otherKiln, "true")
	rightful := h.asked("w")
	rightful2 := h.asked("w")
	h.tells(late2, 8, "") // it follows its study
	if got := h.record("oven").Trials[1]; got.State != study.Done || got.Value != 8 {
		t.Errorf("the late result: %+v", got)
	}
	h.post("/studies/oven/delete", `{"confirm":"oven"}`, http.StatusOK)
	h.tells(late, 9, fault.UnknownLease)
	h.tells(late2, 9, fault.UnknownLease)
	h.tells(api.Place{Study: "kiln", Trial: 1}, 9, fault.UnknownLease) // whose is it?
	wrong := rightful
	wrong.TrialID = rightful2.TrialID
	h.tells(wrong, 9, fault.UnknownLease)
	h.tells(rightful, 150, "")
	if got := h.record("kiln"); got.Trials[0].Value != 150 || got.Ledger.Spent != 1+got.Trials[1].Charged {
		t.Errorf("the other study: %+v, %+v", got.Trials, got.Ledger)
	}
}

// A backup that is restored does not have some of the trials that were handed out. Their numbers are given again, and are others then.
func TestRestoredBackup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "eke.db")
	open := func() store.Store {
		st, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	h := &site{t: t, store: open(), lease: time.Minute, gate: newGate(t)}
	h.address = h.gate.port.Addr().String()
	t.Cleanup(func() {
		h.shut()
		h.store.Close()
	})
	h.open()
	h.create(reported, "true")
	first := h.asked("w")
	shut := func() {
		h.shut()
		if err := h.store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	again := func() {
		h.store = open()
		h.open()
	}
	shut()
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again()
	lost := h.asked("w")
	shut()
	if err := errors.Join(os.WriteFile(path, backup, 0o600), os.RemoveAll(path+"-wal"), os.RemoveAll(path+"-shm")); err != nil {
		t.Fatal(err)
	}
	again()
	h.tells(first, 1, "")
	other := h.asked("v")
	if other.Trial != lost.Trial || other.TrialID == lost.TrialID {
		t.Fatalf("%+v and %+v", other, lost)
	}
	h.tells(lost, 9, fault.UnknownLease)
	h.tells(api.Place{Study: "kiln", Trial: other.Trial}, 9, fault.UnknownLease) // since then nobody knows whose that would be
	h.tells(other, 2, "")
	if got := h.record("kiln").Trials; len(got) != 2 || got[0].Value != 1 || got[1].Value != 2 {
		t.Errorf("%+v", got)
	}
}
