package view

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// lucky is a study with noise: a good setting that was tried twice, and a bad one with a lucky draw at the end.
func lucky(t *testing.T) (*study.Study, *story) {
	s := &study.Study{
		Name: "lucky", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
		Budget: study.Budget{Total: 40}, Noisy: true, Policy: study.Policy{Name: "auto"}, Parallel: 1,
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Min: 0, Max: 1}},
	}
	y := newStory(t, s)
	for i, c := range []struct{ x, value float64 }{{0.2, 0.25}, {0.2, 0.2}, {0.8, 0.9}, {0.8, 1.1}, {0.8, 0.15}} {
		y.now = y.now.Add(time.Minute)
		y.apply(study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(c.x)}, Point: []float64{c.x}, Reserved: 2}})
		y.apply(study.Event{Kind: study.EventStarted, Trial: i + 1})
		y.end(i+1, study.Finished{State: study.Done, Value: c.value, Charged: 1, Wall: 1})
	}
	return s, y
}

// The best of a study with noise is announced when another setting is the best, not at every lucky draw.
func TestPlainWithNoise(t *testing.T) {
	s, y := lucky(t)
	var b bytes.Buffer
	tell := Plain(&b, s)
	for _, n := range y.news {
		tell(n)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 5 || !strings.Contains(lines[0], "best is now trial 1: ") || strings.Count(b.String(), "best") != 1 {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	tell = Plain(&b, s) // of a run that goes on, the best was known before
	tell(runner.News{Kind: runner.Resumed, At: y.now, Record: y.news[3].Record})
	if tell(y.news[4]); strings.Contains(b.String(), "best") {
		t.Errorf("%s", b.String())
	}
}

func TestJSONWithNoise(t *testing.T) {
	s, y := lucky(t)
	var b bytes.Buffer
	JSON(&b, s)(y.news[4])
	var got struct {
		Best struct {
			Trial    int
			Value    float64
			Estimate *advisor.Estimate
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if e := got.Best.Estimate; e == nil || got.Best.Trial != 1 || got.Best.Value != e.Value || len(e.Values) != 2 {
		t.Errorf("%s", b.String())
	}
}

// The chart shows observations and the expected value, and no line of best values.
func TestPictureWithNoise(t *testing.T) {
	s, y := lucky(t)
	var b bytes.Buffer
	Picture(&b, s, y.record, advisor.Front{}, 60, false)
	if _, legend, _ := strings.Cut(b.String(), "★ at the best setting   • observed"); !strings.HasPrefix(legend, "\n         ┄ expected of the best setting\n") {
		t.Errorf("the legend is cut:\n%s", b.String())
	}
	b.Reset()
	Picture(&b, s, y.record, advisor.Front{}, 100, false)
	text := b.String()
	for _, want := range []string{"★ at the best setting", "• observed", "┄ expected of the best setting", "(80% between", "by trial 1 for 1 euro", "seen there: 0.25, 0.2", "┄┄┄"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "╮╰╯╭") || strings.Contains(text, "new best") {
		t.Errorf("a line of best values in\n%s", text)
	}
	m := newModel(s, nil, func() time.Time { return y.now })
	for _, n := range y.news {
		m.hear(n)
	}
	if screen := m.screen(false); strings.Count(screen, "★") < 3 || !strings.Contains(screen, "seen there: 0.25, 0.2") { // the best, and two trials of it
		t.Errorf("%s", screen)
	}
}

// Somebody adds a parameter while a run goes on. Its view fits no models to points of the old length, and goes by what was seen.
func TestParametersChangeMeanwhile(t *testing.T) {
	s, y := lucky(t)
	bests := newBests(s)
	r := y.news[len(y.news)-1].Record.Clone()
	for i := range r.Trials {
		r.Trials[i].Point = append(r.Trials[i].Point, 0.5)
	}
	r.Learnt++
	if best, ok := bests.of(r); !ok || best.Estimate != nil || best.Number != 5 {
		t.Errorf("%+v, %v", best, ok)
	}
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
	for i := range r.Trials {
		r.Trials[i].Metrics = study.Metrics{"size": 1}
	}
	if f := newBests(s).front(r); f.Expected || len(f.Trials) == 0 {
		t.Errorf("%+v", f)
	}
}
