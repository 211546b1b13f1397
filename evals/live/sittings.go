package live

import (
	"context"
	_ "embed" // the stories
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/providers"
)

//go:embed sittings.json
var sittings []byte

// A story is a conversation in several sittings, each a thread of its own: only memories lead from one to the next.
type story struct {
	Name     string   `json:"name"`
	Sittings [][]turn `json:"sittings"`
}

// A sittingRow is the outcome of a message.
type sittingRow struct {
	origin
	Story   string `json:"story"`
	Sitting int    `json:"sitting"` // from 1
	Number  int    `json:"number"`  // of the message in the sitting, from 1
	Say     string `json:"say"`
	Checked bool   `json:"checked"`
	Right   bool   `json:"right"` // the answer has the words
	cost
	Stop   string `json:"stop"`
	Error  string `json:"error,omitempty"`
	Answer string `json:"answer"`
	// Memories are those after the sitting, in its last row; superseded ones begin with "was: ".
	Memories []string `json:"memories,omitempty"`
}

func (r *sittingRow) key() string { return fmt.Sprintf("%s %d.%d", r.Story, r.Sitting, r.Number) }

// sit holds each story, in a database of its own.
func (s *session) sit(ctx context.Context) error {
	if s.Sit == nil {
		return nil
	}
	var all []story
	if err := json.Unmarshal(sittings, &all); err != nil {
		return fmt.Errorf("the sittings: %w", err)
	}
	for _, st := range all {
		rows, done := s.earlier.story(&st)
		if !done {
			var err error
			if rows, err = s.hold(ctx, &st); err != nil {
				return fmt.Errorf("the sittings of %q: %w", st.Name, err)
			}
			for _, row := range rows {
				if err := s.row(row, "%s, sitting %d: %s", row.Story, row.Sitting, row.outcome()); err != nil {
					return err
				}
			}
		}
		s.report.Sittings = append(s.report.Sittings, rows...)
	}
	return nil
}

// story returns the rows of a story, and whether they are complete.
func (e *earlier) story(st *story) (rows []sittingRow, done bool) {
	for i, turns := range st.Sittings {
		for j := range turns {
			row, ok := e.sittings[(&sittingRow{Story: st.Name, Sitting: i + 1, Number: j + 1}).key()]
			if !ok {
				return nil, false
			}
			rows = append(rows, row)
		}
	}
	return rows, true
}

// hold holds the sittings of a story. Each opens the conversation anew, as a person does on another day.
func (s *session) hold(ctx context.Context, st *story) (rows []sittingRow, err error) {
	scratch, err := os.MkdirTemp("", "foray-sittings-")
	if err != nil {
		return nil, fmt.Errorf("a directory for the database: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	for i, turns := range st.Sittings {
		tapped := &tap{log: s.Transcripts}
		c, closeChat, err := s.Sit(ctx, s.dirs[conversationModule], scratch, func(m providers.Model) providers.Model {
			tapped.Model = m
			return tapped
		})
		if err != nil {
			return nil, fmt.Errorf("opening the conversation: %w", err)
		}
		s.transcript("==== %s, sitting %d\n\n", st.Name, i+1)
		said, err := s.say(ctx, c, tapped, turns)
		memories, closing := closeChat() // waits for what is remembered
		if err := errors.Join(err, closing); err != nil {
			return nil, err
		}
		for j := range said {
			said[j].Story, said[j].Sitting, said[j].Number = st.Name, i+1, j+1
		}
		for _, m := range memories {
			said[len(said)-1].Memories = append(said[len(said)-1].Memories, content(m))
		}
		rows = append(rows, said...)
	}
	return rows, nil
}

func content(m longterm.Memory) string {
	if m.SupersededBy != "" {
		return "was: " + m.Content
	}
	return m.Content
}

// say says the messages of a sitting.
func (s *session) say(ctx context.Context, c *chat.Chat, tapped *tap, turns []turn) (rows []sittingRow, err error) {
	thread, err := c.Create(ctx, chat.Thread{Title: "live", User: "live"})
	if err != nil {
		return nil, fmt.Errorf("creating the thread: %w", err)
	}
	for _, t := range turns {
		tapped.reset(given{})
		var answer *chat.Turn
		took := s.within(ctx, s.Timeout, func(ctx context.Context) { answer, err = c.Do(ctx, thread.ID, t.Say) })
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		judged := turnRow{}
		judged.judge(&t, ".", answer, err)
		rows = append(rows, sittingRow{origin: s.origin("sitting"), Say: t.Say, Checked: len(t.Words) > 0,
			Right: judged.Fact, cost: costOf(tapped.reset(given{}), took), Stop: judged.Stop, Error: judged.Error,
			Answer: judged.Answer})
	}
	return rows, nil
}

// outcome says how a message was answered.
func (r *sittingRow) outcome() string {
	switch {
	case r.Error != "":
		return "error: " + r.Error
	case r.Stop != "answered":
		return r.Stop
	case !r.Checked:
		return "answered"
	}
	return or(r.Right, "right", "wrong")
}

func (r *Report) sittingTable() evals.Table {
	t := evals.Table{Title: "Sittings: " + r.Model, Columns: []string{"story", "sitting", "said", "answer", "outcome",
		"remembered", "s", "requests", "read", "written"}}
	checked, correct, answered := 0, 0, 0
	for _, row := range r.Sittings {
		t.Rows = append(t.Rows, append([]string{row.Story, fmt.Sprint(row.Sitting), row.Say, row.Answer, row.outcome(),
			strings.Join(row.Memories, " / ")}, row.cells()...))
		if row.Error == "" && row.Stop == "answered" {
			answered++
		}
		if row.Checked {
			checked++
		}
		if row.Checked && row.Right {
			correct++
		}
	}
	t.Note = fmt.Sprintf("Of %d messages, %d are answered; of %d whose answers are known, %d are right.", len(r.Sittings),
		answered, checked, correct)
	return t
}
