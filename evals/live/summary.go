package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/summary"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/toollimit"
)

// A summaryRow says what a summary of the conversation holds in the end.
type summaryRow struct {
	origin
	By     string   `json:"by"`     // the model or rules
	Wanted int      `json:"wanted"` // statements of the user
	Missed []string `json:"missed"` // the expressions of those that it does not hold
	Stale  bool     `json:"stale"`  // it holds what was taken back
	Tokens int      `json:"tokens"` // of it, estimated
	Failed int64    `json:"failed"` // answers of the model that did not come or were refused
	cost
	Text string `json:"text"`
}

// summaries has the conversation summarised as it grows, by the model and by rules.
func (s *session) summaries(ctx context.Context) error {
	if s.Ask == nil {
		return nil
	}
	var all script
	if err := json.Unmarshal(conversation, &all); err != nil {
		return fmt.Errorf("the conversation: %w", err)
	}
	tapped := &tap{Model: s.Model, log: s.Transcripts}
	for _, by := range []struct {
		name string
		ask  memory.Ask
	}{{s.report.Model, s.Ask(tapped)}, {withoutModel, nil}} {
		row, ok := s.earlier.summaries[by.name]
		if !ok {
			var err error
			if row, err = s.summary(ctx, by.name, by.ask, tapped, &all); err != nil {
				return fmt.Errorf("summary by %s: %w", by.name, err)
			}
			err = s.row(row, "summary by %s: %d of %d, %d tokens, %.0f s", by.name, row.held(), row.Wanted, row.Tokens,
				row.Seconds)
			if err != nil {
				return err
			}
		}
		s.report.Summaries = append(s.report.Summaries, row)
	}
	return nil
}

func (r *summaryRow) held() int { return r.Wanted - len(r.Missed) }

func (s *session) summary(ctx context.Context, by string, ask memory.Ask, tapped *tap,
	all *script) (summaryRow, error) {
	row := summaryRow{origin: s.origin("summary"), By: by}
	s.transcript("==== summary by %s\n\n", by)
	var u *summary.Updater
	var err error
	took := s.within(ctx, 0, func(ctx context.Context) { u, err = s.summarise(ctx, ask, all) })
	if u != nil {
		defer u.Close()
	}
	if err != nil {
		return row, err
	}
	got, err := u.Get(ctx, "live")
	if err != nil {
		return row, err
	}
	row.Text, row.Tokens, row.Failed = got.Text, toollimit.Tokens(got.Text), u.Counts().Failures
	row.cost = costOf(tapped.reset(given{}), took)
	return row, row.judge(all)
}

// summarise plays the conversation and has each ten messages summarised, as a chat does.
func (s *session) summarise(ctx context.Context, ask memory.Ask, all *script) (*summary.Updater, error) {
	var said []summary.Message
	u, err := summary.New(summary.Config{Ask: ask, Prompt: s.Model.Info().Window / 3, Timeout: s.Timeout,
		Log: func(_ context.Context, _ string, seq int64, limit int) ([]summary.Message, error) {
			return said[seq:min(len(said), int(seq)+limit)], nil
		}})
	if err != nil {
		return nil, err
	}
	say := func(role transcript.Role, text string) {
		said = append(said, summary.Message{Seq: int64(len(said) + 1), Message: transcript.Message{Role: role, Text: text}})
	}
	for turns := range slices.Chunk(all.Turns, 5) {
		for _, t := range turns {
			text, err := t.text(s.dirs[conversationModule])
			if err != nil {
				return u, err
			}
			say(transcript.User, text)
			say(transcript.Assistant, t.Given)
		}
		if _, err := u.Force(ctx, "live"); err != nil {
			return u, err
		}
	}
	return u, nil
}

// judge looks for what the summary should hold.
func (r *summaryRow) judge(all *script) error {
	want, err := compileAll(all.Keep)
	if err != nil {
		return err
	}
	values, err := compileAll([]string{all.Old, all.New})
	if err != nil {
		return err
	}
	r.Wanted, r.Missed = len(want), []string{}
	for i, w := range want {
		if !w.MatchString(r.Text) {
			r.Missed = append(r.Missed, all.Keep[i])
		}
	}
	for line := range strings.Lines(r.Text) {
		r.Stale = r.Stale || values[0].MatchString(line) && !values[1].MatchString(line)
	}
	return nil
}

func (r *Report) summaryTable() evals.Table {
	t := evals.Table{Title: "Summary of the conversation: " + r.Model,
		Note:    "What the user said that the summary holds in the end, whether it holds what was taken back, and its size.",
		Columns: []string{"by", "held", "taken back", "tokens", "refused", "s", "requests", "read", "written"}}
	for _, row := range r.Summaries {
		t.Rows = append(t.Rows, append([]string{row.By, fmt.Sprint(row.held(), " of ", row.Wanted), yesNo(row.Stale),
			strconv.Itoa(row.Tokens), strconv.FormatInt(row.Failed, 10)}, row.cells()...))
	}
	return t
}
