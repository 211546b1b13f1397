package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals/internal/planted"
)

// A canary check looks for something that was said early, in the last request or in the answer.
type canary struct {
	head
	said
	In   string `json:"in"`   // view or answer; empty: the answer, or the view if the subject does not answer
	Gone *said  `json:"gone"` // what it superseded, which must not hold any more

	now, old *planted.Statement
}

// A said is a sentence by what must stay of it.
type said struct {
	Text    string `json:"text"`    // the sentence: how far its words may be apart
	Subject string `json:"subject"` // what it is about, and
	Value   string `json:"value"`   // what it says about that
	Words   texts  `json:"words"`   // others that decide
}

func (s *said) statement() (*planted.Statement, error) {
	if s.Value == "" {
		return nil, errors.New("value is missing: the word that must not be lost")
	}
	others := strings.Fields(s.Subject + " " + strings.Join(s.Words, " "))
	others = slices.DeleteFunc(others, func(word string) bool { return word == s.Value })
	words, text := append(others, s.Value), s.Text
	if text == "" {
		text = strings.Repeat(strings.Join(words, " ")+" ", 2) // as many other words between them
	}
	return &planted.Statement{Text: text, Value: s.Value, Words: words}, nil
}

func (c *canary) prepare(*Options) (err error) {
	if c.In != "" && c.In != "view" && c.In != "answer" {
		return fmt.Errorf("in is %q: it must be view or answer", c.In)
	}
	if c.now, err = c.statement(); err == nil && c.Gone != nil {
		if c.old, err = c.Gone.statement(); err != nil {
			err = fmt.Errorf("gone: %w", err)
		}
	}
	return err
}

func (c *canary) judge(_ context.Context, o *Outcome) (Verdict, error) {
	shows := o.Stop == "" || o.Stop == "played" || o.Stop == "recorded" // a subject that never answers
	if c.In == "answer" || c.In == "" && !(shows && o.Answer == "") {
		return c.answered(o.Answer), nil
	}
	if len(o.View) == 0 {
		return Verdict{}, errors.New("the subject shows no view: give it a model, or one of the policies as a subject")
	}
	v := c.now.Judge(c.old, planted.Lines(o.View, func(m *transcript.Message) bool {
		return m.Origin != transcript.Runtime
	}))
	switch {
	case v.OnlyOld || v.Stale:
		return no("the view shows %s, which %s superseded", shown(c.Gone.Value), shown(c.Value)), nil
	case v.Wrong:
		return no("the view marks %s as replaced, but nothing replaced it", shown(c.Value)), nil
	case !v.Alive:
		return no("no line of the view has together: %s", strings.Join(c.now.Words, ", ")), nil
	}
	return yes(), nil
}

// answered judges an answer, whose question has the other words.
func (c *canary) answered(answer string) Verdict {
	lower := strings.ToLower(answer)
	switch {
	case planted.HasToken(lower, strings.ToLower(c.Value)):
		return yes()
	case c.Gone != nil && planted.HasToken(lower, strings.ToLower(c.Gone.Value)):
		return no("the answer has %s, which %s superseded", shown(c.Gone.Value), shown(c.Value))
	}
	return no("the answer lacks %s", shown(c.Value))
}
