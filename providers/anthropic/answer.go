package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
)

// finishes maps the stop reasons. Any other reason is a Stop.
var finishes = map[string]providers.Finish{
	"end_turn":                      providers.Stop,
	"stop_sequence":                 providers.Stop,
	"tool_use":                      providers.Calls,
	"max_tokens":                    providers.Length,
	"model_context_window_exceeded": providers.Length,
	"refusal":                       providers.Filtered,
}

// An event is one event of an answer, or a whole answer of a server that does not stream.
type event struct {
	Type    string
	Index   int
	Message *whole
	Block   json.RawMessage `json:"content_block"`
	Delta   struct {
		Type, Text, Thinking, Signature string
		JSON                            string `json:"partial_json"`
		StopReason                      string `json:"stop_reason"`
		Content                         json.RawMessage
		Encrypted                       json.RawMessage `json:"encrypted_content"`
	}
	Usage json.RawMessage
	Input json.RawMessage `json:"input_transformations"`
}

type whole struct {
	Content    []json.RawMessage
	StopReason string `json:"stop_reason"`
	Usage      json.RawMessage
	Input      json.RawMessage `json:"input_transformations"`
}

// A transformation is what the service changed in a request before the model read it.
type transformation struct{ Type, Path, Reason string }

// An answer collects the events of one answer.
type answer struct {
	model  *Model
	events int
	known  bool // an event had the form of the API
	ended  bool
	blocks []*grown // by index
	held   wire.Held
	usage  usage
	passes []pass
	finish string
	lost   []transformation
}

// A grown block is one that arrives.
type grown struct {
	Type, Text, Thinking, Signature string
	ID, Name                        string
	Input                           json.RawMessage

	raw       json.RawMessage // as it began
	text      int             // bytes of the answer's text that it has
	arguments strings.Builder
	thought   strings.Builder
	signature strings.Builder
	content   json.RawMessage // of a compaction, which arrives in one piece
	encrypted json.RawMessage
}

// Ended reports whether the last event has arrived.
func (a *answer) Ended() bool { return a.ended }

// Whole reports whether the answer would be complete if the connection failed now: its stop reason has arrived, which
// follows all content.
func (a *answer) Whole() bool { return a.finish != "" }

// Add takes one event and returns the deltas that can be shown at once. Events and blocks of unknown types are left
// out, as the API's versioning demands.
func (a *answer) Add(e wire.Event) ([]providers.Delta, error) {
	a.events++
	if !e.JSON {
		return nil, a.model.report.Error(providers.Malformed, "an event of the answer is not JSON: "+string(e.Data))
	}
	var v event
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return nil, a.model.report.Misled(providers.Malformed, "an event of the answer is of another form: "+err.Error())
	}
	switch v.Type {
	case "error":
		if err := a.model.failure(e.Data, http.StatusOK); err != nil {
			return nil, err
		}
		return nil, a.model.report.Error(providers.Transient, "the service failed and did not say why")
	case "message":
		return a.all(e.Data)
	case "message_start":
		a.known = true
		if v.Message != nil {
			a.count(v.Message.Usage)
			a.changed(v.Message.Input)
		}
	case "content_block_start":
		return a.begin(v.Index, v.Block)
	case "content_block_delta":
		return a.grow(&v)
	case "message_delta":
		a.known = true
		if v.Delta.StopReason != "" {
			a.finish = v.Delta.StopReason
		}
		a.count(v.Usage)
		a.changed(v.Input)
	case "message_stop":
		a.known, a.ended = true, true
	}
	return nil, nil
}

// all takes a whole answer.
func (a *answer) all(raw []byte) ([]providers.Delta, error) {
	var w whole
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, a.model.report.Misled(providers.Malformed, "the answer is of another form: "+err.Error())
	}
	a.known, a.ended, a.finish = true, true, w.StopReason
	a.count(w.Usage)
	a.changed(w.Input)
	var out []providers.Delta
	for i, b := range w.Content {
		more, err := a.begin(i, b)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// changed takes what the service changed in the request. Later lists replace earlier ones; one of another form is left
// out: the answer is worth more.
func (a *answer) changed(raw json.RawMessage) {
	var all []transformation
	if json.Unmarshal(raw, &all) != nil {
		return
	}
	a.lost = slices.DeleteFunc(all, func(t transformation) bool { return t.Type != "thinking_dropped" })
}

// notify reports the thinking that the service left out. That is a fault: the window should have left it out itself.
func (a *answer) notify() {
	if len(a.lost) == 0 {
		return
	}
	first := a.lost[0]
	a.model.notify(fmt.Sprintf("left out %s of the request, the first at %s: %s",
		line.Count(len(a.lost), "block")+" of thinking", line.Single(line.Truncate(first.Path, maxSaid)),
		line.Single(line.Truncate(first.Reason, maxSaid))))
}

// notify says what the service did.
func (m *Model) notify(did string) {
	if m.config.Notify != nil {
		m.config.Notify(m.report.Redact(fmt.Sprintf("%s %s", m.report, did)))
	}
}

// maxSaid bounds what a notice repeats of an answer, in bytes.
const maxSaid = 80

// begin takes the beginning of a block, which is whole in an answer that is not streamed.
func (a *answer) begin(index int, raw json.RawMessage) ([]providers.Delta, error) {
	b := &grown{}
	if index != len(a.blocks) || json.Unmarshal(raw, b) != nil {
		return nil, a.model.report.Misled(providers.Malformed, "the blocks of the answer are out of order")
	}
	a.known = true
	a.blocks = append(a.blocks, b)
	if err := a.held.Begin(a.model.report, 1); err != nil {
		return nil, err
	}
	b.raw = append(json.RawMessage(nil), raw...)
	b.signature.WriteString(b.Signature)
	if err := a.held.Add(a.model.report, len(raw), len(raw)); err != nil {
		return nil, err
	}
	switch b.Type {
	case "text":
		return a.said(b, b.Text), nil
	case "thinking":
		return thought(b, b.Thinking), nil
	}
	return nil, nil
}

func (a *answer) said(b *grown, text string) []providers.Delta {
	b.text += len(text)
	if text == "" {
		return nil
	}
	return []providers.Delta{{Text: text}}
}

func thought(b *grown, text string) []providers.Delta {
	b.thought.WriteString(text)
	if text == "" {
		return nil
	}
	return []providers.Delta{{Reasoning: text}}
}

// grow adds to a block.
func (a *answer) grow(v *event) ([]providers.Delta, error) {
	if v.Index < 0 || v.Index >= len(a.blocks) {
		return nil, a.model.report.Misled(providers.Malformed, "the answer adds to a block that has not begun")
	}
	b := a.blocks[v.Index]
	switch v.Delta.Type {
	case "text_delta":
		if v.Index != len(a.blocks)-1 {
			return nil, a.model.report.Misled(providers.Malformed, "the answer adds to a text that has ended")
		}
		return a.said(b, v.Delta.Text), nil
	case "thinking_delta":
		return thought(b, v.Delta.Thinking), nil
	case "signature_delta":
		b.signature.WriteString(v.Delta.Signature)
		return nil, a.held.Add(a.model.report, len(v.Delta.Signature), b.signature.Len())
	case "compaction_delta":
		b.content, b.encrypted = v.Delta.Content, v.Delta.Encrypted
		return nil, a.held.Add(a.model.report, len(b.content)+len(b.encrypted), len(b.content)+len(b.encrypted))
	case "input_json_delta":
		b.arguments.WriteString(v.Delta.JSON)
		return nil, a.held.Add(a.model.report, len(v.Delta.JSON), b.arguments.Len())
	}
	return nil, nil
}

// End returns the last deltas of a complete answer, or why it is not complete.
func (a *answer) End(req *providers.Request) ([]providers.Delta, error) {
	report := a.model.report
	switch {
	case a.events == 0:
		return nil, report.Misled(providers.Network, "the answer is empty")
	case !a.known:
		return nil, report.Misled(providers.Malformed, "the server answered, but not with an answer of a model")
	case a.finish == "":
		return nil, report.Wrap(providers.Network, providers.ErrNoFinish)
	}
	a.notify()
	var calls []transcript.ToolCall
	var parts []part
	for _, b := range a.blocks {
		switch b.Type {
		case "text":
			if b.text > 0 {
				parts = append(parts, part{Text: b.text})
			}
		case "tool_use":
			parts = append(parts, part{Call: true})
			calls = append(calls, transcript.ToolCall{ID: b.ID, Name: b.Name, Args: providers.Arguments(b.input())})
		case "thinking", "redacted_thinking":
			parts = append(parts, part{Raw: b.thinking()})
		case compaction:
			if raw := b.compaction(); raw != nil {
				parts = append(parts, part{Raw: raw, Compacts: true})
			} else {
				a.model.notify("could not compact the conversation: its summary is empty")
			}
		}
	}
	finish := cmp.Or(finishes[a.finish], providers.Stop)
	if finish == providers.Stop && len(calls) > 0 {
		finish = providers.Calls
	}
	return wire.Ending(req, calls, a.model.providerData(parts), a.provider(), finish), nil
}

// input returns the arguments of a call: those that arrived in pieces, else those that it began with.
func (b *grown) input() string {
	if b.arguments.Len() > 0 {
		return b.arguments.String()
	}
	return string(b.Input)
}

// thinking returns a block of thinking as it is sent back: as it began, unless it grew.
func (b *grown) thinking() json.RawMessage {
	if b.Type != "thinking" {
		return b.raw
	}
	raw, err := line.JSON(struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}{b.Type, b.thought.String(), b.signature.String()})
	if err != nil {
		return b.raw
	}
	return raw
}
