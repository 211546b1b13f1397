package wire

import (
	"fmt"
	"io"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// Bounds on one answer. They protect the memory of a client whose server does not end what it sends. Honest answers
// stay far below them: their output limit is at most a few hundred thousand tokens.
const (
	maxText  = 8 << 20   // bytes of text and reasoning
	maxEvent = 8 << 20   // bytes of one event
	maxCall  = 4 << 20   // bytes of one call: its id, name and arguments
	maxHeld  = 8 << 20   // bytes that an answer holds until its end: all calls, and what the service wants back
	maxCalls = 512       // calls
	maxBody  = 128 << 20 // bytes of the body, after decompression

	maxEvents = 300_000 // events; an honest one has a token or more
	maxValues = 100_000 // JSON values in one event: decoded, a value of two bytes takes a hundred
)

const mega = 1 << 20

// TooLong returns the error of an answer that exceeds a bound. What and whose bound is in the cause, as in "its text is
// longer than 8 MB".
func (r *Reporter) TooLong(cause string) *providers.Error {
	return r.Error(providers.TooLong, "the server does not end its answer: "+cause)
}

// A Held counts what an answer holds until its end. The zero value holds nothing.
type Held struct{ bytes, calls int }

// Begin counts n new calls, or items of an answer.
func (h *Held) Begin(r *Reporter, n int) error {
	if h.calls += n; h.calls > maxCalls {
		return r.TooLong(fmt.Sprintf("it makes more than %d calls", maxCalls))
	}
	return nil
}

// Add counts n more bytes of a call, or of other data, that has size bytes now.
func (h *Held) Add(r *Reporter, n, size int) error {
	h.bytes += n
	switch {
	case size > maxCall:
		return r.TooLong(fmt.Sprintf("one call is longer than %d MB", maxCall/mega))
	case h.bytes > maxHeld:
		return r.TooLong(fmt.Sprintf("its calls and data are longer than %d MB", maxHeld/mega))
	}
	return nil
}

// Calls counts calls that arrived whole.
func (h *Held) Calls(r *Reporter, calls []transcript.ToolCall) error {
	if err := h.Begin(r, len(calls)); err != nil {
		return err
	}
	for _, c := range calls {
		size := len(c.ID) + len(c.Name) + len(c.Args)
		if err := h.Add(r, size, size); err != nil {
			return err
		}
	}
	return nil
}

// countValues returns how many values JSON has, about. It does not count those of a short text.
func countValues(raw []byte) (n int) {
	if len(raw) < maxValues {
		return 0
	}
	inside, escaped := false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case inside && b == '\\':
			escaped = true
		case b == '"':
			inside = !inside
		case !inside && (b == ',' || b == '[' || b == '{'):
			n++
		}
	}
	return n
}

// A Bounded reads at most Left bytes, and then fails with TooLong. A caller that reads value by value resets Left.
type Bounded struct {
	io.Reader
	Left    int
	TooLong error
}

// Read fails for a body that is longer than its bound, and not for one that ends there.
func (b *Bounded) Read(p []byte) (int, error) {
	if b.Left < 0 {
		return 0, b.TooLong
	}
	n, err := b.Reader.Read(p[:min(len(p), b.Left+1)])
	if b.Left -= n; b.Left < 0 {
		return n - 1, b.TooLong
	}
	return n, err
}
