package providertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
)

// A Turn is one answer of the service, independent of the dialect. A service leaves out what its dialect lacks, and the
// [Suite] says so.
type Turn struct {
	Reasoning []string // one event each
	Text      []string // one event each
	Calls     []Call
	Signature string // a text that the service wants back with this answer

	// Compaction is what the service made of the conversation before it answered; "": it did not compact. It counts
	// Usage.Compacted apart if its dialect does.
	Compaction string

	Usage   providers.Usage // zero: the service does not say
	Finish  providers.Finish
	Fault   Fault
	Class   providers.Class // the answer ends in an error of this class
	Wait    time.Duration   // how long that error asks to wait, in whole seconds
	Limit   int             // Overflow: the limit in the error, in tokens
	Tokens  int             // Overflow: the request's size in the error, in tokens
	Scatter int             // bytes in each write, across runes, lines and events; 0: one event a write

	// Wants are texts that the request must contain in this order, as unescaped values of JSON strings. A service that
	// misses one answers with an error of class Invalid that names it.
	Wants []string
	Bars  []string // texts that the request must not contain; the same otherwise
}

// A Call is a call that the service makes. Each piece of Args is an event. The ID may be empty.
type Call struct {
	ID, Name string
	Args     []string
	Late     bool // the ID follows the first piece of Args, if the dialect can do that
}

// A Fault is a way in which an answer fails.
type Fault string

// The faults. The zero value is none.
const (
	CutOff  Fault = "cut off"       // the connection closes properly, but the answer has no end
	CutCall Fault = "cut in a call" // the same, inside the arguments of the last call
	Hang    Fault = "hang"          // nothing more arrives until the client disconnects
)

// Missing returns how a request violates the Wants and Bars of its turn, or "". Text holds the strings of the request
// in order, unescaped.
func Missing(text string, turn Turn) string {
	for _, barred := range turn.Bars {
		if strings.Contains(text, barred) {
			return fmt.Sprintf("the request holds %q", barred)
		}
	}
	rest := text
	for _, want := range turn.Wants {
		_, after, found := strings.Cut(rest, want)
		switch {
		case found:
			rest = after
		case strings.Contains(text, want):
			return fmt.Sprintf("the request holds %q too early", want)
		default:
			return fmt.Sprintf("the request lacks %q", want)
		}
	}
	return ""
}
