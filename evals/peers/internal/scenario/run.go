package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"sync"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// A Refusal is an error of the model in the words of a service. An adapter gives it the type that its library's own
// clients use.
type Refusal string

// The refusals: of a request over [Budget], and of every request for a summary if the summariser is dead.
const (
	ErrOverflow Refusal = "This model's maximum context length is 24000 tokens. However, your messages resulted in " +
		"more tokens. Please reduce the length of the messages."
	ErrDead Refusal = "The model `summariser` does not exist or you do not have access to it."
)

func (r Refusal) Error() string { return string(r) }

var errEndless = errors.New("the library asked far more often than the scenario has calls")

// Options say which variant of the scenario is played.
type Options struct {
	Calls   int    // of the tool, at least 1
	Enforce bool   // a request over Budget is refused with ErrOverflow
	Dead    bool   // requests for a summary are refused with ErrDead
	Audit   bool   // measure every request; without it only sizes are counted
	Mode    string // which set-up of a library that has several; its adapter knows the names
}

// A Request is what a library sends to the model. Tool schemas are not part of it.
type Request struct {
	System   string
	Messages []transcript.Message // a system message after the first is a user message here
}

// A Turn is the model's answer: a call of the tool, or the last text.
type Turn struct {
	Text   string // of the answer; "" with a call
	CallID string // "" in the last turn
	Args   string // JSON, such as {"n":12}
	N      int    // the page that Args asks for
	Input  int    // tokens of the request
	Output int    // tokens of the answer
}

// A Run is one play. It is safe for concurrent use: some libraries summarise in the background.
type Run struct {
	Options
	pages []string

	mu    sync.Mutex
	turns int // answered
	asked int
	read  map[int]bool
	audit audit
	row   Row
	heap  []metrics.Sample
	base  uint64
}

// NewRun returns a run that has not begun.
func NewRun(o Options) *Run {
	return &Run{
		Options: o, pages: pages(o.Calls), read: make(map[int]bool),
		heap: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}},
	}
}

// Read is the tool. It returns the text of page n, or an error for a page that is not there.
func (r *Run) Read(n int) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < 0 || n >= len(r.pages) {
		return "", fmt.Errorf("page %d is not one of %d", n, len(r.pages))
	}
	r.read[n] = true
	return r.pages[n], nil
}

// Ask answers a request: the next call until every page was asked for, then the text [Answer]. Like a service, it
// answers nothing after the end of ctx.
func (r *Run) Ask(ctx context.Context, req Request) (Turn, error) {
	if err := ctx.Err(); err != nil {
		return Turn{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sampleHeap()
	size := req.tokens()
	if r.asked++; r.asked > 3*r.Calls+100 {
		return Turn{}, errEndless
	}
	r.row.Requests++
	if r.Audit {
		r.audit.add(&r.row, req, size)
	}
	r.row.Largest = max(r.row.Largest, size)
	if r.Enforce && size > Budget {
		r.row.Refused++
		return Turn{}, ErrOverflow
	}
	n := r.turns
	r.turns++
	if n >= r.Calls {
		r.row.Answered = true
		return Turn{Text: Answer, Input: size, Output: Tokens(Answer)}, nil
	}
	args := fmt.Sprintf(`{"n":%d}`, n)
	return Turn{CallID: fmt.Sprintf("call_%d", n), Args: args, N: n, Input: size, Output: callCost}, nil
}

// Summarise answers a request for a summary. The summary repeats the goal and the rule if the request has them, as the
// best of models would.
func (r *Run) Summarise(ctx context.Context, req Request) (Turn, error) {
	if err := ctx.Err(); err != nil {
		return Turn{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row.Summaries++
	size := req.tokens()
	r.row.LargestSummary = max(r.row.LargestSummary, size)
	if r.Audit {
		r.audit.summary(&r.row, req, size)
	}
	if r.row.Summaries > 3*r.Calls+100 {
		return Turn{}, errEndless
	}
	if r.Dead {
		return Turn{}, ErrDead
	}
	if r.Enforce && size > Budget {
		r.row.Refused++
		return Turn{}, ErrOverflow
	}
	text := summary(req.has(Goal), req.has(Rule), r.row.Summaries)
	return Turn{Text: text, Input: size, Output: Tokens(text)}, nil
}

func (r *Run) sampleHeap() {
	metrics.Read(r.heap)
	r.row.PeakHeap = max(r.row.PeakHeap, r.heap[0].Value.Uint64())
}

func (q *Request) tokens() int {
	n := 0
	if q.System != "" {
		n = Tokens(q.System) + messageCost
	}
	for i := range q.Messages {
		n += tokens(&q.Messages[i])
	}
	return n
}

func tokens(m *transcript.Message) int { return Tokens(m.Text) + messageCost + callCost*len(m.Calls) }

func (q *Request) has(text string) bool {
	if strings.Contains(q.System, text) {
		return true
	}
	for i := range q.Messages {
		if strings.Contains(q.Messages[i].Text, text) {
			return true
		}
	}
	return false
}

// Call returns the call of a message, for adapters whose libraries hold arguments as text.
func Call(id, name, args string) transcript.ToolCall {
	return transcript.ToolCall{ID: id, Name: name, Args: json.RawMessage(args)}
}
