package view

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eke-bo/eke/internal/runner"
)

// screen collects what a program writes.
type screen struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *screen) shows(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.out.String(), text)
}

func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to this: " + what)
		}
	}
}

type program struct {
	news    chan runner.News
	keys    *io.PipeWriter
	out     *screen
	pressed chan struct{}
	ended   chan error
}

func start(t *testing.T, ctx context.Context) *program {
	in, keys := io.Pipe()
	p := &program{make(chan runner.News), keys, &screen{}, make(chan struct{}, 9), make(chan error, 1)}
	t.Cleanup(func() { keys.Close() }) // ends the goroutine that reads them
	go func() {
		p.ended <- live(ctx, paidInHours(), p.news, func() { p.pressed <- struct{}{} },
			tea.WithInput(in), tea.WithOutput(p.out), tea.WithWindowSize(80, 24), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	}()
	return p
}

// Keys are passed on and end nothing; the end of the news does.
func TestLive(t *testing.T) {
	p := start(t, t.Context())
	y := long(t, paidInHours())
	for _, n := range y.news {
		p.news <- n
	}
	within(t, "the study is shown", func() bool { return p.out.shows("two spirals") && p.out.shows("thinking…") })
	for range 2 {
		if _, err := p.keys.Write([]byte{3}); err != nil {
			t.Fatal(err)
		}
		<-p.pressed
	}
	within(t, "the keys are answered", func() bool { return p.out.shows("cutting") })
	select {
	case err := <-p.ended:
		t.Fatalf("a key ended it: %v", err)
	case p.news <- runner.News{Kind: runner.Stopped, At: time.Now(), Text: "stopped by hand", Record: y.record}:
	}
	close(p.news)
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
	if !p.out.shows("stopped by hand") {
		t.Error("the last news was not shown")
	}
}

// When the view is ended, what it has not read is left to others.
func TestLiveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := start(t, ctx)
	p.news <- runner.News{Kind: runner.Thinking, At: time.Now()}
	cancel()
	if err := <-p.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	select {
	case p.news <- runner.News{}:
		t.Error("it still reads news")
	case <-time.After(10 * time.Millisecond):
	}
}

func TestLiveWithoutTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if err := Live(t.Context(), paidInHours(), nil, nil); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("%v, want %v", err, ErrNoTerminal)
	}
}

// A frame that cannot be drawn, or news that cannot be heard, does not take the run with it.
func TestBrokenFrame(t *testing.T) {
	m := newModel(paidInHours(), nil, time.Now)
	m.record = nil
	m.Update(tea.WindowSizeMsg{Width: 70, Height: 20})
	if !strings.Contains(m.frame, "cannot be drawn") {
		t.Errorf("drawn from nothing: %s", m.frame)
	}
	m.now = nil
	m.Update(newsMsg{Kind: runner.Thinking})
	y := newStory(t, m.study)
	m.now = time.Now
	m.Update(newsMsg{Kind: runner.Thinking, Record: y.record})
	m.Update(tickMsg{})
	if !strings.Contains(m.frame, "thinking…") {
		t.Errorf("it has not recovered: %s", m.frame)
	}
}

// The screen is drawn by a clock that runs only while something moves, however much news there is.
func TestTicks(t *testing.T) {
	m := newModel(paidInHours(), nil, time.Now)
	y := newStory(t, m.study)
	ticks := 0
	for range 1000 {
		if _, cmd := m.Update(newsMsg{Kind: runner.Thinking, Record: y.record}); cmd != nil {
			ticks++
		}
	}
	if _, again := m.Update(tickMsg{}); ticks != 1 || again == nil {
		t.Errorf("%d ticks, and another one: %t; want one that goes on", ticks, again != nil)
	}
	m.Update(newsMsg{Kind: runner.Waiting, Record: y.record})
	if _, again := m.Update(tickMsg{}); again != nil {
		t.Error("it ticks though nothing moves")
	}
}
