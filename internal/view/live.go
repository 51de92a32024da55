package view

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// Keys are what whoever watches can do.
type Keys struct {
	Interrupt func() // called at each ctrl-c and q, from a goroutine of its own
}

// ErrNoTerminal says that Live has nothing to draw on.
var ErrNoTerminal = errors.New("view: not a terminal")

// frames is how often the screen is drawn at most, a second.
const frames = 8

// Live draws a run while it goes on, on the terminal's other screen, which is gone when it returns: Picture is what to
// leave behind.
//
// It returns nil once the channel is closed, and no key ends it before. An error means that it cannot go on: there is
// no terminal, or ctx has ended. The news that it has not read is still in the channel then, for Plain to tell:
//
//	if err := view.Live(ctx, s, news, keys); err != nil {
//		for n := range news {
//			plain(n)
//		}
//	}
//
// The ctx is that of the view. It should not be the one that cuts the trials, or the cutting will not be seen.
func Live(ctx context.Context, s *study.Study, news <-chan runner.News, keys Keys) error {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("TERM") == "dumb" {
		return ErrNoTerminal
	}
	before, err := term.GetState(os.Stdin.Fd())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	if err = live(ctx, s, news, keys); err != nil { // bubbletea may have stopped half way into its own mode
		_ = term.Restore(os.Stdin.Fd(), before)
	}
	return err
}

func live(ctx context.Context, s *study.Study, news <-chan runner.News, keys Keys, options ...tea.ProgramOption) (err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("view: %v", trouble)
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Signals are the run's business: with bubbletea's handler they would end the view alone.
	options = append([]tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(2 * frames)}, options...)
	program := tea.NewProgram(newModel(s, keys, time.Now), options...)

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
