package ollama

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

// A chunk is one line of an answer; the last one has Done.
type chunk struct {
	Message *struct {
		Content, Thinking string
		Calls             []call `json:"tool_calls"`
	}
	Done   bool
	Reason string `json:"done_reason"`
	Error  fault
	Status int // of the error

	Input     int     `json:"prompt_eval_count"`
	Output    int     `json:"eval_count"`
	WriteTime float64 `json:"eval_duration"` // nanoseconds; that of reading leaves out cached tokens, its count does not
}

// An answer collects the chunks of one answer.
type answer struct {
	model    *Model
	chunks   int
	known    bool // a chunk had the form of the API
	done     bool
	thinking strings.Builder
	calls    []transcript.ToolCall
	held     wire.Held
	last     chunk
}

// Ended reports whether the last chunk has arrived.
func (a *answer) Ended() bool { return a.done }

// Whole returns false: only the last chunk says how the answer ended.
func (a *answer) Whole() bool { return false }

// Add takes one chunk and returns the deltas that can be shown at once.
func (a *answer) Add(e wire.Event) ([]providers.Delta, error) {
	var c chunk
	raw := e.Data
	err := json.Unmarshal(raw, &c)
	if field := (*json.UnmarshalTypeError)(nil); c.Done && errors.As(err, &field) {
		err, c.Input, c.Output, c.WriteTime = nil, 0, 0, 0 // the answer is worth more than the counts after it
	}
	if err != nil {
		return nil, a.model.report.Misled(providers.Malformed, "a line of the answer is of another form: "+string(raw))
	}
	if c.Error != "" {
		return nil, a.model.refused(raw, cmp.Or(c.Status, http.StatusInternalServerError))
	}
	a.chunks++
	a.known = a.known || c.Message != nil || c.Done
	if c.Done {
		a.done, a.last = true, c
	}
	if c.Message == nil {
		return nil, nil
	}
	var out []providers.Delta
	if c.Message.Thinking != "" {
		a.thinking.WriteString(c.Message.Thinking)
		out = append(out, providers.Delta{Reasoning: c.Message.Thinking})
	}
	if c.Message.Content != "" {
		out = append(out, providers.Delta{Text: c.Message.Content})
	}
	before := len(a.calls)
	for _, made := range c.Message.Calls {
		args := string(made.Function.Arguments)
		var text string
		if json.Unmarshal(made.Function.Arguments, &text) == nil { // some servers write them as OpenAI does
			args = text
		}
		a.calls = append(a.calls,
			transcript.ToolCall{ID: made.ID, Name: made.Function.Name, Args: providers.Arguments(args)})
	}
	return out, a.held.Calls(a.model.report, a.calls[before:])
}

// End returns the last deltas of a complete answer, or why it is not complete.
func (a *answer) End(req *providers.Request) ([]providers.Delta, error) {
	report, window := a.model.report, a.model.config.Window
	switch {
	case a.chunks == 0:
		return nil, report.Misled(providers.Network, "the answer is empty")
	case !a.known && !a.done:
		return nil, report.Misled(providers.Malformed, "the server answered, but not with an answer of a model")
	case !a.done:
		return nil, report.Wrap(providers.Network, providers.ErrNoFinish)
	// truncated by an older server; a count of twice the window cannot be true
	case window > 0 && a.last.Input >= window && a.last.Input < 2*window:
		e := report.Error(providers.Overflow, "the server truncated the request to its window")
		e.Limit = window
		return nil, e
	}
	finish := providers.Stop
	switch {
	case a.last.Reason == "length":
		finish = providers.Length
	case len(a.calls) > 0:
		finish = providers.Calls
	}
	var usage *providers.Usage
	if a.last.Input+a.last.Output > 0 {
		usage = &providers.Usage{Input: a.last.Input, Output: a.last.Output, WriteTime: a.last.WriteTime / 1e9}
	}
	return wire.Ending(req, a.calls, a.providerData(), usage, finish), nil
}

// providerData returns the thinking of an answer with calls, which templates put back until the calls are answered.
func (a *answer) providerData() *transcript.ProviderData {
	thinking := a.thinking.String()
	if thinking == "" || len(a.calls) == 0 {
		return nil
	}
	return &transcript.ProviderData{Dialect: name, Model: a.model.config.Name, Tokens: toollimit.Tokens(thinking),
		Data: []byte(thinking), Unbound: true}
}

// thinking returns the thinking in provider data of this dialect and model.
func (m *Model) thinking(data *transcript.ProviderData) string {
	if data == nil || data.Dialect != name || data.Model != m.config.Name {
		return ""
	}
	return string(data.Data)
}
