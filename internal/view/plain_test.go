package view

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// told is a story with news of every kind.
func told(t *testing.T, s *study.Study) *story {
	y := long(t, s)
	first := runner.News{Kind: runner.Resumed, At: morning, Text: "0 trials so far", Record: y.news[0].Record}
	command := runner.News{Kind: runner.Command, At: morning, Run: []string{"python", "train.py", "--name", "two words"}, Env: map[string]string{"B": "2", "A": "1 2"}, Workdir: "/work"}
	y.news = append([]runner.News{first, command}, y.news...)
	y.tell(runner.Waiting, 0, "the rest of the budget is reserved by running trials")
	y.tell(runner.Waiting, 0, "the rest of the budget is reserved by running trials")
	y.tell(runner.Trouble, 0, "the store is locked; trying again")
	y.tell(runner.Back, 0, "the trouble is over")
	y.tell(runner.Late, 19, "the trial was abandoned; it goes on")
	y.tell(runner.Refused, 0, "the outcome of trial 7 is not taken")
	y.tell(runner.Stopping, 0, "")
	y.tell(runner.Cutting, 0, "")
	y.end(18, study.Finished{State: study.Cut, Charged: 1.25, Wall: 2, Note: "stopped by whoever watches"})
	y.apply(study.Event{Kind: study.EventFinished, Trial: 19, Finished: &study.Finished{State: study.Abandoned, Charged: 1}})
	y.tell(runner.Recovered, 19, "its runner died")
	y.tell(runner.Stopped, 0, "stopped; run it again to go on")
	return y
}

func TestPlain(t *testing.T) {
	for name, s := range map[string]*study.Study{"plain.txt": paidInHours(), "plain-walltime.txt": paidInTime()} {
		var out bytes.Buffer
		tell := Plain(&out, s)
		for _, n := range told(t, s).news {
			tell(n)
		}
		golden(t, name, out.String())
	}
}

// News without a trial or a record is told all the same.
func TestPlainOfLittle(t *testing.T) {
	var out bytes.Buffer
	tell := Plain(&out, paidInHours())
	for _, kind := range []runner.Kind{runner.Resumed, runner.Started, runner.Extended, runner.Ended, runner.Recovered, "unheard-of"} {
		tell(runner.News{Kind: kind, At: morning})
		tell(runner.News{Kind: kind, At: morning, Trial: &study.Trial{Number: 3, State: study.Done}, Text: "text"})
	}
	if n := strings.Count(out.String(), "\n"); n != 12 {
		t.Errorf("%d lines, want 12:\n%s", n, out.String())
	}
}

// A result that is far from its forecast is said to be.
func TestPlainOfTheUnforeseen(t *testing.T) {
	var out bytes.Buffer
	why := json.RawMessage(`{"expected": {"value": 0.25, "value_low": 0.2, "value_high": 0.3}}`)
	Plain(&out, paidInHours())(runner.News{Kind: runner.Ended, At: morning, Trial: &study.Trial{Number: 7, State: study.Done, Value: 2, Why: why}})
	if !strings.HasSuffix(out.String(), "far from the forecast (80% between 0.2 and 0.3)\n") {
		t.Errorf("%q", out.String())
	}
}

// Whoever follows a study from elsewhere may hear that a trial started after it has ended. Nothing is reserved for it then.
func TestPlainOfTheEnded(t *testing.T) {
	for state, want := range map[study.State]bool{study.Running: true, study.Done: false} {
		var out bytes.Buffer
		Plain(&out, paidInHours())(runner.News{Kind: runner.Started, At: morning, Trial: &study.Trial{Number: 1, State: state, Reserved: 0}})
		if got := strings.Contains(out.String(), "reserved"); got != want {
			t.Errorf("%s: %q", state, out.String())
		}
	}
}

func TestJSON(t *testing.T) {
	s := paidInHours()
	y := told(t, s)
	y.news = append(y.news, runner.News{Kind: runner.Ended, At: morning, Trial: &study.Trial{Value: math.NaN(), Why: []byte("{")}})
	var out bytes.Buffer
	tell := JSON(&out, s)
	for _, n := range y.news {
		tell(n)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(y.news) {
		t.Fatalf("%d lines for %d pieces of news", len(lines), len(y.news))
	}
	for i, line := range lines {
		var got struct {
			Kind   runner.Kind
			Trial  *study.Trial
			Ledger *study.Ledger
			Best   *struct{ Value float64 }
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.Kind != y.news[i].Kind {
			t.Errorf("line %d: %v: %s", i+1, err, line)
		}
		r := y.news[i].Record
		if r == nil {
			continue
		}
		if got.Ledger == nil || *got.Ledger != r.Ledger || (y.news[i].Trial != nil) != (got.Trial != nil) {
			t.Errorf("line %d: %s", i+1, line)
		}
		if best, ok := r.Best(s.Objective.Goal); ok && (got.Best == nil || got.Best.Value != best.Value) {
			t.Errorf("line %d has another best value than %v: %s", i+1, best.Value, line)
		}
	}
}

// A slot without variables is not listed.
func TestCommandOfSlots(t *testing.T) {
	n := runner.News{Run: []string{"sh"}, Workdir: "here", Slots: []study.Slot{{}, {Env: map[string]string{"GPU": "1"}}, {}}}
	if got, want := command(n), "sh  in here; slot 1: GPU=1"; got != want {
		t.Errorf("%q", got)
	}
}
