package view

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// ErrNoTerminal says that Live has nothing to draw on.
var ErrNoTerminal = errors.New("view: not a terminal")

// frames is the most that is drawn in a second.
const frames = 8

// Live draws a run while it goes on. It uses the terminal's alternate screen, which disappears when Live returns;
// Picture draws something that stays.
//
// interrupt is called at each ctrl-c and q, from a goroutine of its own; nil: nobody listens.
//
// It returns nil once the channel is closed; no key ends it earlier. An error means that there is no terminal, or that
// ctx has ended. News that it has not read is then still in the channel, for Plain to print:
//
//	if err := view.Live(ctx, s, news, interrupt); err != nil {
//		for n := range news {
//			plain(n)
//		}
//	}
//
// The context ends the view. It should not be the one that cuts the trials, or nobody would see them being cut.
func Live(ctx context.Context, s *study.Study, news <-chan runner.News, interrupt func()) error {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("TERM") == "dumb" {
		return ErrNoTerminal
	}
	before, err := term.GetState(os.Stdin.Fd())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	if err = live(ctx, s, news, interrupt); err != nil { // bubbletea may have stopped half way into its own mode
		_ = term.Restore(os.Stdin.Fd(), before)
	}
	return err
}

func live(ctx context.Context, s *study.Study, news <-chan runner.News, interrupt func(), options ...tea.ProgramOption) (err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("view: %v", trouble)
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Signals are the run's business: with bubbletea's handler they would end the view alone.
	options = append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(2 * frames)}, options...)
	model := newModel(s, interrupt, time.Now)
	program := tea.NewProgram(model, options...)

	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		for {
			select {
			case n, open := <-news:
				if !open {
					program.Send(overMsg{})
					return
				}
				if n.Record != nil {
					model.bests.of(n.Record) // here, since fitting models would stop the screen
					model.bests.front(n.Record)
				}
				program.Send(newsMsg(n))
			case <-ctx.Done():
				return
			}
		}
	}()
	_, err = program.Run()
	cancel() // a program that could not start would keep a Send waiting
	<-pumped
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return nil
}

type (
	newsMsg runner.News
	tickMsg struct{}
	overMsg struct{} // the channel of news is closed
)

// model is what the screen shows. News only changes it; the frame is drawn when a tick comes, so that a run of a
// thousand short trials a second is drawn no more often than one of long ones.
type model struct {
	study   *study.Study
	pressed func() // called at each ctrl-c and q
	now     func() time.Time

	width, height int
	record        *study.Record // nil before the first news
	bests         *bests
	best          advisor.Best  // by the record
	found         bool          // there is a best
	front         advisor.Front // of several objectives
	course        course        // of the record
	chosen        *study.Trial  // the last one that was started
	begun         time.Time     // of the first news
	thinking      time.Time     // since when; zero: not now
	notice        notice
	stop          stopState

	ticking bool   // a tick is under way
	frame   string // as it was last drawn
}

// notice is a message that stays until something else happens.
type notice struct {
	kind runner.Kind
	text string
}

// stopState is how far the run has been asked to stop.
type stopState int

const (
	going stopState = iota
	stopping
	cutting
)

func newModel(s *study.Study, interrupt func(), now func() time.Time) *model {
	m := &model{study: s, pressed: interrupt, now: now, width: 80, height: 24, bests: newBests(s)}
	m.show(study.NewRecord(s.Budget.Total, s.Measured()))
	m.draw()
	return m
}

func (m *model) Init() tea.Cmd { return nil }

func (m *model) View() tea.View {
	v := tea.NewView(m.frame)
	v.AltScreen = true
	return v
}

// Update must not panic: bubbletea would take the terminal down with it.
func (m *model) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if trouble := recover(); trouble != nil {
			m.frame, cmd = m.broken(trouble), nil
		}
	}()
	switch msg := msg.(type) {
	case newsMsg:
		m.hear(runner.News(msg))
		return m, m.tick(time.Second / 60) // soon, with whatever else comes by then
	case tickMsg:
		m.ticking = false
		m.draw()
		if m.alive() {
			return m, m.tick(time.Second / frames)
		}
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.draw()
	case tea.KeyPressMsg:
		if key := msg.String(); key == "ctrl+c" || key == "q" {
			return m, m.interrupt()
		}
	case overMsg:
		m.draw()
		return m, tea.Quit
	}
	return m, nil
}

// tick asks for one frame, unless one has been asked for.
func (m *model) tick(after time.Duration) tea.Cmd {
	if m.ticking {
		return nil
	}
	m.ticking = true
	return tea.Tick(after, func(time.Time) tea.Msg { return tickMsg{} })
}

// alive says whether anything on the screen moves by itself.
func (m *model) alive() bool {
	return !m.thinking.IsZero() || slices.ContainsFunc(m.record.Trials, func(t study.Trial) bool { return t.State == study.Running })
}

// interrupt passes a key on. The answer comes as news, but whoever pressed the key sees at once that it was heard.
func (m *model) interrupt() tea.Cmd {
	m.stop = min(m.stop+1, cutting)
	m.draw()
	call := m.pressed
	if call == nil {
		return nil
	}
	return func() tea.Msg {
		call()
		return nil
	}
}

// show takes over a record.
func (m *model) show(r *study.Record) {
	m.record = r
	m.best, m.found = m.bests.of(r)
	m.course = courseOf(r, m.study.Objective.Goal, m.best)
	m.front = m.bests.front(r)
}

// hear takes in a piece of news.
func (m *model) hear(n runner.News) {
	if m.begun.IsZero() {
		m.begun = m.now()
	}
	if n.Record != nil {
		m.show(n.Record)
	}
	switch n.Kind { // a trial that ends does not end the thinking of another
	case runner.Thinking:
		m.thinking = m.now()
	case runner.Started, runner.Waiting, runner.Trouble, runner.Stopping, runner.Cutting, runner.Stopped:
		m.thinking = time.Time{}
	}
	switch n.Kind {
	case runner.Started:
		m.chosen = n.Trial
	case runner.Stopping:
		m.stop = max(m.stop, stopping)
	case runner.Cutting:
		m.stop = cutting
	}
	switch n.Kind {
	case runner.Trouble, runner.Waiting, runner.Recovered, runner.Late, runner.Refused, runner.Stopped:
		m.notice = notice{n.Kind, say.Clean(n.Text)}
	case runner.Started, runner.Ended, runner.Back:
		m.notice = notice{}
	}
}

// draw makes the frame. One that cannot be drawn must not end the run that it is of.
func (m *model) draw() {
	defer func() {
		if trouble := recover(); trouble != nil {
			m.frame = m.broken(trouble)
		}
	}()
	m.frame = m.screen(true)
}

func (m *model) broken(trouble any) string {
	return fit("The run goes on, but cannot be drawn:", m.width) + "\n" + fit(say.Clean(fmt.Sprint(trouble)), m.width)
}
