package providertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/forayhq/foray/providers"
)

// A Turn is one answer that a case wants the model to get from its service, in no dialect's words. What a service of
// the dialect cannot say, it leaves out, and names it in Suite.
type Turn struct {
	Reasoning []string // pieces, each an event of its own
	Text      []string // pieces, each an event of its own
	Calls     []Call
	Signature string          // a text that the service wants back with this answer, as its dialect carries one
	Usage     providers.Usage // the zero value: the service does not say
	Finish    providers.Finish
	Fault     Fault
	Class     providers.Class // the answer is an error of this class, after whatever the turn holds besides
	Wait      time.Duration   // what that error asks to wait, whole seconds
	Limit     int             // Overflow: the limit that the error names, in tokens
	Tokens    int             // Overflow: the request's size that the error names
	Scatter   int             // the wire comes in writes of so many bytes, through runes, lines and events; 0: an event a write

	// Wants are texts that the request must hold, in this order, where it holds them as its dialect does: values of JSON
	// strings, unescaped. A service that misses one answers with an error of class Invalid that names it.
	Wants []string
	Bars  []string // texts that the request must not hold; the same otherwise
}

// A Call is a call that the service makes. Args come in pieces, each an event of its own. The ID may be empty.
type Call struct {
	ID, Name string
	Args     []string
	Late     bool // the ID comes after the first piece of Args, where the dialect can say so
}

// A Fault is a way in which an answer goes wrong.
type Fault string

// The faults. The zero value is none.
const (
	CutOff  Fault = "cut off"       // the connection ends in order, but the answer has no end
	CutCall Fault = "cut in a call" // the same, in the middle of the arguments of the last call
	Hang    Fault = "hang"          // nothing more comes, until the client is gone
)

// Missing returns what is wrong with a request, by the Wants and Bars of its turn; "" when nothing is. Told is what the
// request tells the service: its strings in their order, unescaped.
func Missing(told string, turn Turn) string {
	for _, barred := range turn.Bars {
		if strings.Contains(told, barred) {
			return fmt.Sprintf("the request holds %q", barred)
		}
	}
	rest := told
	for _, want := range turn.Wants {
		_, after, found := strings.Cut(rest, want)
		switch {
		case found:
			rest = after
		case strings.Contains(told, want):
			return fmt.Sprintf("the request holds %q too early", want)
		default:
			return fmt.Sprintf("the request lacks %q", want)
		}
	}
	return ""
}
