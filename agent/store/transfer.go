package store

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
)

// pageOfMessages is how many messages are read at once.
const pageOfMessages = 200

// A threadLine is one line of the export of a thread. Exactly one field is set: first the thread, then its messages,
// its summary if it has one, and last the end, which marks the export as complete.
type threadLine struct {
	Thread  *chat.Thread    `json:"thread,omitempty"`
	Message *messageLine    `json:"message,omitempty"`
	Summary *summary.Thread `json:"summary,omitempty"`
	End     *endLine        `json:"end,omitempty"`
}

type messageLine struct {
	Seq     int64              `json:"seq"`
	Time    time.Time          `json:"time,omitzero"`
	Partial bool               `json:"partial,omitempty"`
	Message transcript.Message `json:"message"`
}

type endLine struct {
	Messages int `json:"messages"`
}

// ExportThread writes a thread as JSON lines: the thread, its messages, its summary, and an end with the number of
// messages. It leaves out its working memory and the log of its window, and messages that are added during the export.
// If messages are removed during the export, it returns [chat.ErrConflict].
func (s *Store) ExportThread(ctx context.Context, id string, w io.Writer) error {
	for record, err := range s.threadLines(ctx, id) {
		if err == nil {
			err = line.WriteJSON(w, record, "")
		}
		if err != nil {
			return fmt.Errorf("exporting thread %q: %w", id, err)
		}
	}
	return nil
}

// threadLines yields the lines of an export. An error is the last pair.
func (s *Store) threadLines(ctx context.Context, id string) iter.Seq2[threadLine, error] {
	return func(yield func(threadLine, error) bool) {
		t, sum, err := s.threadAndSummary(ctx, id)
		if err != nil {
			yield(threadLine{}, err)
			return
		}
		if !yield(threadLine{Thread: &t}, nil) {
			return
		}
		left := t.Messages
		for last := int64(0); left > 0; {
			page, err := s.Messages(ctx, id, last, min(pageOfMessages, left))
			if err == nil && (len(page) == 0 || page[len(page)-1].Seq > t.Last) {
				err = chat.ErrConflict
			}
			if err != nil {
				yield(threadLine{}, err)
				return
			}
			for _, m := range page {
				if !yield(threadLine{Message: &messageLine{m.Seq, m.Time, m.Partial, m.Message}}, nil) {
					return
				}
				last = m.Seq
			}
			left -= len(page)
		}
		if sum.Last > 0 && !yield(threadLine{Summary: &sum}, nil) {
			return
		}
		yield(threadLine{End: &endLine{t.Messages}}, nil)
	}
}

// threadAndSummary returns a thread and its summary in one consistent state.
func (s *Store) threadAndSummary(ctx context.Context, id string) (t chat.Thread, sum summary.Thread, err error) {
	err = s.read(ctx, "reading a thread", func(tx *sql.Tx) error {
		r, err := find(tx, id)
		if err != nil {
			return err
		}
		t = r.Thread
		sum, err = summaryOf(tx, r)
		return err
	})
	return t, sum, err
}

// ImportThread adds the thread of an export and returns it; with an error it adds nothing. An empty id means the one in
// the export. Messages keep their numbers. It returns [chat.ErrThreadExists] if the id is taken, and [ErrInvalid] with
// the number of the line if the export is invalid.
func (s *Store) ImportThread(ctx context.Context, r io.Reader, id string) (chat.Thread, error) {
	doing := "importing a thread"
	in := threadImport{id: id}
	if err := readLines(r, in.read); err != nil {
		return chat.Thread{}, fmt.Errorf("%s: %w", doing, err)
	}
	if !in.ended {
		return chat.Thread{}, fmt.Errorf("%s: %w: the export is incomplete: its last line is missing", doing, ErrInvalid)
	}
	if err := s.write(ctx, doing, in.keep); err != nil {
		return chat.Thread{}, err
	}
	return in.thread.Thread, nil
}

// A threadImport is the state of one [Store.ImportThread].
type threadImport struct {
	id       string // of the new thread; empty: as in the export
	begun    bool
	ended    bool
	thread   threadRow
	messages []messageRow
	summary  *summary.Thread
}

func (in *threadImport) read(line []byte) error {
	var l threadLine
	if err := decode(line, &l); err != nil {
		return err
	}
	set := 0
	for _, is := range []bool{l.Thread != nil, l.Message != nil, l.Summary != nil, l.End != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("%w: %d fields set, want 1", ErrInvalid, set)
	case in.begun == (l.Thread != nil):
		return fmt.Errorf("%w: want the thread in the first line, and only there", ErrInvalid)
	case in.ended || in.summary != nil && l.End == nil:
		return fmt.Errorf("%w: want the messages before the summary and the summary before the end", ErrInvalid)
	case l.Thread != nil:
		return in.begin(*l.Thread)
	case l.Message != nil:
		return in.add(*l.Message)
	case l.Summary != nil:
		in.summary = l.Summary
		return nil
	}
	in.ended = true
	if l.End.Messages != len(in.messages) {
		return fmt.Errorf("%w: %d messages of %d", ErrInvalid, len(in.messages), l.End.Messages)
	}
	return nil
}

func (in *threadImport) begin(t chat.Thread) (err error) {
	in.begun = true
	if in.id != "" {
		t.ID = in.id
	}
	t.Messages, t.Last = 0, 0
	in.thread, err = newThreadRow(t)
	return err
}

func (in *threadImport) add(l messageLine) error {
	m := chat.Message{Seq: l.Seq, Time: l.Time, Partial: l.Partial, Message: l.Message}
	rows, err := messageRowsOf([]chat.Message{m})
	if err != nil {
		return err
	}
	if l.Seq <= in.thread.Last {
		return fmt.Errorf("%w: message %d after message %d", ErrInvalid, l.Seq, in.thread.Last)
	}
	in.messages = append(in.messages, rows[0])
	in.thread.Last, in.thread.maxSeq = l.Seq, l.Seq
	in.thread.Messages++
	return nil
}

// keep stores what was read.
func (in *threadImport) keep(tx *sql.Tx) error {
	if err := in.thread.add(tx); err != nil {
		return err
	}
	for i := range in.messages {
		in.messages[i].thread = in.thread.key
		if err := in.messages[i].add(tx); err != nil {
			return err
		}
	}
	if in.summary == nil {
		return nil
	}
	return putSummary(tx, in.thread, *in.summary)
}
