package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// cluster is an engine whose jobs outlive their controllers, wait in a queue, end a few polls later, and are accounted for late.
type cluster struct {
	engine.Folders
	mu        sync.Mutex
	submitted map[string]int // how often each job was, by its folder
	polled    map[string]int
	late      map[string]int // how often its cost was asked for
	cancelled int
	detached  bool            // jobs go on when a run is cut
	open      map[string]bool // accounts that are not closed; nil: the accounts are late by retries
	fails     bool
	ready     chan struct{} // closed when it may find that a job can run; nil: at once
}

func newCluster() *cluster {
	return &cluster{submitted: map[string]int{}, polled: map[string]int{}, late: map[string]int{}}
}

func (c *cluster) Probe(_ context.Context, j engine.Job) error {
	if c.ready != nil {
		<-c.ready
	}
	return os.MkdirAll(j.Dir, 0o777)
}

func (c *cluster) Submit(_ context.Context, j engine.Job) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.submitted[j.Dir]++
	j.Changed()
	return nil
}

func (c *cluster) Poll(_ context.Context, jobs []engine.Job) (list []engine.Status, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range jobs {
		c.polled[j.Dir]++
		s := engine.Status{Phase: engine.Running}
		switch n := c.polled[j.Dir]; {
		case c.submitted[j.Dir] == 0:
			s = engine.Status{Phase: engine.Ended, Outcome: study.Finished{State: study.Abandoned}}
		case n == 1:
			s = engine.Status{Phase: engine.Queued, Reason: "Priority"}
		case n >= 3 && c.fails:
			s = engine.Status{Phase: engine.Ended, Outcome: study.Finished{State: study.Failed, Note: "no such data set", Wall: 1}}
		case n >= 3:
			s = engine.Status{Phase: engine.Ended, Outcome: study.Finished{State: study.Done, Value: float64(j.Trial), Wall: 1}}
		}
		list = append(list, s)
		time.AfterFunc(time.Millisecond, j.Changed)
	}
	return list, nil
}

func (c *cluster) Cancel(context.Context, engine.Job, error) error { c.cancelled++; return nil }

func (c *cluster) Cost(_ context.Context, j engine.Job) (engine.Cost, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open != nil {
		return engine.Cost{Amount: 1, Known: true, Late: c.open[j.Dir]}, nil
	}
	if c.late[j.Dir]++; c.late[j.Dir] < 3 {
		return engine.Cost{}, fault.New(fault.Unavailable, "", "the accounts are late")
	}
	return engine.Cost{Amount: 2, Known: true}, nil
}

func (c *cluster) Detached() bool { return c.detached }

// An engine may queue a job, and know its cost late. Each job is submitted once, and charged by the engine's accounts.
func TestQueueAndLateAccounts(t *testing.T) {
	h, c := newHome(t, bowl("bowl")), newCluster()
	if _, err := h.run(t.Context(), func(config *runner.Config) { config.Engine, config.Parallel = c, 3 }); err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if len(r.Trials) < 3 || len(c.submitted) != len(r.Trials) {
		t.Errorf("%d trials, submitted %v", len(r.Trials), c.submitted)
	}
	for dir, n := range c.submitted {
		if n != 1 {
			t.Errorf("%s was submitted %d times", dir, n)
		}
	}
	for _, trial := range r.Trials {
		if trial.State != study.Done || trial.Value != float64(trial.Number) || trial.Charged != 2 {
			t.Errorf("%+v", trial)
		}
	}
}

// A runner dies while its job runs on. The next one does not submit it again: it watches the job to its end, in one of its slots.
func TestJobOutlivesItsRunner(t *testing.T) {
	h, c := newHome(t, bowl("bowl")), newCluster()
	d, err := broker.Join(t.Context(), h.db, h.s)
	if err != nil {
		t.Fatal(err)
	}
	const dead = "run-node1-DEADBEEF"
	trial, err := d.Ask(t.Context(), dead)
	if err == nil {
		err = d.Start(t.Context(), trial.Number, dead)
	}
	if err != nil {
		t.Fatal(err)
	}
	header, err := d.Header(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What the dead runner had on disk: its workspace, with a line in the journal.
	trials := filepath.Join(h.dir, "trials")
	workspace := filepath.Join(trials, "runners", dead)
	write := func(name string, v any) {
		raw, err := json.Marshal(v)
		path := filepath.Join(workspace, name)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, raw, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("lock", "")
	write("workspace.json", map[string]any{"worker": dead, "study": "bowl", "created": header.Created})
	write("journal/KEY.json", map[string]any{"key": "KEY", "trial": 1, "began": time.Now()})
	write("journal/HALF.json~", "half")
	c.submitted[filepath.Join(trials, "00001")] = 1

	if _, err := h.run(t.Context(), func(config *runner.Config) { config.Engine = c }); err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if got := r.Trials[0]; got.State != study.Done || got.Value != 1 || got.Charged != 2 || got.FinishKey != "KEY" {
		t.Errorf("%+v", got)
	}
	for dir, n := range c.submitted {
		if n != 1 {
			t.Errorf("%s was submitted %d times", dir, n)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(trials, "runners", "*", "journal", "*")); len(left) > 0 {
		t.Errorf("left in the journal: %v", left)
	}
	if spaces, _ := filepath.Glob(filepath.Join(trials, "runners", "run-*")); len(spaces) != 1 {
		t.Errorf("one runner after the other had workspaces %v", spaces)
	}
}

// A line in the journal that cannot be read is not passed over: it may be a result.
func TestDamagedJournal(t *testing.T) {
	if testing.Short() {
		t.Skip("one run after another, which the race detector slows down")
	}
	h := newHome(t, bowl("bowl"))
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	journals, _ := filepath.Glob(filepath.Join(h.dir, "trials", "runners", "run-*", "journal"))
	if len(journals) != 1 {
		t.Fatalf("%v", journals)
	}
	file := filepath.Join(journals[0], "KEY.json")
	if err := os.WriteFile(file, []byte(`{"key": "KEY", "tri`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context()); fault.CodeOf(err) != fault.Conflict || fault.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
}

// An outcome that the source will never take is put aside, not thrown away.
func TestRefusedOutcome(t *testing.T) {
	h := newHome(t, bowl("slow"))
	h.s.Budget.Total = 3
	d, err := broker.Join(t.Context(), h.db, h.s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context(), func(c *runner.Config) {
		tell := c.Tell
		c.Tell = func(n runner.News) {
			tell(n)
			if n.Kind == runner.Started && n.Trial.Number == 1 { // somebody else ends it
				if err := d.Finish(context.Background(), 1, study.Finished{State: study.Done, Value: 7, Charged: 1}); err != nil {
					t.Error(err)
				}
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(filepath.Join(h.dir, "trials", "runners", "run-*", "refused", "00001-*.json"))
	refused := 0
	for _, n := range h.news {
		if n.Kind == runner.Refused {
			refused++
		}
	}
	if r := h.audit(); r.Trials[0].Value != 7 || len(kept) != 1 || refused != 1 {
		t.Errorf("%+v, kept %v, said %d times", r.Trials[0], kept, refused)
	}
}

// A run of one step settles what has ended, begins what there is room for, and leaves the rest to the next step. No job is submitted twice.
func TestOnce(t *testing.T) {
	h, c := newHome(t, bowl("bowl")), newCluster()
	c.detached = true
	steps := 0
	for ; steps < 200; steps++ {
		sum, err := h.run(t.Context(), func(config *runner.Config) { config.Engine, config.Parallel, config.Once = c, 3, true })
		if err != nil {
			t.Fatal(err)
		}
		if sum.Code.Over() {
			break
		}
		if sum.Code != "" || len(sum.Record.Open()) > 3 {
			t.Fatalf("%+v", sum)
		}
	}
	r := h.audit()
	if steps < 3 || steps == 200 || len(r.Trials) < 3 {
		t.Errorf("%d steps, %d trials", steps, len(r.Trials))
	}
	for _, trial := range r.Trials {
		if trial.State != study.Done || trial.Charged != 2 || strings.Contains(trial.Note, "died") {
			t.Errorf("%+v", trial)
		}
	}
	for dir, n := range c.submitted {
		if n != 1 {
			t.Errorf("%s was submitted %d times", dir, n)
		}
	}
}

// refusing is a source that says when it has refused a trial.
type refusing struct {
	runner.Source
	refused func()
}

func (s refusing) Ask(ctx context.Context, t runner.Ticket) (runner.Task, error) {
	task, err := s.Source.Ask(ctx, t)
	if err != nil {
		s.refused()
	}
	return task, err
}

// All trials that may be started have been, and are not yet running when another slot asks: the study is not over.
func TestOnceWhileJobsArePrepared(t *testing.T) {
	h, c := newHome(t, bowl("bowl")), newCluster()
	h.s.Budget.Trials = 2
	c.detached, c.ready = true, make(chan struct{})
	sum, err := h.run(t.Context(), func(config *runner.Config) {
		config.Engine, config.Parallel, config.Once = c, 4, true
		config.Source = refusing{config.Source, sync.OnceFunc(func() { close(c.ready) })}
	})
	if err != nil || sum.Code != "" || len(c.submitted) != 2 {
		t.Errorf("%+v, %v, submitted %v", sum, err, c.submitted)
	}
}

// Steps give up when trial after trial fails, as a run does.
func TestOnceGivesUp(t *testing.T) {
	h, c := newHome(t, bowl("bowl")), newCluster()
	c.detached, c.fails = true, true
	for step := range 50 {
		sum, err := h.run(t.Context(), func(config *runner.Config) { config.Engine, config.Once = c, true })
		if err != nil {
			t.Fatal(err)
		}
		if sum.Code == fault.CannotRun {
			if n := len(sum.Record.Trials); n > 12 || !strings.Contains(sum.Text, "no such data set") {
				t.Errorf("after %d steps and %d trials: %s", step, n, sum.Text)
			}
			return
		}
	}
	t.Error("it goes on for ever")
}

// A run that is cut leaves the jobs of a detached engine alone, and the next one takes them over.
func TestCutLeavesJobs(t *testing.T) {
	h, c := newHome(t, bowl("bowl")), newCluster()
	c.detached = true
	ctx, cut := context.WithCancel(t.Context())
	sum, err := h.run(ctx, func(config *runner.Config) {
		config.Engine, config.Parallel = c, 2
		config.Tell = func(n runner.News) {
			if n.Kind == runner.Started {
				cut()
			}
		}
	})
	if err != nil || sum.Code != fault.Interrupted || c.cancelled > 0 {
		t.Fatalf("%+v, %v, %d cancelled", sum, err, c.cancelled)
	}
	if _, err := h.run(t.Context(), func(config *runner.Config) { config.Engine, config.Parallel = c, 2 }); err != nil {
		t.Fatal(err)
	}
	for _, trial := range h.audit().Trials {
		if trial.State != study.Done && !trial.Stopped { // one may have been stopped before it began
			t.Errorf("%+v", trial)
		}
	}
	for dir, n := range c.submitted {
		if n != 1 {
			t.Errorf("%s was submitted %d times", dir, n)
		}
	}
}

// A trial is charged an estimate while the accounts are open, and what they say once they are closed. It says so meanwhile.
func TestLateAccountsAreReconciled(t *testing.T) {
	h, c := newHome(t, bowl("bowl")), newCluster()
	c.open = map[string]bool{filepath.Join(h.dir, "trials", "00001"): true}
	if _, err := h.run(t.Context(), func(config *runner.Config) { config.Engine = c }); err != nil {
		t.Fatal(err)
	}
	if r := h.audit(); !r.Trials[0].Estimated || r.Trials[1].Estimated {
		t.Errorf("%+v", r.Trials[:2])
	}
	c.open = map[string]bool{}
	for range 2 {
		if _, err := h.run(t.Context(), func(config *runner.Config) { config.Engine = c }); err != nil {
			t.Fatal(err)
		}
	}
	if trial := h.audit().Trials[0]; trial.Estimated || trial.Charged != 1 || len(trial.Was) != 1 {
		t.Errorf("%+v", trial)
	}
}
