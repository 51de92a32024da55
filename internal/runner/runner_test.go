package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// The commands of the tests are this program again, in another role.
func TestMain(m *testing.M) {
	if role := os.Getenv("EKE_TEST_ROLE"); role != "" {
		os.Exit(play(role))
	}
	goleak.VerifyTestMain(m)
}

func play(role string) int {
	x, _ := strconv.ParseFloat(os.Getenv("EKE_PARAM_X"), 64)
	y, _ := strconv.ParseFloat(os.Getenv("EKE_PARAM_Y"), 64)
	value, cost := (x-0.3)*(x-0.3)+(y-0.6)*(y-0.6), 0.2+x+y
	switch role {
	case "bowl": // a little experiment whose cost is reported
		time.Sleep(time.Duration(cost) * time.Millisecond)
	case "slow":
		time.Sleep(150 * time.Millisecond)
	case "hang":
		time.Sleep(time.Hour)
	case "fail":
		fmt.Fprintln(os.Stderr, "no such data set: mnist")
		return 3
	case "curve": // it shows its way to the value, and what that cost
		return curve(value)
	case "train":
		return train(value)
	case "flat": // every setting costs the same, so how many trials the budget covers does not depend on which are tried
		cost = 1
	case "until": // it ends when somebody lets it
		for os.Getenv("EKE_TEST_UNTIL") != "" {
			if _, err := os.Stat(os.Getenv("EKE_TEST_UNTIL")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	fmt.Printf("{\"objective\": %v, \"cost\": %v}\n", value, cost)
	return 0
}

// bowl is a study of that little experiment.
func bowl(role string) *study.Study {
	return &study.Study{
		Name: "bowl", Objective: study.Objective{Name: "objective", Goal: study.Minimize},
		Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 12},
		Policy: study.Policy{Name: "ei-puc-cc"}, Seed: 1, Parallel: 1,
		Command: []string{os.Args[0]}, Env: map[string]string{"EKE_TEST_ROLE": role},
		Parameters: []space.Param{
			{Name: "x", Kind: space.KindFloat, Min: 0, Max: 1},
			{Name: "y", Kind: space.KindFloat, Min: 0, Max: 1},
		},
	}
}

// home is where a study of a test lives.
type home struct {
	t    *testing.T
	dir  string
	s    *study.Study
	db   store.Store
	news []runner.News
}

func newHome(t *testing.T, s *study.Study) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), s: s}
	db, err := sqlite.Open(t.Context(), filepath.Join(h.dir, "eke.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	h.db = db
	return h
}

func (h *home) config() runner.Config {
	h.t.Helper()
	d, err := broker.Join(h.t.Context(), h.db, h.s)
	if err != nil {
		h.t.Fatal(err)
	}
	trials := filepath.Join(h.dir, "trials")
	return runner.Config{
		Source: &source.Store{Broker: d}, Engine: &local.Engine{}, Dir: filepath.Join(trials, "runners"), Trials: trials, Patience: time.Minute,
		Tell: func(n runner.News) { h.news = append(h.news, n) },
	}
}

func (h *home) run(ctx context.Context, change ...func(*runner.Config)) (runner.Summary, error) {
	h.t.Helper()
	c := h.config()
	for _, f := range change {
		f(&c)
	}
	s, err := runner.Run(ctx, c)
	if err == nil {
		h.audit()
	}
	return s, err
}

// audit replays the log and checks the ledger after every event.
func (h *home) audit() *study.Record {
	h.t.Helper()
	header, events, err := h.db.Read(context.Background(), h.s.Name, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	r := study.NewRecord(header.Total, header.Measured)
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			h.t.Fatal(err)
		}
		l := r.Ledger
		if grants := e.Kind == study.EventAsked || e.Kind == study.EventExtended; (grants || r.Measured) && l.Spent+l.Reserved > l.Total*(1+1e-9) {
			h.t.Errorf("event %d (%s) carries spent + reserved past the total: %+v", e.Seq, e.Kind, l)
		}
	}
	sum := 0.0
	for _, t := range r.Trials {
		sum += t.Charged
	}
	if math.Abs(sum-r.Ledger.Spent) > 1e-9*(1+sum) {
		h.t.Errorf("spent is %v, the sum of what was charged %v", r.Ledger.Spent, sum)
	}
	return r
}

func settings(r *study.Record) (list []string) {
	for _, t := range r.Trials {
		if t.State != study.Abandoned {
			raw, _ := json.Marshal(t.Setting)
			list = append(list, string(raw))
		}
	}
	return list
}

func count(r *study.Record, state study.State) (n int) {
	for _, t := range r.Trials {
		if t.State == state {
			n++
		}
	}
	return n
}

// A run spends the budget, ends by itself and says why; another one like it makes the same trials.
func TestRunSpendsTheBudget(t *testing.T) {
	var seen [2][]string
	for i := range seen {
		h := newHome(t, bowl("bowl"))
		s, err := h.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := h.audit()
		if s.Code != fault.NotWorth && s.Code != fault.BudgetSpent || len(r.Open()) > 0 || s.Trials != len(r.Trials) || s.Trials < 8 {
			t.Errorf("%+v, %d trials, ledger %+v", s, len(r.Trials), r.Ledger)
		}
		if s.Code == fault.NotWorth && !strings.Contains(s.Text, "left") {
			t.Errorf("it does not say what is left: %s", s.Text)
		}
		if r.Trials[0].Wall <= 0 || r.Trials[0].Thinking <= 0 || r.Trials[0].Exit == nil {
			t.Errorf("%+v", r.Trials[0])
		}
		seen[i] = settings(r)
		t.Logf("%d trials, %v", len(r.Trials), s.Text)
	}
	if !reflect.DeepEqual(seen[0], seen[1]) {
		t.Errorf("two runs differ:\n%v\n%v", seen[0], seen[1])
	}
}

// A run that finds the study over asks once, and ends.
func TestOverIsAskedOnce(t *testing.T) {
	s := bowl("bowl")
	s.Budget.Total = 1
	h := newHome(t, s)
	for again := range 20 {
		h.news = nil
		sum, err := h.run(t.Context())
		if err != nil || !sum.Code.Over() {
			t.Fatalf("%+v, %v", sum, err)
		}
		asked := 0
		for _, n := range h.news {
			if n.Kind == runner.Thinking {
				asked++
			}
		}
		if again > 0 && asked != 1 {
			t.Errorf("it asked %d times", asked)
		}
	}
}

// Stopped and resumed, the same trials are made as in one go.
func TestStopAndResume(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs whole studies one trial at a time, which the race detector learns nothing from")
	}
	whole := newHome(t, bowl("bowl"))
	if _, err := whole.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := newHome(t, bowl("bowl"))
	for range 100 {
		stop := make(chan struct{})
		var once sync.Once
		s, err := h.run(t.Context(), func(c *runner.Config) {
			c.Stop = stop
			tell := c.Tell
			c.Tell = func(n runner.News) {
				tell(n)
				if n.Kind == runner.Started && n.Trial.Number%3 == 0 {
					once.Do(func() { close(stop) })
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if open := h.audit().Open(); len(open) > 0 {
			t.Fatalf("left open: %+v", open)
		}
		if s.Code != fault.Interrupted {
			break
		}
	}
	if got, want := settings(h.audit()), settings(whole.audit()); !reflect.DeepEqual(got, want) {
		t.Errorf("stopped every three trials:\n%v\nin one go:\n%v", got, want)
	}
}

// A run that is cut abandons what it was doing; the setting is tried again, and nothing else changes but the money.
func TestCutAndResume(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs whole studies one trial at a time, which the race detector learns nothing from")
	}
	h := newHome(t, bowl("hang"))
	ctx, cut := context.WithCancel(t.Context())
	s, err := h.run(ctx, func(c *runner.Config) {
		c.Tell = func(n runner.News) {
			if n.Kind == runner.Started {
				cut()
			}
		}
	})
	if err != nil || s.Code != fault.Interrupted {
		t.Fatalf("%+v %v", s, err)
	}
	r := h.audit()
	if len(r.Trials) != 1 || r.Trials[0].State != study.Abandoned || r.Trials[0].Note == "" {
		t.Fatalf("%+v", r.Trials)
	}
	h.s = bowl("bowl")
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, whole := h.audit(), newHome(t, bowl("bowl"))
	if _, err := whole.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Trials[1].Setting, r.Trials[0].Setting) || !strings.Contains(string(again.Trials[1].Why), "trial 1 was stopped, so its setting is tried again") {
		t.Errorf("tried again: %+v", again.Trials[1])
	}
	if got, want := settings(again), settings(whole.audit()); !reflect.DeepEqual(got, want) { // it was charged nothing here
		t.Errorf("cut and resumed:\n%v\nin one go:\n%v", got, want)
	}
}

// isSpent fails the test unless a study that has ended bought all that it could: nothing is open, and whoever asks now is told that
// it is over. When it ends depends on the order in which its trials end, but this does not.
func (h *home) isSpent() {
	h.t.Helper()
	d, err := broker.Join(h.t.Context(), h.db, h.s)
	if err != nil {
		h.t.Fatal(err)
	}
	if trial, err := d.Ask(h.t.Context(), "hand"); !fault.CodeOf(err).Over() {
		h.t.Errorf("there is money for one more: %+v, %v", trial, err)
	}
}

// Four at once spend what one does: all that is affordable.
func TestFourSpendTheSameAsOne(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		s := bowl("flat")
		s.Budget.Total, s.Stop.Never = 12.5, true
		h := newHome(t, s)
		sum, err := h.run(t.Context(), func(c *runner.Config) { c.Parallel = parallel })
		if err != nil {
			t.Fatal(err)
		}
		if r := h.audit(); count(r, study.Done) != 12 || len(r.Trials) != 12 || r.Ledger.Spent != 12 || r.Ledger.Reserved != 0 {
			t.Errorf("%d at once: %d trials, %+v, %s", parallel, len(r.Trials), r.Ledger, sum.Text)
		}

		h = newHome(t, bowl("bowl")) // now each setting has a price of its own
		if sum, err = h.run(t.Context(), func(c *runner.Config) { c.Parallel = parallel }); err != nil {
			t.Fatal(err)
		}
		r := h.audit()
		if len(r.Open()) > 0 || count(r, study.Done) != len(r.Trials) {
			t.Errorf("%d at once: %+v, %s", parallel, r.Ledger, sum.Text)
		}
		h.isSpent()
		t.Logf("%d at once: %d trials, spent %.2f", parallel, len(r.Trials), r.Ledger.Spent)
	}
}

// slow is a source that takes longer to grant more time than a trial has.
type slow struct{ runner.Source }

func (s slow) Extend(ctx context.Context, t runner.Task, used time.Duration) (time.Duration, error) {
	time.Sleep(t.Limit - used)
	return s.Source.Extend(ctx, t, used)
}

// Where wall time is the cost, a trial gets more than was reserved while there is any, however long it takes to find that out.
func TestWallTimeIsExtended(t *testing.T) {
	s := bowl("until")
	s.Cost = study.Cost{Unit: "seconds", Source: study.Walltime}
	s.Budget.Total, s.Budget.Trials = 600, 2 // far more than two trials take, however busy the machine
	s.Policy.Design = 600                    // so that a second is reserved for each
	h := newHome(t, s)
	s.Env["EKE_TEST_UNTIL"] = filepath.Join(h.dir, "extended")
	extended := map[int]bool{}
	if _, err := h.run(t.Context(), func(c *runner.Config) {
		c.Parallel, c.Source = 2, slow{c.Source}
		c.Tell = func(n runner.News) {
			if n.Kind != runner.Extended {
				return
			}
			if extended[n.Trial.Number] = true; len(extended) == 2 {
				if err := os.WriteFile(s.Env["EKE_TEST_UNTIL"], nil, 0o600); err != nil {
					t.Error(err)
				}
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if len(r.Trials) != 2 {
		t.Fatalf("%+v", r.Trials)
	}
	first, last := reservations(h)
	for _, trial := range r.Trials {
		if n := trial.Number; trial.State != study.Done || !extended[n] || last[n] <= first[n] || trial.Charged > last[n] {
			t.Errorf("reserved %v, and %v in the end: %+v", first[n], last[n], trial)
		}
	}
}

// Where wall time is the cost, what is spent never passes the total, whatever the trials do.
func TestWallTimeIsEnforced(t *testing.T) {
	s := bowl("hang")
	s.Cost, s.Budget.Total, s.Budget.Limit = study.Cost{Unit: "seconds", Source: study.Walltime}, 1.5, study.LimitNone
	h := newHome(t, s)
	sum, err := h.run(t.Context(), func(c *runner.Config) { c.Parallel = 2 })
	if err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if len(r.Trials) < 1 || r.Ledger.Spent > 1.5 {
		t.Errorf("%+v, %+v, %s", r.Ledger, r.Trials, sum.Text)
	}
	first, last := reservations(h)
	for _, trial := range r.Trials { // it is asked to stop when a tenth of its limit is left, and may get no more in the meantime
		if n := trial.Number; trial.State != study.Cut || !strings.HasPrefix(trial.Note, "the budget had no more for it\nstopped at its limit") || trial.Charged < 0.9*first[n] || trial.Charged > last[n] {
			t.Errorf("reserved %v, and %v in the end: %+v", first[n], last[n], trial)
		}
	}
	h.isSpent()
	t.Logf("%d cut, spent %.3f: %s", len(r.Trials), r.Ledger.Spent, sum.Text)
}

// reservations are what was held for each trial when it was asked for, and at its end.
func reservations(h *home) (first, last map[int]float64) {
	h.t.Helper()
	_, events, err := h.db.Read(h.t.Context(), h.s.Name, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	first, last = map[int]float64{}, map[int]float64{}
	for _, e := range events {
		switch e.Kind {
		case study.EventAsked:
			first[e.Trial], last[e.Trial] = e.Asked.Reserved, e.Asked.Reserved
		case study.EventExtended:
			last[e.Trial] = e.Reserved
		}
	}
	return first, last
}

// A trial that hangs is stopped at the study's timeout, whatever its cost.
func TestTimeout(t *testing.T) {
	s := bowl("hang")
	s.Budget.Timeout = 300 * time.Millisecond
	h := newHome(t, s)
	if _, err := h.run(t.Context(), func(c *runner.Config) { c.Parallel = 4 }); err != nil {
		t.Fatal(err)
	}
	if r := h.audit(); count(r, study.Cut) == 0 || !strings.Contains(r.Trials[0].Note, "limit of 300ms") {
		t.Errorf("%+v", r.Trials)
	}
}

// A command that never works is given up, charged nothing, and the last words of it are passed on.
func TestFailingCommand(t *testing.T) {
	h := newHome(t, bowl("fail"))
	s, err := h.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if s.Code != fault.CannotRun || len(r.Trials) != 10 || r.Ledger.Spent != 0 || !strings.Contains(s.Text, "exit code 3") || !strings.Contains(s.Text, "mnist") {
		t.Errorf("%+v, %d trials, %+v", s, len(r.Trials), r.Ledger)
	}
}

// A command that cannot be run costs nothing, and its trial is run once that is fixed.
func TestCommandNotFound(t *testing.T) {
	s := bowl("bowl")
	right := s.Command
	s.Command = []string{"no-such-program-of-eke"}
	h := newHome(t, s)
	_, err := h.run(t.Context())
	if fault.CodeOf(err) != fault.CannotRun || fault.HintOf(err) == "" {
		t.Fatalf("%v", err)
	}
	r := h.audit()
	if len(r.Trials) != 1 || r.Trials[0].State != study.Pending || r.Ledger.Spent != 0 {
		t.Fatalf("%+v", r.Trials)
	}
	s.Command = right
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := h.audit(); r.Trials[0].State != study.Done || len(r.Open()) > 0 {
		t.Errorf("%+v", r.Trials[0])
	}
}

func TestDeadline(t *testing.T) {
	s := bowl("slow")
	s.Budget.Deadline = 400 * time.Millisecond
	h := newHome(t, s)
	sum, err := h.run(t.Context())
	if err != nil || sum.Code != fault.Deadline {
		t.Fatalf("%+v %v", sum, err)
	}
	if sum, err = h.run(t.Context()); err != nil || sum.Code != fault.Deadline || sum.Trials != 0 {
		t.Errorf("a second run: %+v %v", sum, err)
	}
}

// What was asked for by hand is left alone; a run says so when that holds the rest of the budget.
func TestTrialsAskedForByHand(t *testing.T) {
	s := bowl("bowl")
	s.Budget = study.Budget{Total: 4, PerTrial: 2}
	h := newHome(t, s)
	d, err := broker.Join(t.Context(), h.db, s)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := d.Ask(t.Context(), "hand"); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := h.run(t.Context())
	if err != nil || sum.Code != fault.BudgetPending || !strings.Contains(sum.Text, "1, 2") {
		t.Errorf("%+v %v", sum, err)
	}
}
