package live

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
)

// A tap counts the requests to a model and what they cost, and writes them down. It can answer in the model's place.
type tap struct {
	providers.Model
	log io.Writer // nil: nothing is written

	mu       sync.Mutex
	given    given // answers in the model's place
	requests int
	usage    providers.Usage
	fixed    int // most tokens of a request's system prompt and schemas, estimated
}

// counts are what was counted since the last reset.
type counts struct {
	requests, fixed int
	usage           providers.Usage
}

// A given answer is that of the requests whose last message of the user has the text to. Empty: the model answers.
type given struct{ to, answer string }

// reset returns the counts and starts again, with a given answer.
func (t *tap) reset(g given) counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := counts{t.requests, t.fixed, t.usage}
	t.given, t.requests, t.fixed, t.usage = g, 0, 0, providers.Usage{}
	return c
}

// Stream counts a request and passes it on.
func (t *tap) Stream(ctx context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	t.mu.Lock()
	t.requests++
	t.fixed = max(t.fixed, fixedTokens(req))
	g := t.given
	t.mu.Unlock()
	if g.answer != "" && strings.Contains(lastOfUser(req.Messages), g.to) {
		return func(yield func(providers.Delta, error) bool) {
			_ = yield(providers.Delta{Text: g.answer}, nil) && yield(providers.Delta{Finish: providers.Stop}, nil)
		}
	}
	return func(yield func(providers.Delta, error) bool) {
		var answer providers.Response
		var text strings.Builder
		defer func() { t.record(req, &answer, text.String()) }()
		for d, err := range t.Model.Stream(ctx, req) {
			text.WriteString(d.Text)
			answer.Add(d)
			if !yield(d, err) {
				return
			}
		}
	}
}

// record adds the cost of an answer and writes it down.
func (t *tap) record(req *providers.Request, answer *providers.Response, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = t.usage.Add(answer.Usage)
	if t.log == nil {
		return
	}
	fmt.Fprintf(t.log, "-- request: %d tools, choice %q, at most %d tokens\n[system] %s\n", len(req.Tools), req.Choice,
		req.MaxOutput, req.System)
	for _, m := range req.Messages {
		fmt.Fprintf(t.log, "[%s] %s\n", m.Role, m.Text)
		for _, c := range m.Calls {
			fmt.Fprintf(t.log, "  call %s %s\n", c.Name, c.Args)
		}
	}
	fmt.Fprintf(t.log, "-- answer (%s, %d tokens read, %d from the cache, %d written)\n%s\n", answer.Finish,
		answer.Usage.Input, answer.Usage.Cached, answer.Usage.Output, text)
	for _, c := range answer.Message.Calls {
		fmt.Fprintf(t.log, "  call %s %s\n", c.Name, c.Args)
	}
	fmt.Fprintln(t.log)
}

func lastOfUser(messages []transcript.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == transcript.User {
			return m.Text
		}
	}
	return ""
}

// fixedTokens estimates the tokens of a request's system prompt and schemas.
func fixedTokens(req *providers.Request) int {
	n := toollimit.Tokens(req.System) + toollimit.Tokens(string(req.Schema))
	for _, tool := range req.Tools {
		n += tool.Tokens()
	}
	return n
}
