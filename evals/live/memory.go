package live

import (
	"context"
	_ "embed" // the exchanges
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals"
)

//go:embed exchanges.json
var exchanges []byte

// An exchange is a message of a user with its answer, and what should be remembered of it: for each statement a regular
// expression that a memory of it matches, ignoring case.
type exchange struct {
	Half      string   `json:"half"` // seen: the prompt and the checks of answers were made with it in view; held: not
	User      string   `json:"user"`
	Assistant string   `json:"assistant"`
	Want      []string `json:"want"`
}

// A memoryRow says what the model remembers of an exchange, and what rules do.
type memoryRow struct {
	origin
	Number  int    `json:"number"` // of the exchange, from 1
	Half    string `json:"half"`
	Say     string `json:"say"`
	Wanted  int    `json:"wanted"`
	With    kept   `json:"with_model"`
	Without kept   `json:"without_model"`
	cost
	Error string `json:"error,omitempty"`
}

// kept are the memories of an exchange: those that match a statement are right, and each statement that one matches is
// found.
type kept struct {
	Contents []string `json:"contents"`
	Right    int      `json:"right"`
	Found    int      `json:"found"`
}

func (k *kept) judge(memories []longterm.Memory, want []*regexp.Regexp) {
	k.Contents = []string{}
	for _, m := range memories {
		k.Contents = append(k.Contents, m.Content)
		if slices.ContainsFunc(want, func(r *regexp.Regexp) bool { return r.MatchString(m.Content) }) {
			k.Right++
		}
	}
	for _, r := range want {
		if slices.ContainsFunc(k.Contents, r.MatchString) {
			k.Found++
		}
	}
}

// memories has the model extract memories of each exchange, and the rules.
func (s *session) memories(ctx context.Context) error {
	if s.Ask == nil {
		return nil
	}
	var all []exchange
	if err := json.Unmarshal(exchanges, &all); err != nil {
		return fmt.Errorf("the exchanges: %w", err)
	}
	for i, x := range all {
		if row, ok := s.earlier.memories[i+1]; ok {
			s.report.Memories = append(s.report.Memories, row)
			continue
		}
		row, err := s.remember(ctx, i+1, x)
		if err != nil {
			return fmt.Errorf("exchange %d: %w", i+1, err)
		}
		s.report.Memories = append(s.report.Memories, row)
		err = s.row(row, "exchange %d of %d: %d of %d found, %d of %d right, %.0f s", i+1, len(all), row.With.Found,
			row.Wanted, row.With.Right, len(row.With.Contents), row.Seconds)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) remember(ctx context.Context, number int, x exchange) (memoryRow, error) {
	row := memoryRow{origin: s.origin("memory"), Number: number, Half: x.Half, Say: x.User, Wanted: len(x.Want)}
	want, err := compileAll(x.Want)
	if err != nil {
		return row, err
	}
	s.transcript("==== exchange %d: %s\n\n", number, x.User)
	tapped := &tap{Model: s.Model, log: s.Transcripts}
	var with, without []longterm.Memory
	took := s.within(ctx, s.Timeout, func(ctx context.Context) { with, err = s.extract(ctx, s.Ask(tapped), x) })
	if ctx.Err() != nil {
		return row, ctx.Err()
	}
	if err != nil {
		row.Error = err.Error()
	}
	if without, err = s.extract(ctx, nil, x); err != nil {
		return row, err
	}
	row.With.judge(with, want)
	row.Without.judge(without, want)
	row.cost = costOf(tapped.reset(given{}), took)
	return row, nil
}

// extract returns the memories of one exchange, by a model or by rules.
func (s *session) extract(ctx context.Context, ask memory.Ask, x exchange) ([]longterm.Memory, error) {
	l, err := longterm.Open(ctx, nil)
	if err != nil {
		return nil, err
	}
	e, err := longterm.NewExtractor(longterm.ExtractorConfig{Memories: l, Ask: ask, Timeout: max(s.Timeout, time.Hour)})
	if err != nil {
		return nil, err
	}
	found, err := e.Extract(ctx, longterm.Exchange{Question: x.User, Answer: x.Assistant, At: s.Now()})
	return found, errors.Join(err, e.Close(ctx))
}

func (r *Report) memoryTable() evals.Table {
	t := evals.Table{Title: "Memories: " + r.Model, Columns: []string{"said", "memories of the model", "memories of rules",
		"found", "s", "requests", "read", "written"}}
	for _, row := range r.Memories {
		t.Rows = append(t.Rows, append([]string{row.Say, strings.Join(row.With.Contents, " / "),
			strings.Join(row.Without.Contents, " / "), fmt.Sprint(row.With.Found, " of ", row.Wanted)}, row.cells()...))
	}
	var notes []string
	for _, half := range []string{"seen", "held"} {
		notes = append(notes, r.memoryNote(half))
	}
	t.Note = strings.Join(notes, "\n")
	return t
}

// memoryNote sums up the exchanges of one half.
func (r *Report) memoryNote(half string) string {
	var with, without kept
	made, ruled, wanted, failed := 0, 0, 0, 0
	for _, row := range r.Memories {
		if row.Half != half {
			continue
		}
		made, ruled, wanted = made+len(row.With.Contents), ruled+len(row.Without.Contents), wanted+row.Wanted
		with.Right, with.Found = with.Right+row.With.Right, with.Found+row.With.Found
		without.Right, without.Found = without.Right+row.Without.Right, without.Found+row.Without.Found
		if row.Error != "" {
			failed++
		}
	}
	return fmt.Sprintf("%s: of %d statements, the model finds %d and rules %d; of the memories, %d of %d of the model "+
		"are right and %d of %d of rules; answers of the model that could not be used: %d.",
		half, wanted, with.Found, without.Found, with.Right, made, without.Right, ruled, failed)
}
