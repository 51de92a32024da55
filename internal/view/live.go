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
