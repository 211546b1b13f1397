package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/report"
)

// A reply is an answer, and what it took.
type reply struct {
	Answer  *report.Report `json:"answer"`
	Unused  string         `json:"unused,omitempty"` // why a model's own answer was not used
	Seconds float64        `json:"seconds"`
}

// A kept reply is a row of the file that resumes an interrupted run.
type kept struct {
	Model  string `json:"model"`
	Window int    `json:"window"` // tokens
	Mode   string `json:"mode"`
	ID     string `json:"id"`
	reply
}

func (k *kept) key() string { return k.Mode + " " + k.ID }

// A ledger asks, keeps the replies, and says how far it is.
type ledger struct {
	Config
	total int

	earlier map[string]reply // by mode and id

	mu          sync.Mutex // guards what follows, and the writers
	done, asked int
	spent       time.Duration
	failed      error // of writing a row
}

// parse reads the rows of an interrupted run. It leaves out a torn last line.
func (l *ledger) parse() error {
	l.earlier = make(map[string]reply)
	number := 0
	for text := range bytes.Lines(l.Earlier) {
		number++
		var k kept
		if err := json.Unmarshal(text, &k); err != nil {
			if !bytes.HasSuffix(text, []byte("\n")) {
				break
			}
			return fmt.Errorf("line %d of the rows: %w", number, err)
		}
		if k.Model == l.Model && k.Window == l.Window {
			l.earlier[k.key()] = k.reply
		}
	}
	return nil
}

// reply returns the earlier reply to a question, or asks it.
func (l *ledger) reply(ctx context.Context, q *Question, mode string) (reply, error) {
	if l.Now == nil {
		answer, unused, err := l.ask(ctx, q, mode)
		return reply{Answer: answer, Unused: unused}, err
	}
	k := kept{Model: l.Model, Window: l.Window, Mode: mode, ID: q.ID}
	known, ok := l.earlier[k.key()]
	started := l.Now()
	var err error
	if !ok {
		known.Answer, known.Unused, err = l.ask(ctx, q, mode)
		known.Seconds = rounded(l.Now().Sub(started).Seconds())
	}
	k.reply = known
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	switch {
	case ok:
		return known, nil
	case err != nil || ctx.Err() != nil:
		return known, errors.Join(err, ctx.Err()) // asked again by the next run
	}
	l.asked++
	l.spent += l.Now().Sub(started)
	if l.Say != nil {
		l.Say(l.progress(q, mode, known))
	}
	if l.Rows != nil && l.failed == nil {
		if err := json.NewEncoder(l.Rows).Encode(k); err != nil {
			l.failed = fmt.Errorf("writing a row: %w", err)
		}
	}
	return known, nil
}

// progress says how an answer did, and how long the rest may take.
func (l *ledger) progress(q *Question, mode string, r reply) string {
	how := "wrong"
	s := scoreOf(q, r.Answer)
	if s.values[hit1]+s.values[saidAbsent] > 0 {
		how = "right"
	}
	if r.Unused != "" {
		how += " without the model"
	}
	left := time.Duration(float64(l.spent) / float64(l.asked) * float64(l.total-l.done))
	return fmt.Sprintf("%d of %d, %s (%s): %s, %.0f s; about %s left", l.done, l.total, line.Flat(q.ID), mode, how,
		r.Seconds, left.Round(time.Second))
}
