package scenario

import (
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Row is what one play showed. Sizes are in tokens as [Tokens] counts them.
type Row struct {
	Version string `json:"version,omitempty"` // of the library

	Calls     int    `json:"calls"`               // different pages that the tool returned
	Answered  bool   `json:"answered"`            // the model gave its last text
	Error     string `json:"error,omitempty"`     // with which the library ended the run
	Requests  int    `json:"requests"`            // to the model, refused ones too
	TimedOut  bool   `json:"timed_out,omitempty"` // the play was ended after two minutes
	Refused   int    `json:"refused"`             // for their size, those for a summary too
	Summaries int    `json:"summaries"`           // requests for a summary
	Largest   int    `json:"largest"`             // request

	LargestSummary int `json:"largest_summary"` // request for one

	// Only an audit counts these, in requests to the model, refused ones too.
	Sent    int    `json:"sent"`   // tokens of all requests after the first
	Shared  int    `json:"shared"` // tokens of these that the request before began with
	Fresh   int    `json:"fresh"`  // tokens that no cache has: of all requests, and of those for a summary
	Breaks  int    `json:"breaks"` // requests that do not begin with the whole one before
	NoGoal  int    `json:"no_goal"`
	NoRule  int    `json:"no_rule"`
	Invalid int    `json:"invalid"` // requests that a service refuses for the order of its messages
	Fault   string `json:"fault,omitempty"`

	CPU      float64 `json:"cpu_seconds"` // user and system time
	Allocs   uint64  `json:"allocs"`
	Bytes    uint64  `json:"bytes"`     // allocated
	PeakHeap uint64  `json:"peak_heap"` // bytes of objects above those before the run; seen at requests
}

// Survived reports whether the run ended with every call made and without an error.
func (r *Row) Survived(calls int) bool { return r.Error == "" && r.Answered && r.Calls == calls }

// An audit compares each request with the one before.
type audit struct {
	system string
	last   []transcript.Message
}

func (a *audit) add(row *Row, req Request, size int) {
	row.Fresh += size
	if a.last != nil {
		shared, whole := a.shared(req)
		row.Sent += size
		row.Shared += shared
		row.Fresh -= shared
		if !whole {
			row.Breaks++
		}
	}
	if !req.has(Goal) {
		row.NoGoal++
	}
	if !req.has(Rule) {
		row.NoRule++
	}
	if err := transcript.Check(req.Messages, transcript.OpenAI); err != nil {
		row.Invalid++
		if row.Fault == "" {
			row.Fault = err.Error()
		}
	}
	a.system = strings.Clone(req.System)
	a.last = slices.Clone(req.Messages)
	for i := range a.last {
		a.last[i].Calls = slices.Clone(a.last[i].Calls)
	}
}

// summary counts a request for a summary. It may begin like the last request to the model.
func (a *audit) summary(row *Row, req Request, size int) {
	shared, _ := a.shared(req)
	row.Fresh += size - shared
}

// shared returns how many tokens at the start of a request are those of the one before, and whether the whole of that
// is among them.
func (a *audit) shared(req Request) (n int, whole bool) {
	if req.System != a.system {
		return commonTokens(req.System, a.system), false
	}
	if a.system != "" {
		n = Tokens(a.system) + messageCost
	}
	for i := range a.last {
		if i >= len(req.Messages) {
			return n, false
		}
		if !same(&a.last[i], &req.Messages[i]) {
			if a.last[i].Role == req.Messages[i].Role {
				n += commonTokens(a.last[i].Text, req.Messages[i].Text)
			}
			return n, false
		}
		n += tokens(&a.last[i])
	}
	return n, true
}

func same(a, b *transcript.Message) bool {
	return a.Role == b.Role && a.CallID == b.CallID && a.Text == b.Text &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y transcript.ToolCall) bool {
			return x.ID == y.ID && x.Name == y.Name && string(x.Args) == string(y.Args)
		})
}

func commonTokens(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n / bytesAToken
}
