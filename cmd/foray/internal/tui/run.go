package tui

import (
	"context"
	"io"

	tea "charm.land/bubbletea/v2"
)

// A Terminal is where [Run] reads and draws. Nil fields are the process's own.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	Env []string // TERM, COLORTERM, NO_COLOR and the like

	Width, Height int // of a terminal that cannot be asked; 0: it is asked
}

// Run shows a conversation until the person or ctx ends it. It returns the ID of the model that the person chose to go
// on with; "" if none was chosen. A turn in progress is cancelled, and has ended when Run returns.
func Run(ctx context.Context, host *Host, screen *Screen, at Terminal) (model string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newApp(ctx, host)
	options := []tea.ProgramOption{tea.WithContext(ctx)}
	if at.In != nil {
		options = append(options, tea.WithInput(at.In))
	}
	if at.Out != nil {
		options = append(options, tea.WithOutput(at.Out))
	}
	if at.Env != nil {
		options = append(options, tea.WithEnvironment(at.Env))
	}
	if at.Width > 0 {
		options = append(options, tea.WithWindowSize(at.Width, at.Height))
	}
	p := tea.NewProgram(a, options...)
	for _, m := range screen.attach(p) {
		a.Update(m)
	}
	_, err = p.Run()
	cancel()
	a.running.Wait()
	if ctx.Err() != nil && context.Cause(ctx) == context.Canceled {
		err = nil
	}
	return a.next, err
}
