package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// still is a source in which nothing happens but what a test says.
type still struct {
	Source
	ask func() (Task, error)
}

func (still) Strays(context.Context) ([]study.Stray, error) { return nil, nil }

func (still) Record(context.Context) (*study.Record, error) { return study.NewRecord(1, false), nil }

func (still) Study(context.Context) (*study.Study, Identity, error) {
	return &study.Study{Name: "s"}, Identity{}, nil
}

func (still) Finish(_ context.Context, t Ref, _ string, _ study.Finished) (study.Trial, error) {
	return study.Trial{Number: t.Number}, nil
}

func (s still) Ask(context.Context, Ticket) (Task, error) { return s.ask() }

// remote is an engine behind a network: all its jobs stand as a test says, and it does not answer in a context that has ended.
type remote struct {
	engine.Engine
	poll   func() engine.Status
	cancel func() error
}

func (e remote) Poll(_ context.Context, jobs []engine.Job) (list []engine.Status, err error) {
	for range jobs {
		list = append(list, e.poll())
	}
	return list, nil
}

func (e remote) Cancel(context.Context, engine.Job, error) error { return e.cancel() }

func (remote) Cost(ctx context.Context, _ engine.Job) (engine.Cost, error) {
	return engine.Cost{Amount: 2, Known: true}, ctx.Err()
}

func (remote) Detached() bool { return false }

var gone = engine.Status{Phase: engine.Ended, Outcome: study.Finished{State: study.Abandoned}}

// begun returns a run that has recovered.
func begun(t *testing.T, s Source, e engine.Engine) *run {
	r := newRun(Config{Source: s, Engine: e})
	r.shown.Store(&study.Study{Name: "s"})
	r.shop = &shop{dir: t.TempDir(), card: card{Study: "s"}}
	if err := r.recover(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for w := range r.held {
			w.release()
		}
	})
	return r
}

// dead leaves the workspace of a runner that died: it had asked for a trial, and had another one running.
func dead(t *testing.T, r *run) *workspace {
	w, err := r.shop.open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.release()
	_, err = w.newEntry()
	ran, err2 := w.newEntry()
	ran.Trial, ran.Began = 1, time.Now()
	if err := errors.Join(err, err2, ran.write()); err != nil {
		t.Fatal(err)
	}
	return w
}

// A slot takes a dead runner's request while the rest of that runner's work is still being settled: the workspace stays locked, so
// that nobody kills the trial that the slot begins there.
func TestWorkspaceInUseStaysLocked(t *testing.T) {
	var taken *entry
	var r *run
	r = begun(t, still{}, remote{poll: func() engine.Status {
		taken, _ = r.nextEntry()
		return gone
	}})
	w := dead(t, r)
	if err := r.recover(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if free, known := r.shop.isFree(w.Runner); taken == nil || taken.in.Runner != w.Runner || free || !known {
		t.Errorf("the slot has %+v; the workspace of %s is free: %v, %v", taken, w.Runner, free, known)
	}
}

// A slot waits for the rest of the budget, which a job holds whose runner dies then: the slot watches that job.
func TestWaitingSlotAdopts(t *testing.T) {
	pending := fault.New(fault.BudgetPending, "", "the rest is reserved")
	var r *run
	adopting := false
	r = begun(t, still{ask: func() (Task, error) {
		if !adopting {
			adopting = true
			dead(t, r)
			if err := r.recover(t.Context(), false); err != nil {
				t.Error(err)
			}
		}
		return Task{}, pending
	}}, remote{poll: func() engine.Status { return engine.Status{Phase: engine.Running} }})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got, ok := r.next(ctx, "")
	if !ok || got.Number != 1 || r.atWork() != 1 || ctx.Err() != nil {
		t.Errorf("%+v, %v; at work %d, %v", got, ok, r.atWork(), ctx.Err())
	}
}

// The last trial ends while the source says that nothing more is affordable, as it was before: the slot asks again.
func TestTrialEndsWhileAsking(t *testing.T) {
	var r *run
	asked := 0
	r = begun(t, still{ask: func() (Task, error) {
		if asked++; asked > 1 {
			return Task{Trial: study.Trial{Number: 2}}, nil
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, 1)
		r.change()
		return Task{}, fault.New(fault.BudgetSpent, "", "the budget is spent")
	}}, remote{})
	r.enlist(newTask(Task{Trial: study.Trial{Number: 1}}, &entry{in: r.workspace}))
	if got, ok := r.next(t.Context(), ""); !ok || got.Number != 2 {
		t.Errorf("%+v, %v", got, ok)
	}
}

// halting is a source that is asked to stop while it reads the study.
type halting struct {
	still
	stop func()
}

func (h halting) Study(ctx context.Context) (*study.Study, Identity, error) {
	h.stop()
	<-ctx.Done()
	return nil, Identity{}, ctx.Err()
}

// A stop that comes before a trial was asked for leaves no line in the journal; one that was asked for by a runner which died stays,
// for nobody knows whether it was handed out.
func TestStopBeforeAsking(t *testing.T) {
	for _, found := range []bool{false, true} {
		stop := make(chan struct{})
		r := begun(t, halting{stop: sync.OnceFunc(func() { close(stop) })}, remote{})
		r.Stop = stop
		if found {
			r.backlog = append(r.backlog, &entry{Key: "K", in: r.workspace, asked: true})
			if err := r.backlog[0].write(); err != nil {
				t.Fatal(err)
			}
		}
		if got, ok := r.next(t.Context(), ""); ok {
			t.Fatalf("it took %+v", got)
		}
		left, err := r.workspace.entries()
		if err != nil || len(left) != map[bool]int{true: 1}[found] {
			t.Errorf("found %v: %d lines are left, %v", found, len(left), err)
		}
	}
}

// What works does not end the trouble of something else.
func TestTroubleIsOverWhenAllWorks(t *testing.T) {
	r := begun(t, still{}, remote{})
	var kinds []Kind
	r.Tell = func(n News) { kinds = append(kinds, n.Kind) }
	failing := false
	r.trouble(&failing, context.DeadlineExceeded) // the server does not answer
	tries := 0
	if err := r.insist(t.Context(), func() error {
		if tries++; tries == 1 {
			return fault.New(fault.StoreFull, "", "the disk is full")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(kinds, []Kind{Trouble, Trouble}) {
		t.Errorf("while one is in trouble: %v", kinds)
	}
	if r.over(&failing, nil); kinds[len(kinds)-1] != Back {
		t.Errorf("at the end: %v", kinds)
	}
}

// What is wrong with a job that runs is said once, and that it is over when nothing is wrong any more, or the job has ended.
func TestTroubleOfAJobThatRuns(t *testing.T) {
	r := begun(t, still{}, remote{})
	var said []string
	r.Tell = func(n News) { said = append(said, string(n.Kind)+" "+n.Text) }
	job := newTask(Task{Trial: study.Trial{Number: 7}}, &entry{})
	for _, s := range []engine.Status{
		{Phase: engine.Queued, Reason: "Priority"}, {Phase: engine.Running}, {Phase: engine.Running, Reason: "no right"}, {Phase: engine.Running, Reason: "no right"},
		{Phase: engine.Running}, {Phase: engine.Running, Reason: "no right"}, {Phase: engine.Ended},
	} {
		r.noteRunning(job, s)
	}
	if len(said) != 4 || said[0] != said[2] || said[1] != said[3] || !strings.HasPrefix(said[0], string(Trouble)+" trial 7: no right; ") || !strings.HasPrefix(said[1], string(Back)) {
		t.Errorf("%q", said)
	}
}

// A job is watched while it cannot be stopped, and after a cut the engine is still asked for its cost.
func TestEndOfJobThatCannotBeStopped(t *testing.T) {
	tries := make(chan bool, 100)
	r := begun(t, still{}, remote{cancel: func() error {
		tries <- true
		return fault.New(fault.Unavailable, "", "no answer")
	}})
	ctx, cut := context.WithCancel(t.Context())
	job := newTask(Task{Trial: study.Trial{Number: 1}}, &entry{in: r.workspace})
	cut()
	go func() {
		<-tries
		job.ended <- engine.Status{Phase: engine.Ended, Outcome: study.Finished{State: study.Cut}}
	}()
	if o, _ := r.watch(ctx, job, r.newFollower(job)); o.State != study.Abandoned || !o.Stopped || o.Cost == nil || *o.Cost != 2 {
		t.Errorf("%+v", o)
	}
}

// The source hears of all tasks as often as the shortest lease needs.
func TestShortestLeaseCounts(t *testing.T) {
	r := newRun(Config{})
	for n, lease := range []time.Duration{time.Hour, 300 * time.Millisecond, time.Minute, 0} {
		r.running[n] = newTask(Task{Trial: study.Trial{Number: n}, Lease: lease}, &entry{})
	}
	for range 50 { // a map has another order each time
		if _, every := r.rhythm(); every != 100*time.Millisecond {
			t.Fatalf("every %v", every)
		}
	}
}

func TestWhatHasChangedIsNamed(t *testing.T) {
	r := newRun(Config{})
	shown := study.Study{Command: []string{"a"}, Env: map[string]string{"X": "1"}, Workdir: "here"}
	r.shown.Store(&shown)
	for want, change := range map[string]func(s *study.Study){
		`its command was ["a"], and is ["b"]`:        func(s *study.Study) { s.Command = []string{"b"} },
		`its env was map["X":"1"], and is map[]`:     func(s *study.Study) { s.Env = nil },
		`its workdir was "here", and is "elsewhere"`: func(s *study.Study) { s.Workdir = "elsewhere" },
	} {
		now := shown
		change(&now)
		if err := r.mayGoOn(&now); !errors.Is(err, ErrChanged) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if err := r.mayGoOn(&shown); err != nil {
		t.Error(err)
	}
}

func TestWorkdirIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := engine.WriteFile(file, nil); err != nil {
		t.Fatal(err)
	}
	_, err := (&Config{WorkDir: file}).pin(&study.Study{Command: []string{"a"}})
	if !errors.Is(err, syscall.ENOTDIR) || !strings.Contains(err.Error(), file) || fault.CodeOf(err) != fault.CannotRun {
		t.Errorf("%v", err)
	}
}

// The journal of an earlier version is read as that version wrote it, and what is written now is read by that version.
func TestJournalOfEarlierVersions(t *testing.T) {
	const old = `{"key":"K","trial":3,"id":"abc","outcome":{"state":"done","value":0,"cost":2.5,"wall":1.5,"note":"odd","exit":{"code":0},"estimated":true,"late":true,"lost":true}}`
	w := &workspace{dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(w.dir, journalFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, journalFolder, "K.json"), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := w.entries()
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	o := list[0].Outcome
	want := study.Finished{State: study.Done, Cost: new(2.5), Wall: 1.5, Note: "odd", Exit: &study.Exit{}, Estimated: true, Lost: true}
	if !o.Late || !reflect.DeepEqual(o.Finished, want) {
		t.Errorf("%+v", o)
	}
	raw, err := json.Marshal(list[0])
	if again := `{"key":"K","trial":3,"id":"abc","outcome":{"state":"done","cost":2.5,"charged":0,"note":"odd","wall":1.5,"exit":{"code":0},"estimated":true,"lost":true,"late":true}}`; err != nil || string(raw) != again {
		t.Errorf("%s, %v", raw, err)
	}
}

// A slot says what it was told. Where nothing runs, it does not say that it waits for running trials.
func TestWaitingSaysWhy(t *testing.T) {
	const told = "the rest is expected to gain too little, unless the trials under way change that"
	for state, want := range map[study.State]string{
		study.Running: told,
		study.Pending: "the rest of the budget is reserved by trials that were asked for, and have no result yet",
	} {
		r := begun(t, holding{still{}, state}, remote{})
		if got := r.whyWaiting(t.Context(), errors.New(told)); got != want {
			t.Errorf("with a %s trial: %q, want %q", state, got, want)
		}
	}
}

// holding is a source whose study has one trial, in that state.
type holding struct {
	still
	state study.State
}

func (h holding) Record(context.Context) (*study.Record, error) {
	return &study.Record{Trials: []study.Trial{{Number: 1, State: h.state}}}, nil
}
