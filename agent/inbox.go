package agent

import (
	"errors"
	"slices"
	"sync"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// An Inbox takes messages for a run that is under way. They join the conversation before the next request, each as a
// message of the user, in the order in which they were sent. The zero value is ready. It belongs to one run and is safe for
// concurrent use.
type Inbox struct {
	mu     sync.Mutex
	texts  []string
	opened bool
	closed bool
}

// Send leaves a message. It reports false, and leaves none, if the text is empty or the run is over. What was left too
// late for the last request is in Result.Unread and stays in the inbox.
func (b *Inbox) Send(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || text == "" {
		return false
	}
	b.texts = append(b.texts, text)
	return true
}

var errInbox = errors.New("the inbox is that of another run")

func (b *Inbox) open() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened {
		return errInbox
	}
	b.opened = true
	return nil
}

// take returns what was left since the last time.
func (b *Inbox) take() []string {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	texts := b.texts
	b.texts = nil
	return texts
}

// Left returns the messages that no request has taken yet.
func (b *Inbox) Left() []string {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.texts)
}

func (b *Inbox) close() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// join writes the messages of the inbox into the window.
func (r *run) join() {
	for _, text := range r.task.Inbox.take() {
		if _, err := r.window.Append(transcript.Message{Role: transcript.User, Text: text}); err != nil {
			r.warn("a message of the inbox was not taken: " + err.Error())
			continue
		}
		r.emit(MessageInjected{Agent: r.config.Name, Step: r.step.Number, Text: text})
	}
}
