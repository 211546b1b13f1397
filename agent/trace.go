package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// The events of a trace that its reader looks at.
const (
	eventStarted = "started"
	eventEntries = "entries"
	eventRequest = "request"
	eventDone    = "done"
)

// Trace yields the events of a run as they are and writes each but ToolProgressed, before it is yielded, to w as one line
// of JSON, a TraceLine, by one call of Write. ReadTrace rebuilds every request from the lines. The first error of writing
// is told as one more event, Warned, and in the warnings of the result; nothing is written after it, and the run goes on.
// Keys are in no event; what the tools read is.
func Trace(events iter.Seq2[Event, error], w io.Writer) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t := tracer{w: w}
		for e, err := range events {
			if failed := t.write(traceLine(e, err)); failed != nil {
				t.failed = fmt.Sprintf("the trace ends at line %d: %v", t.line.Seq, failed)
				if !yield(WarningRaised{Agent: t.line.Agent, Step: t.line.Step, Warning: t.failed}, nil) {
					return
				}
			}
			if done, ok := e.(RunFinished); ok && t.failed != "" {
				done.Result.Warnings = append(done.Result.Warnings, t.failed)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// A tracer writes lines.
type tracer struct {
	w       io.Writer
	started time.Time
	line    TraceLine // the last
	failed  string    // why no more is written
}

func (t *tracer) write(line TraceLine) error {
	if t.failed != "" || line.Event == "" {
		return nil
	}
	now := time.Now()
	if t.started.IsZero() {
		t.started = now
	}
	line.Seq, line.MS = t.line.Seq+1, now.Sub(t.started).Milliseconds()
	if line.Event == eventStarted {
		utc := now.UTC()
		line.Time = &utc
	}
	t.line = line
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return err
	}
	n, err := t.w.Write(b.Bytes())
	if err == nil && n < b.Len() {
		err = io.ErrShortWrite
	}
	return err
}

// hashOf is how a trace tells messages: SHA-256 of their JSON, in hex.
func hashOf(messages []transcript.Message) string {
	raw, err := json.Marshal(messages)
	if err != nil {
		return err.Error() // a message always encodes
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
