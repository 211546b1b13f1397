package tui

import (
	"context"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// A Terminal is where [Run] and [Watch] read and draw. Nil fields are the process's own.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	Env []string // TERM, COLORTERM, NO_COLOR and the like

	Width, Height int // of a terminal that cannot be asked; 0: it is asked

	now func() time.Time // the clock of a test; nil: the time
}

// CanDraw reports whether a person types at in and looks at out, on a terminal that can draw, that has a size which a
// terminal can have, and that the process has for itself.
func CanDraw(in io.Reader, out io.Writer) bool {
	from, typed := in.(*os.File)
	to, shown := out.(*os.File)
	kind := os.Getenv("TERM")
	return typed && shown && kind != "" && kind != "dumb" && term.IsTerminal(int(from.Fd())) &&
		term.IsTerminal(int(to.Fd())) && plausible(to) && inForeground(to)
}

// plausible reports whether a terminal is as small as terminals are: a frame of the size that a broken one claims may
// take more memory than the machine has.
func plausible(terminal *os.File) bool {
	width, height, err := term.GetSize(int(terminal.Fd()))
	return err != nil || width*height <= mostWidth*mostHeight
}

// framesPerSecond is how often a change is drawn at most, twice as often as by default: what is typed shows after 5
// instead of 8.5 ms.
const framesPerSecond = 120

// program returns a program that draws a on the terminal.
func (at Terminal) program(a *app, options ...tea.ProgramOption) *tea.Program {
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
	return tea.NewProgram(a, append(options, tea.WithFPS(framesPerSecond))...)
}

// Run shows a conversation until the person or ctx ends it. It returns the ID of the model that the person chose to
// continue with; "" if none was chosen. A turn in progress is cancelled, and has ended when Run returns.
func Run(ctx context.Context, host *Host, screen *Screen, at Terminal) (model string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newApp(ctx, host)
	p := at.program(a, tea.WithContext(ctx))
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
