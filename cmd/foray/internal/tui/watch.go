package tui

import (
	"cmp"
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/forayhq/foray/agent"
)

// A Watched is a run in progress that a person looks at.
type Watched struct {
	Question string // "": an overview
	Began    time.Time
	Steps    int             // how many it may take
	Inbox    *agent.Inbox    // takes what the person types
	Cancel   func()          // asks the run to end
	Done     <-chan struct{} // is closed when the run has ended

	Status func() (name, cost string)                             // of the model, and of the run so far
	Editor []string                                               // the person's editor with its arguments
	Locate func(citation string) (path string, line int, ok bool) // where path:line is on this machine
}

// ErrLeft ends [Watch] when the person did not wait for the end of a run that was cancelled.
var ErrLeft = errors.New("left before the run ended")

// Watch shows a run until it ends, and leaves the terminal as it was. Events come through [Screen.Ran].
func Watch(w *Watched, screen *Screen, at Terminal) error {
	a := newWatch(w, at)
	p := at.program(a, tea.WithoutSignalHandler()) // a signal ends the run, and that the program
	for _, m := range screen.attach(p) {
		a.Update(m)
	}
	if _, err := p.Run(); err != nil {
		return err
	}
	if a.left {
		return ErrLeft
	}
	return nil
}

// newWatch returns a screen on which the answer to the question is in progress.
func newWatch(w *Watched, at Terminal) *app {
	a := newApp(context.Background(), &Host{Status: w.Status, Editor: w.Editor, Locate: w.Locate,
		Commands: []Command{{Name: "help", Help: "list the keys"}}})
	if at.now != nil {
		a.now = at.now
	}
	a.watched = w
	a.edit.area.Placeholder = "steer the run, or /help for the keys"
	a.log.add(&block{kind: said, text: clean(cmp.Or(w.Question, "Overview"))})
	a.begin(w.Cancel, w.Began, "starting")
	a.turn.inbox, a.status.limit = w.Inbox, w.Steps
	a.renew()
	return a
}

// watch waits for the end of the run.
func (a *app) watch() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, nextFrame(), func() tea.Msg {
		<-a.watched.Done
		return handledMsg{end: true}
	})
}

// steer sends a message to the run that is watched.
func (a *app) steer(text string) tea.Cmd {
	switch {
	case text == "/help":
		a.own(text)
	case a.turn.inbox.Send(text):
		a.log.add(&block{kind: waiting, text: clean(text)})
	default:
		a.log.add(&block{kind: note, text: "the run takes no more messages"})
	}
	return nil
}
