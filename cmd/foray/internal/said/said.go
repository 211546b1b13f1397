// Package said finds what was said in the threads of a database.
package said

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/textsearch"
)

// MaxSearched is how many messages a search reads: those of the threads used last.
const MaxSearched = 100_000

// How many threads are read, and how many messages at a time.
const (
	maxThreads = 10_000
	pageSize   = 500
)

// An Exchange is a message of a thread and its reply.
type Exchange struct {
	Thread   string    `json:"thread"`
	Title    string    `json:"title,omitempty"`
	Messages []Message `json:"messages"` // one or two
}

// A Message is one of an exchange.
type Message struct {
	Seq  int64     `json:"seq"`
	Role string    `json:"role"`
	Time time.Time `json:"time,omitzero"`
	Text string    `json:"text"` // the passage that answers
}

// Find returns at most limit exchanges in the threads of a user that answer a question, best first, by words, and how
// many messages were searched, at most MaxSearched. An empty user means all users. The error is the store's.
func Find(ctx context.Context, s *store.Store, user, question string, limit int) ([]Exchange, int, error) {
	threads, err := s.Threads(ctx, user, 0, maxThreads)
	if err != nil {
		return nil, 0, err
	}
	var index textsearch.Index
	titles, searched := make(map[string]string), 0
	for _, t := range threads {
		titles[t.ID] = t.Title
		n, err := add(ctx, s, &index, t.ID, MaxSearched-searched)
		if err != nil {
			return nil, 0, err
		}
		if searched += n; searched == MaxSearched {
			break
		}
	}
	var found []Exchange
	for _, x := range index.Exchanges(question, time.Now(), limit) {
		thread := x.Hits[0].Turn.Session
		e := Exchange{Thread: thread, Title: titles[thread]}
		for _, h := range x.Hits {
			seq, _ := strconv.ParseInt(h.Turn.ID, 10, 64) // add wrote it
			e.Messages = append(e.Messages, Message{seq, h.Turn.Speaker, h.Turn.At, strings.TrimSpace(h.Passage)})
		}
		found = append(found, e)
	}
	return found, searched, nil
}

// add adds at most the first n messages of a thread to an index, and returns how many it read. It leaves out what tools
// were asked and returned.
func add(ctx context.Context, s *store.Store, index *textsearch.Index, thread string, n int) (read int, err error) {
	for after := int64(0); read < n; {
		page, err := s.Messages(ctx, thread, after, min(pageSize, n-read))
		if err != nil {
			return read, err
		}
		if len(page) == 0 {
			break
		}
		read += len(page)
		for _, m := range page {
			after = m.Seq
			role, text := m.Message.Role, m.Message.Text
			if strings.TrimSpace(text) == "" || role != transcript.User && role != transcript.Assistant {
				continue
			}
			index.Add(textsearch.Turn{
				ID: strconv.FormatInt(m.Seq, 10), Session: thread, Speaker: string(role), Text: text, At: m.Time,
			})
		}
	}
	return read, nil
}
