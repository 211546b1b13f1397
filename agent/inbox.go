package agent

import (
	"errors"
	"slices"
	"sync"
)

// An Inbox delivers messages to a run in progress. They join the conversation before the next request, each as a
// message of the user, in the order they were sent. The zero value is ready to use. An Inbox serves one run and is safe
// for concurrent use.
type Inbox struct {
	mu     sync.Mutex
	texts  []string
	opened bool
	closed bool
}

// Send queues a message. It returns false, and queues nothing, if the text is empty or the run is over. A message that
// came too late for the last request is in Result.Unread and stays in the inbox.
func (b *Inbox) Send(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || text == "" {
		return false
	}
	b.texts = append(b.texts, text)
	return true
}

// put adds messages that an earlier process did not deliver, before all others.
func (b *Inbox) put(texts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts = slices.Concat(texts, b.texts)
}

// Left returns the messages that no request has taken.
func (b *Inbox) Left() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.texts)
}

func (b *Inbox) open() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened {
		return errors.New("the inbox belongs to another run")
	}
	b.opened = true
	return nil
}

// take returns and removes the queued messages.
func (b *Inbox) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	texts := b.texts
	b.texts = nil
	return texts
}

func (b *Inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}
