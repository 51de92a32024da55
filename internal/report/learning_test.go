package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// learntOnItsWay is a study of so many trials with steps. Every third is stopped early, where the models expected it to cost 9.
func learntOnItsWay(t *testing.T, trials int) Data {
	s := &study.Study{
		Name: "curves", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
		Budget: study.Budget{Total: 1e6}, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Min: 0, Max: 1}},
		Fidelity: &study.Fidelity{Name: "epochs<b>", Min: 1, Max: 81, Log: true},
	}
	why, err := json.Marshal(advisor.Why{Expected: &study.Expected{CostMedian: 9}})
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	apply := func(e study.Event) {
		e.Seq, e.At = r.Version+1, time.Date(2026, 3, 1, 9, 0, 0, int(r.Version), time.UTC)
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= trials; n++ {
		x := float64(n) / float64(trials+1)
		setting, look := space.Setting{"x": space.Float(x), s.Fidelity.Name: space.Int(81)}, n%3 == 1
		if look {
			setting[s.Fidelity.Name] = space.Int(9)
		}
		apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: setting, Point: []float64{x, 1}, Reserved: 9, Why: why, Look: look}})
		apply(study.Event{Kind: study.EventStarted, Trial: n})
		for _, step := range []float64{1, 3} {
			apply(study.Event{Kind: study.EventStep, Trial: n, Step: &study.Step{Step: step, Value: x + 1/step, Look: true}})
		}
		end := study.Finished{State: study.Done, Value: x, Charged: 5}
		if n%3 == 0 {
			end = study.Finished{State: study.StoppedEarly, Charged: 2}
		}
		apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &end})
	}
	return Data{Study: s, Record: r}
}

// The report draws what trials showed on their way, and says where the money went.
func TestReportOfLearningCurves(t *testing.T) {
	d := learntOnItsWay(t, 9)
	html := written(t, d)
	checkPage(t, html)
	for piece, n := range map[string]int{
		"Learning curves": 1, `class="learning early"`: 3, `class="learning"`: 5, `class="learning top"`: 1, `class="m early"`: 3 + 3 + 1, // in both charts, and in the legend
		"epochs&lt;b&gt;=9: 15 euros, epochs&lt;b&gt;=81: 21 euros": 1, "about 21 euros by stopping 3 trials early": 1,
	} {
		if got := strings.Count(html, piece); got != n {
			t.Errorf("%s: %d times, want %d", piece, got, n)
		}
	}
	paths, err := PNGs(t.TempDir(), d)
	if err != nil || len(paths) != 2 || !strings.HasSuffix(paths[1], "learning.png") {
		t.Fatal(paths, err)
	}
	d.Study.Fidelity = nil
	if html := written(t, d); strings.Contains(html, "Learning curves") || strings.Contains(html, "Saved") {
		t.Error("a study without a fidelity has learning curves")
	}
}

// The list of states finds the trials in each of them.
func TestReportFindsStates(t *testing.T) {
	html := written(t, learntOnItsWay(t, 12))
	options := regexp.MustCompile(`<option>([^<]+)</option>`).FindAllStringSubmatch(html, -1)
	if !strings.Contains(html, "<option>stopped early</option>") || !strings.Contains(html, "row.dataset.state === state.value") {
		t.Error("nobody can look for trials that stopped early")
	}
	for _, option := range options {
		if !strings.Contains(html, `" data-state="`+option[1]+`">`) {
			t.Errorf("no trial is %q", option[1])
		}
	}
}

// Of very many curves some are drawn, the best among them.
func TestReportOfManyLearningCurves(t *testing.T) {
	html := written(t, learntOnItsWay(t, 2000))
	if lines, top := strings.Count(html, `class="learning`), strings.Count(html, `class="learning top"`); lines != mostLines || top != 1 {
		t.Errorf("%d lines, %d of them the best", lines, top)
	}
}
