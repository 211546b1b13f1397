package trace

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/forayhq/foray/agent"
	safe "github.com/forayhq/foray/internal/line"
)

// Write passes on the events of a run. Before it yields one, it writes it to w as one line of JSON, by one call of
// Write. If writing fails, the run continues without a trace: the error becomes an [agent.WarningRaised] event and a
// warning of the result.
func Write(events iter.Seq2[agent.Event, error], w io.Writer) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		t := writer{w: w}
		for e, err := range events {
			if failed := t.write(lineOf(e, err)); failed != nil {
				t.failed = fmt.Sprintf("the trace ends at line %d: %v", t.line.Seq, failed)
				if !yield(agent.WarningRaised{Agent: t.line.Agent, Step: t.line.Step, Warning: t.failed}, nil) {
					return
				}
			}
			if done, ok := e.(agent.RunFinished); ok && t.failed != "" {
				done.Result.Warnings = append(done.Result.Warnings, t.failed)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// A writer writes the lines of one trace.
type writer struct {
	w       io.Writer
	started time.Time
	line    line   // the last one
	failed  string // why writing stopped
}

func (t *writer) write(l line) error {
	if t.failed != "" || l.Event == "" {
		return nil
	}
	now := time.Now()
	if t.started.IsZero() {
		t.started = now
	}
	l.Seq, l.MS = t.line.Seq+1, now.Sub(t.started).Milliseconds()
	if l.Event == eventStarted {
		utc := now.UTC()
		l.Time = &utc
	}
	t.line = l
	var b bytes.Buffer
	if err := safe.WriteJSON(&b, l, ""); err != nil {
		return err
	}
	n, err := t.w.Write(b.Bytes())
	if err == nil && n < b.Len() {
		err = io.ErrShortWrite
	}
	return err
}
