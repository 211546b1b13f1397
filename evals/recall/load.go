package recall

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // for the histories
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/textsearch"
)

// A Source is the conversations of one file with the questions about them.
type Source struct {
	Name          string // that of the file up to the first dot
	File          string // its path; "" for the histories of this package
	conversations []*conversation
	undated       []string // dates of unknown form
}

// A conversation is a history and the questions about it.
type conversation struct {
	id        string
	turns     []textsearch.Turn
	questions []question
}

// A question is asked about a conversation. The evidence is the ids of the turns that answer it.
type question struct {
	text     string
	category string
	evidence []string
}

//go:embed histories/chinese.jsonl
var chineseHistories []byte

// chinese returns the histories of this folder.
func chinese() (*Source, error) {
	s := &Source{Name: "chinese"}
	for line := range bytes.Lines(chineseHistories) {
		c, err := s.parse(line)
		if err != nil {
			return nil, fmt.Errorf("reading the Chinese histories: %w", err)
		}
		s.conversations = append(s.conversations, c)
	}
	return s, nil
}

// Load reads conversations from files of JSON lines, or folders of them, as [evals.EachLine] does. Each file is a
// source; the Chinese histories of this package are the last one. Lines that do not parse and sources without evidence
// are named in skipped. Paths without a question that has evidence are an error.
func Load(ctx context.Context, paths ...string) (sources []*Source, skipped []string, err error) {
	byFile := make(map[string]*Source)
	names := make(map[string]bool)
	skipped, err = evals.EachLine(ctx, paths, func(file string, line []byte) error {
		s := byFile[file]
		if s == nil {
			s = &Source{File: file}
			if s.Name, _, _ = strings.Cut(filepath.Base(file), "."); names[s.Name] {
				s.Name = file
			}
			byFile[file], names[s.Name] = s, true
			sources = append(sources, s)
		}
		c, err := s.parse(line)
		if err == nil {
			s.conversations = append(s.conversations, c)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var answered []*Source
	for _, s := range sources {
		switch {
		case s.hasEvidence():
			answered = append(answered, s)
		case len(s.conversations) > 0:
			skipped = append(skipped, s.Name+": no question has evidence")
		}
	}
	switch {
	case len(paths) == 0 || len(answered) > 0:
	case len(skipped) > 0:
		return nil, nil, fmt.Errorf("no question with evidence in the data: %s", skipped[0])
	default:
		return nil, nil, errors.New("no question with evidence in the data")
	}
	own, err := chinese()
	return append(answered, own), skipped, err
}

func (s *Source) hasEvidence() bool {
	return slices.ContainsFunc(s.conversations, func(c *conversation) bool {
		return slices.ContainsFunc(c.questions, func(q question) bool { return len(q.evidence) > 0 })
	})
}

// A recorded conversation is one line of the data.
type recorded struct {
	ID       string `json:"id"`
	Sessions []struct {
		Date  string `json:"date"`
		Turns []struct {
			ID      string `json:"dia_id"`
			Speaker string `json:"speaker"`
			Text    string `json:"text"`
			Caption string `json:"caption"`
		} `json:"turns"`
	} `json:"sessions"`
	Questions []struct {
		Text     string          `json:"question"`
		Category json.RawMessage `json:"category"`
		Name     string          `json:"category_name"`
		Evidence []string        `json:"evidence"`
	} `json:"qa"`
}

// parse returns the conversation of a line. A session whose date has an unknown form has none.
func (s *Source) parse(line []byte) (*conversation, error) {
	var r recorded
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	c := &conversation{id: cmp.Or(r.ID, strconv.Itoa(len(s.conversations)+1))}
	var undated []string
	for i, talk := range r.Sessions {
		at, known := date(talk.Date)
		if !known {
			undated = append(undated, talk.Date)
		}
		for _, t := range talk.Turns {
			text := strings.TrimSpace(t.Text + " " + t.Caption)
			session := fmt.Sprint(i + 1)
			c.turns = append(c.turns, textsearch.Turn{ID: t.ID, Session: session, Speaker: t.Speaker, Text: text, At: at})
		}
	}
	if len(c.turns) == 0 {
		return nil, errors.New("no turns")
	}
	for _, q := range r.Questions {
		c.questions = append(c.questions, question{q.Text, category(q.Name, q.Category), q.Evidence})
	}
	s.undated = append(s.undated, undated...)
	return c, nil
}

// category returns the name of a category; without one its raw value, such as a number; else "none".
func category(name string, raw json.RawMessage) string {
	if name != "" {
		return name
	}
	if text := strings.Trim(string(raw), `"`); text != "" && text != "null" {
		return text
	}
	return "none"
}

// layouts are the formats of a session's date.
var layouts = []string{
	"3:04 pm on 2 January, 2006", "2006-01-02", time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006年1月2日",
	"2 January, 2006", "2 January 2006", "January 2, 2006", "January-2-2006", "Jan 2, 2006", "2006/01/02", "02.01.2006",
}

// date parses the date of a session. Without one it returns the zero time.
func date(text string) (at time.Time, known bool) {
	text = strings.TrimSpace(text)
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, text == ""
}
