package live

import (
	"bufio"
	"cmp"
	"context"
	_ "embed" // the conversation
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

//go:embed conversation.json
var conversation []byte

// conversationModule is the module that the conversation is about and that its pastes are from.
const conversationModule = "golang.org/x/time"

// A turn is a message of the user, and what is known of its answer.
type turn struct {
	Say   string   `json:"say"`
	Paste *paste   `json:"paste,omitempty"`
	Given string   `json:"given"`           // the answer, where the model does not give it
	Words []string `json:"words,omitempty"` // as in a question; none: the answer is not checked
	Not   []string `json:"not,omitempty"`
}

// A paste is a part of a file, with a line of our own in its middle.
type paste struct {
	File  string `json:"file"`
	From  int    `json:"from"` // first line, from 1
	Lines int    `json:"lines"`
	Plant string `json:"plant"`
}

// script is the conversation: its turns, the rule that every answer must obey, and what a summary should hold.
type script struct {
	Rule  string   `json:"rule"` // a regular expression
	Keep  []string `json:"keep"` // regular expressions that a summary should match, ignoring case
	Old   string   `json:"old"`  // no line of a summary should match this and not New
	New   string   `json:"new"`
	Turns []turn   `json:"turns"`
}

// checked counts the turns whose answers are checked.
func (s *script) checked() (n int) {
	for _, t := range s.Turns {
		if len(t.Words) > 0 {
			n++
		}
	}
	return n
}

// A turnRow is the outcome of a turn that was checked.
type turnRow struct {
	origin
	Turn   int    `json:"turn"`
	Say    string `json:"say"`
	Fact   bool   `json:"fact"` // the answer has the words
	Obeyed bool   `json:"obeyed"`
	cost
	Stop   string `json:"stop"`
	Error  string `json:"error,omitempty"`
	Answer string `json:"answer"`
}

// conversation holds the conversation in a new thread.
func (s *session) conversation(ctx context.Context) error {
	if s.Chat == nil {
		return nil
	}
	var all script
	if err := json.Unmarshal(conversation, &all); err != nil {
		return fmt.Errorf("the conversation: %w", err)
	}
	if t := s.earlier.turns; len(t) > 0 && t[len(t)-1].Turn == len(all.Turns) {
		s.report.Turns = t
		return nil
	}
	tapped := &tap{log: s.Transcripts}
	c, closeChat, err := s.Chat(ctx, s.dirs[conversationModule], func(m providers.Model) providers.Model {
		tapped.Model = m
		return tapped
	})
	if err != nil {
		return fmt.Errorf("opening the conversation: %w", err)
	}
	err = s.talk(ctx, c, tapped, &all)
	return errors.Join(err, closeChat())
}

func (s *session) talk(ctx context.Context, c *chat.Chat, tapped *tap, all *script) error {
	thread, err := c.Create(ctx, chat.Thread{Title: "live", User: "live"}) // with a user, as foray chat has one
	if err != nil {
		return fmt.Errorf("creating the thread: %w", err)
	}
	left := all.checked()
	for i, t := range all.Turns {
		say, err := t.text(s.dirs[conversationModule])
		if err != nil {
			return fmt.Errorf("turn %d: %w", i+1, err)
		}
		g := given{say, t.Given}
		if checked := len(t.Words) > 0 && left <= cmp.Or(s.Checked, left); checked || s.Whole {
			g = given{}
		}
		if len(t.Words) > 0 {
			left--
		}
		tapped.reset(g)
		s.transcript("==== turn %d: %s\n\n", i+1, t.Say)
		var answer *chat.Turn
		bound := s.Timeout
		if g.answer != "" {
			bound = 0 // it may wait for a summary in the background
		}
		took := s.within(ctx, bound, func(ctx context.Context) { answer, err = c.Do(ctx, thread.ID, say) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if g.answer != "" || len(t.Words) == 0 {
			if err != nil && g.answer != "" {
				return fmt.Errorf("turn %d, with a given answer: %w", i+1, err)
			}
			continue
		}
		row := turnRow{origin: s.origin("turn"), Turn: i + 1, Say: t.Say, cost: costOf(tapped.reset(given{}), took)}
		row.judge(&t, all.Rule, answer, err)
		s.report.Turns = append(s.report.Turns, row)
		err = s.row(row, "turn %d of %d: fact %s, rule %s, %.0f s", i+1, len(all.Turns), yesNo(row.Fact), yesNo(row.Obeyed),
			row.Seconds)
		if err != nil {
			return err
		}
	}
	return nil
}

// judge grades an answer.
func (r *turnRow) judge(t *turn, rule string, answer *chat.Turn, err error) {
	if err != nil {
		r.Error = err.Error()
	}
	if answer == nil {
		return
	}
	r.Answer = answer.Text
	if answer.Result != nil {
		r.Stop = string(answer.Result.Stop)
	}
	q := question{ID: "turn", Module: conversationModule, Ask: t.Say, Words: append([]string{""}, t.Words...), Not: t.Not}
	obeys := question{ID: "rule", Module: conversationModule, Ask: t.Say, Words: []string{rule}}
	if q.compile() == nil && obeys.compile() == nil {
		r.Fact, _ = q.says(answer.Text)
		r.Obeyed, _ = obeys.says(answer.Text)
	}
}

// text returns what the user says: the sentence, and after it the paste.
func (t *turn) text(dir string) (string, error) {
	if t.Paste == nil {
		return t.Say, nil
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(t.Paste.File)))
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	b.WriteString(t.Say + "\n\n")
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if n++; n >= t.Paste.From && n < t.Paste.From+t.Paste.Lines {
			b.WriteString(lines.Text() + "\n")
		}
		if n == t.Paste.From+t.Paste.Lines/2 {
			b.WriteString(t.Paste.Plant + "\n")
		}
	}
	return b.String(), nil
}

func yesNo(is bool) string { return or(is, "yes", "no") }

func (r *Report) turnTable() evals.Table {
	t := evals.Table{Title: fmt.Sprintf("Conversation: %s, window %s", r.Model, line.Number(r.Window)),
		Columns: []string{"turn", "asked", "answered as said", "rule obeyed", "s", "requests", "read", "written", "stop"}}
	facts, obeyed := 0, 0
	for _, row := range r.Turns {
		if row.Fact {
			facts++
		}
		if row.Obeyed {
			obeyed++
		}
		t.Rows = append(t.Rows, append([]string{strconv.Itoa(row.Turn), row.Say, yesNo(row.Fact), yesNo(row.Obeyed)},
			append(row.cells(), or(row.Error != "", "error: "+row.Error, row.Stop))...))
	}
	last := r.Turns[len(r.Turns)-1]
	t.Note = fmt.Sprintf("Of %d answers of the model, %d say what was said before, and %d obey the rule of turn 2. Obeyed at "+
		"turn %d: %s.", len(r.Turns), facts, obeyed, last.Turn, yesNo(last.Obeyed))
	return t
}
