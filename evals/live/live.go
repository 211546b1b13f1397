package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools/report"
)

// A Config says which model is asked what. [Config.Load] adds the questions. Without it, and without Chat, Ask, Sit and
// Forms, these parts are left out.
type Config struct {
	Model   providers.Model
	Dir     string        // the directory of the go.mod that names the modules
	Timeout time.Duration // bound of a question, a turn and a call; 0: none

	// Chat opens a conversation over a directory, with the model that wrap makes of its own, and returns a function that
	// closes it.
	Chat    func(ctx context.Context, dir string, wrap func(providers.Model) providers.Model) (*chat.Chat, func() error, error)
	Checked int  // how many of the checked turns, the last ones, the model answers; 0: all of them
	Whole   bool // the model answers all turns of the conversation

	// Sit opens a conversation as Chat does, with the database in a directory and a model that extracts memories. The
	// function that closes it waits for these, and returns them all.
	Sit func(ctx context.Context, dir, scratch string, wrap func(providers.Model) providers.Model) (
		*chat.Chat, func() ([]longterm.Memory, error), error)

	// Ask makes of a model what extracts memories and writes summaries.
	Ask func(providers.Model) memory.Ask

	// Forms names the forms of calls to try; Open opens the model with one of them.
	Forms []string
	Open  func(form string) (providers.Model, error)

	Say         func(string) // receives a line for each question, turn and form
	Rows        io.Writer    // receives each row as a JSON line; may be nil
	Earlier     []byte       // the rows of an interrupted run; what they hold of this model is not measured again
	Transcripts io.Writer    // receives each request and answer; may be nil
	Now         func() time.Time

	questions []question // see Load
}

// A session is one run of the suite.
type session struct {
	Config
	report  *Report
	dirs    map[string]string // of the modules
	earlier *earlier
}

// Run asks the questions, with the model and without, then holds the conversation, then has it and exchanges
// remembered, then holds conversations of several sittings, then tries the forms. With an error it returns what was
// measured until then. A run that fails is a row with its error.
func Run(ctx context.Context, c Config) (*Report, error) {
	if c.Model == nil {
		return nil, errors.New("no model to measure")
	}
	s := &session{Config: c, report: newReport(c)}
	var paths []string
	for _, q := range c.questions {
		paths = append(paths, q.Module)
	}
	if c.Chat != nil || c.Ask != nil || c.Sit != nil {
		paths = append(paths, conversationModule)
	}
	slices.Sort(paths)
	var err error
	if s.earlier, err = s.parseEarlier(); err != nil {
		return s.report, err
	}
	if paths = slices.Compact(paths); len(paths) > 0 {
		if s.dirs, err = modules(ctx, c.Dir, paths); err != nil {
			return s.report, err
		}
	}
	for _, part := range []func(context.Context) error{s.ask, s.conversation, s.memories, s.summaries, s.sit, s.forms} {
		if err := part(ctx); err != nil {
			return s.report, err
		}
	}
	return s.report, nil
}

// row writes a row of the report as a JSON line, and says the line of it.
func (s *session) row(row any, format string, args ...any) error {
	if s.Say != nil {
		s.Say(fmt.Sprintf(format, args...))
	}
	if s.Rows == nil {
		return nil
	}
	if err := json.NewEncoder(s.Rows).Encode(row); err != nil {
		return fmt.Errorf("writing a row: %w", err)
	}
	return nil
}

// transcript writes a text between the requests and answers.
func (s *session) transcript(format string, args ...any) {
	if s.Transcripts != nil {
		fmt.Fprintf(s.Transcripts, format, args...)
	}
}

// within calls fn with a context that ends after the bound, unless that is 0, and returns how long fn took.
func (s *session) within(ctx context.Context, bound time.Duration, fn func(context.Context)) time.Duration {
	if bound > 0 {
		bounded, cancel := context.WithTimeout(ctx, bound)
		defer cancel()
		ctx = bounded
	}
	start := s.Now()
	fn(ctx)
	return s.Now().Sub(start)
}

func (s *session) ask(ctx context.Context) error {
	for i := range s.questions {
		q := &s.questions[i]
		if row, ok := s.earlier.questions[q.ID]; ok {
			s.report.Questions = append(s.report.Questions, row)
			continue
		}
		row, err := s.question(ctx, q)
		if err != nil {
			return err
		}
		s.report.Questions = append(s.report.Questions, row)
		err = s.row(row, "question %d of %d, %s: %s, without a model %s, %.0f s", i+1, len(s.questions), q.ID, row.Grade,
			row.Without, row.Seconds)
		if err != nil {
			return err
		}
	}
	return nil
}

// question asks a question with the model and without.
func (s *session) question(ctx context.Context, q *question) (questionRow, error) {
	dir := s.dirs[q.Module]
	row := questionRow{origin: s.origin("question"), ID: q.ID, Module: q.Module, Ask: q.Ask}
	var places []report.Citation
	for _, p := range q.Places {
		at, err := locate(dir, p)
		if err != nil {
			return row, fmt.Errorf("question %s: %s: %w", q.ID, q.Module, err)
		}
		places = append(places, at)
	}
	t, err := explore.Open(ctx, dir, "")
	if err != nil {
		return row, fmt.Errorf("question %s: %w", q.ID, err)
	}
	defer t.Close()
	resolve := func(citation string) error { _, err := t.Resolve(citation); return err }
	s.transcript("==== %s: %s\n\n", q.ID, q.Ask)
	tapped := &tap{Model: s.Model, log: s.Transcripts}
	var plain, with *explore.Result
	if plain, err = t.Run(ctx, nil, q.Ask, nil); err != nil {
		return row, fmt.Errorf("question %s without a model: %w", q.ID, err)
	}
	took := s.within(ctx, 2*s.Timeout, func(ctx context.Context) { // in case the run ignores its own bound
		with, err = t.Run(ctx, tapped, q.Ask, &explore.RunOptions{Time: s.Timeout})
	})
	if ctx.Err() != nil {
		return row, ctx.Err()
	}
	if err != nil {
		row.Error = err.Error()
	}
	without := q.score(answerOf(plain), places, resolve)
	var scored score
	if with != nil {
		scored = q.score(answerOf(with), places, resolve)
		row.Answer, row.Relevant = answerOf(with).text, with.Relevant
		row.Stop, row.Steps = string(with.Run.Stop), with.Run.Steps
		row.Fallback, row.Said = with.Fallback, with.Said
	}
	row.fill(scored, without, tapped.reset(given{}), took, s.Model.Info().Window)
	s.transcript("==== %s ends: %s; without a model %s; %s, %.0f s\n%s\n%s\n\n", q.ID, row.Grade, row.Without, row.stop(),
		row.Seconds, row.Answer, row.Relevant)
	return row, nil
}
