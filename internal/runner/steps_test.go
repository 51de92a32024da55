package runner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// curve prints a value for each epoch, and none at the end: that of the last epoch is the result. When it is asked to stop, it reports
// what it has as if it were all, as programs do. After epochs 1, 3 and 8, unless they are its last, it may have to wait until a file says
// that they were heard of; after 8 only if it is to wait that long.
func curve(value float64) int {
	epochs, _ := strconv.ParseFloat(os.Getenv("EKE_PARAM_EPOCHS"), 64)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	for e := 1.0; e <= epochs; e++ {
		fmt.Printf("{\"step\": %v, \"objective\": %v, \"cost\": %v}\n", e, value+1/e, e/9)
		for isHeard := false; !isHeard; {
			_, err := os.Stat(heardFile(os.Getenv("EKE_DIR"), e))
			isHeard = err == nil || os.Getenv("EKE_TEST_WAITS") == "" || e == epochs || e != 1 && e != 3 && (e != 8 || os.Getenv("EKE_TEST_WAITS") != "long")
			select {
			case <-asked:
				fmt.Printf("{\"objective\": %v, \"cost\": %v}\n", value+1/e, e/9)
				return 0
			case <-time.After(time.Millisecond):
			}
		}
	}
	return 0
}

// heardFile says that a trial's values up to an epoch were heard of.
func heardFile(dir string, epoch float64) string {
	return filepath.Join(dir, fmt.Sprintf("heard-%v", epoch))
}

// heeding is a source whose trials wait at the levels of the fidelity until it is decided whether they go on. So the decisions do not
// depend on who is faster.
type heeding struct {
	runner.Source
	h *home
}

func (s heeding) Steps(ctx context.Context, t runner.Task, steps []study.Step, ended bool) (runner.Order, error) {
	o, err := s.Source.Steps(ctx, t, steps, ended)
	for _, step := range steps {
		if err == nil && o.Why == nil && step.Look {
			err = os.WriteFile(heardFile(filepath.Join(s.h.dir, "trials", fmt.Sprintf("%05d", t.Number)), step.Step), nil, 0o600)
		}
	}
	return o, err
}

func curves(rule string) *study.Study {
	s := bowl("curve")
	s.Fidelity = &study.Fidelity{Name: "epochs", Min: 1, Max: 9, Log: true, StopEarly: rule}
	return s
}

// ruling is a source that wants a trial to stop when it has come to a step, whatever the models say.
type ruling struct {
	runner.Source
	h     *home
	trial int
	why   string
}

func (r ruling) Steps(ctx context.Context, t runner.Task, steps []study.Step, ended bool) (runner.Order, error) {
	o, err := r.Source.Steps(ctx, t, steps, ended)
	if err == nil && !ended && t.Number == r.trial {
		_, events, _ := r.h.db.Read(ctx, r.h.s.Name, 0)
		err := r.h.db.Append(ctx, r.h.s.Name, int64(len(events)), study.Event{
			Seq: int64(len(events)) + 1, At: time.Now().UTC(), Kind: study.EventStop, Trial: t.Number, Reason: r.why,
		})
		return runner.Order{Trial: t.Number, Why: fmt.Errorf("%w: %s", runner.ErrEarly, r.why), At: 1}, err
	}
	return o, err
}

// The values of a trial's way are in the log while it runs. A trial that is stopped early is charged what it used, and no value
// that it reports counts.
func TestSteps(t *testing.T) {
	s := curves(study.StopNever)
	s.Policy.Name, s.Budget.Total, s.Env["EKE_TEST_WAITS"] = "random", 4, "yes"
	h := newHome(t, s)
	_, err := h.run(t.Context(), func(c *runner.Config) { c.Source = heeding{ruling{c.Source, h, 2, "no chance"}, h} })
	if err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if len(r.Trials) < 3 {
		t.Fatalf("%d trials", len(r.Trials))
	}
	for _, trial := range r.Trials {
		last, _ := trial.LastStep()
		switch {
		case trial.Number == 2:
			if trial.State != study.StoppedEarly || trial.Value != 0 || trial.Note != "no chance" || len(trial.Steps) != 1 || last.Step != 1 || trial.Charged != last.Cost {
				t.Errorf("%+v", trial)
			}
		case trial.State != study.Done || len(trial.Steps) != 9 || last.Step != 9 || last.Value != trial.Value || math.Abs(trial.Charged-1) > 1e-9:
			t.Errorf("%+v", trial)
		}
		for i, step := range trial.Steps {
			if step.Look != (i == 0 || i == 2) {
				t.Errorf("trial %d: step %+v", trial.Number, step)
			}
		}
	}
	if best, ok := r.Best(study.Minimize); !ok || best.Number == 2 {
		t.Errorf("the best is %+v", best)
	}
}

// hesitant is a source that decides after their first epoch that trials 2 and 3 are to be stopped, and takes long for it: until trial 2 has come to its last
// epoch but one, and trial 3 to its third.
type hesitant struct {
	runner.Source
	h *home
}

func (s hesitant) Steps(ctx context.Context, t runner.Task, steps []study.Step, ended bool) (runner.Order, error) {
	o, err := s.Source.Steps(ctx, t, steps, ended)
	if err != nil || ended {
		return o, err
	}
	dir := filepath.Join(s.h.dir, "trials", fmt.Sprintf("%05d", t.Number))
	until := map[int]float64{2: 8, 3: 3}[t.Number]
	for _, e := range []float64{1, 3, 8} {
		if until == 0 || e < until || o.Why != nil && t.Number == 2 { // trial 3 waits until it is stopped
			if err := os.WriteFile(heardFile(dir, e), nil, 0o600); err != nil {
				return o, err
			}
		}
	}
	if until == 0 || o.Why != nil { // it goes on in spite of that
		return o, nil
	}
	for said := fmt.Sprintf("{\"step\": %v,", until); ; {
		if out, _ := os.ReadFile(filepath.Join(dir, engine.StdoutFile)); strings.Contains(string(out), said) {
			break
		}
		select {
		case <-ctx.Done():
			return o, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return ruling{ignoring{s.Source}, s.h, t.Number, "stopped early at epochs 1: no chance"}.Steps(ctx, t, steps, ended)
}

// ignoring is a source that is not told of steps.
type ignoring struct{ runner.Source }

func (ignoring) Steps(context.Context, runner.Task, []study.Step, bool) (runner.Order, error) {
	return runner.Order{}, nil
}

// A trial that has nearly come to its end while it was decided to stop it goes on. Otherwise the note says how far it came.
func TestStopComesTooLate(t *testing.T) {
	s := curves(study.StopNever)
	s.Policy.Name, s.Budget.Total, s.Env["EKE_TEST_WAITS"] = "random", 4, "long"
	h := newHome(t, s)
	if _, err := h.run(t.Context(), func(c *runner.Config) { c.Source = hesitant{c.Source, h} }); err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if len(r.Trials) < 3 {
		t.Fatalf("%d trials", len(r.Trials))
	}
	if late := r.Trials[1]; late.State != study.Done || late.Early == "" || len(late.Steps) != 9 || late.Note != "" {
		t.Errorf("%+v", late)
	}
	if other := r.Trials[2]; other.State != study.StoppedEarly || other.Note != "stopped early at epochs 3, by what it showed at 1: no chance" {
		t.Errorf("%+v", other)
	}
}

// By the models, a trial whose rest does not earn its price is stopped, with reasons.
func TestStepsByModel(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole study takes long under the race detector")
	}
	s := curves("")
	s.Policy = study.Policy{Name: "log-ei-puc", Design: 3, Preset: study.PresetThorough} // however quick its trials are on this machine
	s.Budget.Total, s.Stop.Never, s.Env["EKE_TEST_WAITS"] = 9, true, "yes"
	s.Seed = 2 // not every study chooses a trial that is to be stopped
	h := newHome(t, s)
	if _, err := h.run(t.Context(), func(c *runner.Config) { c.Source = heeding{c.Source, h} }); err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if count(r, study.Done) == 0 || count(r, study.StoppedEarly) == 0 {
		t.Errorf("%d done, %d stopped early", count(r, study.Done), count(r, study.StoppedEarly))
	}
	for _, trial := range r.Trials {
		if trial.State != study.Done && trial.State != study.StoppedEarly || trial.State == study.StoppedEarly && !strings.Contains(trial.Note, "to beat the best value") {
			t.Errorf("%+v", trial)
		}
	}
}

// deaf is a source that cannot be told of steps.
type deaf struct{ runner.Source }

func (deaf) Steps(context.Context, runner.Task, []study.Step, bool) (runner.Order, error) {
	return runner.Order{}, errors.New("what is a step?")
}

// Steps are worth less than results: a source that does not take them gets the results all the same.
func TestStepsAreNotVital(t *testing.T) {
	s := curves(study.StopNever)
	s.Policy.Name, s.Budget.Total = "random", 2
	h := newHome(t, s)
	if _, err := h.run(t.Context(), func(c *runner.Config) { c.Source = deaf{c.Source} }); err != nil {
		t.Fatal(err)
	}
	for _, trial := range h.audit().Trials {
		if trial.State != study.Done || len(trial.Steps) > 0 {
			t.Errorf("%+v", trial)
		}
	}
}

// lively is a source whose trial is credible for half a second. It hears of a step of the trial just before the trial needs more time, and lets it end once it
// has got more.
type lively struct {
	runner.Source
	h *home
}

func (l lively) Ask(ctx context.Context, t runner.Ticket) (task runner.Task, err error) {
	if r := l.h.audit(); len(r.Trials) > 0 {
		return l.Source.Ask(ctx, t)
	}
	setting := space.Setting{"x": space.Float(0.5), "y": space.Float(0.5), "epochs": space.Int(9)}
	asked := study.Asked{Setting: setting, Point: []float64{0.5, 0.5, 1}, Reserved: 100, Credible: 0.5}
	err = l.h.db.Append(ctx, l.h.s.Name, 0, study.Event{Seq: 1, At: time.Now().UTC(), Kind: study.EventAsked, Trial: 1, Runner: t.Runner, Asked: &asked})
	if err != nil {
		return task, err
	}
	trial := l.h.audit().Trials[0]
	return runner.Task{Trial: trial, By: t.Runner, Limit: runner.LimitOf(l.h.s, trial)}, nil
}

func (l lively) Extend(ctx context.Context, t runner.Task, used time.Duration) (time.Duration, error) {
	if _, err := l.Steps(ctx, t, []study.Step{{Step: 1, Value: 1}}, false); err != nil {
		return 0, err
	}
	limit, err := l.Source.Extend(ctx, t, used)
	if err == nil && limit > t.Limit {
		err = os.WriteFile(l.h.s.Env["EKE_TEST_UNTIL"], nil, 0o600)
	}
	return limit, err
}

// A trial that reports a step goes on beyond what its forecast made credible, whether its cost is reported or its time.
func TestTrialWithStepsDoesNotHang(t *testing.T) {
	for _, from := range []study.Source{study.Reported, study.Walltime} {
		s := bowl("until")
		s.Fidelity, s.Cost.Source = &study.Fidelity{Name: "epochs", Min: 1, Max: 9, Log: true, StopEarly: study.StopNever}, from
		s.Budget.Total, s.Budget.Trials = 600, 1
		h := newHome(t, s)
		s.Env["EKE_TEST_UNTIL"] = filepath.Join(h.dir, "until")
		if _, err := h.run(t.Context(), func(c *runner.Config) { c.Source = lively{c.Source, h} }); err != nil {
			t.Fatal(err)
		}
		if trial := h.audit().Trials[0]; trial.State != study.Done || len(trial.Steps) == 0 {
			t.Errorf("where costs are %s: %+v", from, trial)
		}
	}
}
