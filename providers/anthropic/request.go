package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/internal/wire"
	"github.com/forayhq/foray/toollimit"
)

type body struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens,omitempty"`
	System      []block       `json:"system,omitempty"`
	Messages    []message     `json:"messages"`
	Tools       []tool        `json:"tools,omitempty"`
	ToolChoice  *toolChoice   `json:"tool_choice,omitempty"`
	Thinking    *thinking     `json:"thinking,omitempty"`
	Output      *outputConfig `json:"output_config,omitempty"`
	Management  *management   `json:"context_management,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`
	TopP        *float64      `json:"top_p,omitempty"`
	Stop        []string      `json:"stop_sequences,omitempty"`
	Stream      bool          `json:"stream,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`

	digest bool // it holds what takes the place of evicted messages
}

// A block is a part of a message: raw if the service wrote it, else of its type.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	CallID  string          `json:"tool_use_id,omitempty"`
	Content any             `json:"content,omitempty"` // of a result: a string, or a []block with pictures
	Source  *source         `json:"source,omitempty"`
	Failed  bool            `json:"is_error,omitempty"`
	Cache   *cacheControl   `json:"cache_control,omitempty"`

	raw      json.RawMessage
	compacts bool // raw replaces what precedes it
}

// MarshalJSON writes a block of the service as it came.
func (b block) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type plain block
	return line.JSON(plain(b))
}

// A source is where a picture is.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitempty"`
	Data      []byte `json:"data,omitempty"` // in base64
	URL       string `json:"url,omitempty"`
}

// picturesOf returns pictures, which the service recommends to show before the text about them.
func picturesOf(images []toollimit.Image) []block {
	blocks := make([]block, 0, len(images)+1)
	for i := range images {
		from := &source{Type: "base64", MediaType: images[i].Type, Data: images[i].Data}
		if images[i].Data == nil {
			from = &source{Type: "url", URL: images[i].URL}
		}
		blocks = append(blocks, block{Type: "image", Source: from})
	}
	return blocks
}

type cacheControl struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

type toolChoice struct {
	Type string `json:"type"`
}

type thinking struct {
	Type    string   `json:"type"`
	Budget  int      `json:"budget_tokens,omitempty"`
	Binding *binding `json:"block_binding,omitempty"`
}

// A binding says what the service does with thinking whose prefix has changed.
type binding struct {
	Mismatch string `json:"prefix_mismatch_behavior"`
}

// bindingBeta is the beta that takes a binding.
const bindingBeta = "thinking-binding-controls-2026-08-01"

type outputConfig struct {
	Effort string  `json:"effort,omitempty"`
	Format *format `json:"format,omitempty"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// choices are the tool choices on the wire.
var choices = map[providers.ToolChoice]string{providers.Required: "any", providers.None: "none"}

// body returns req for the wire, without what only an answer needs.
func (m *Model) body(req *providers.Request) (*body, error) {
	if req.Seed != nil {
		return nil, errors.New("the service does not take Request.Seed")
	}
	b := &body{
		Model: m.config.Name, Messages: m.messages(req), Temperature: req.Temperature, TopP: req.TopP, Stop: req.Stop,
	}
	if req.System != "" {
		b.System = []block{{Type: "text", Text: req.System}}
	}
	for _, t := range req.Tools {
		b.Tools = append(b.Tools, tool{Name: t.Name, Description: t.Description, Schema: wire.Parameters(t.Schema)})
	}
	if kind := choices[req.Choice]; kind != "" && len(req.Tools) > 0 {
		b.ToolChoice = &toolChoice{kind}
	}
	if req.Schema != nil {
		if !m.config.Info.StructuredOutput {
			return nil, fmt.Errorf("%s does not support a schema for its answer", m.config.Name)
		}
		b.Output = &outputConfig{Format: &format{"json_schema", req.Schema}}
	}
	if err := m.think(b, req); err != nil {
		return nil, err
	}
	b.Management = m.manage()
	b.mark()
	return b, nil
}

// budgets are the tokens of thinking by effort, for models that take a budget.
var budgets = map[string]int{"low": 2_048, "medium": 8_192, "high": 24_576}

// think turns thinking on as far as the request's effort says.
func (m *Model) think(b *body, req *providers.Request) error {
	budget, known := budgets[req.ReasoningEffort]
	asked := req.ReasoningEffort != "" && req.ReasoningEffort != "minimal"
	switch {
	case asked && !known:
		return fmt.Errorf("reasoning effort %q: takes minimal, low, medium or high", req.ReasoningEffort)
	case !asked && !binds(m.config.Name):
		return nil
	case req.Choice == providers.Required:
		return errors.New("a model with thinking enabled cannot be forced to call a tool")
	}
	b.Temperature, b.TopP = nil, nil // with thinking, the service accepts its defaults only
	if adaptive(m.config.Name) {
		b.Thinking = &thinking{Type: "adaptive"}
		if binds(m.config.Name) {
			b.Thinking.Binding = &binding{"drop_block"}
		}
		if asked {
			b.Output = cmp.Or(b.Output, &outputConfig{})
			b.Output.Effort = req.ReasoningEffort
		}
		return nil
	}
	if budget = min(budget, m.length(req)-leastAnswer); budget < leastBudget || b.acts() {
		return nil // the answer has no room for it, or the service would refuse it
	}
	b.Thinking = &thinking{Type: "enabled", Budget: budget}
	return nil
}

// acts reports whether the request ends in the results of an answer that does not show its thinking first: one from
// before thinking was on, or whose thinking a window dropped. The service refuses a budget then, and only then; see
// docs.claude.com/en/docs/build-with-claude/extended-thinking, "Preserving thinking blocks".
func (b *body) acts() bool {
	last := len(b.Messages) - 1
	return last > 0 && b.Messages[last].Content[0].Type == "tool_result" && b.Messages[last-1].Content[0].raw == nil
}

const (
	leastBudget = 1_024 // that the service accepts for thinking
	leastAnswer = 1_024 // that is left of an answer for its text and calls
)

// defaultLength is the length of an answer of a model whose own is not known: that of Claude 3.5.
const defaultLength = 8_192

// length returns the maximum length of the answer, which the service requires.
func (m *Model) length(req *providers.Request) int {
	return cmp.Or(req.MaxOutput, m.config.Info.MaxOutput, defaultLength)
}

// generation finds the version in a model's name: claude-sonnet-4-5, claude-3-7-sonnet, with a vendor before it.
var generation = regexp.MustCompile(`claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2}))?(?:\D|$)`)

// version returns the version of a model in tenths, 45 for 4.5; a name without one is of the newest.
func version(model string) int {
	found := generation.FindStringSubmatch(strings.ToLower(model))
	if found == nil {
		return 99
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	return 10*major + min(minor, 9)
}

// binds reports whether a model thinks without being asked, and its service refuses thinking whose prefix has changed
// unless it is asked to drop it: Claude 5.1 and later. See
// platform.claude.com/docs/build-with-claude/preserved-thinking.
func binds(model string) bool {
	return generation.MatchString(strings.ToLower(model)) && version(model) >= 51
}

// adaptive reports whether a model decides itself how long it thinks.
func adaptive(model string) bool { return version(model) >= 46 }

// structured reports whether a model follows a schema for its answer.
func structured(model string) bool {
	return version(model) >= 45 || strings.Contains(model, "opus-4-1")
}

// messages returns the messages on the wire. Neighbours of one role are one message there, and results come first.
func (m *Model) messages(req *providers.Request) []message {
	var out []message
	add := func(role string, digest bool, blocks ...block) {
		if len(blocks) == 0 {
			return
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, blocks...)
			out[n-1].digest = out[n-1].digest || digest
			return
		}
		out = append(out, message{Role: role, Content: blocks, digest: digest})
	}
	from, without := m.compacted(req.Messages)
	for i := from; i < len(req.Messages); i++ {
		in := &req.Messages[i]
		text, images := wire.Pictures(in, m.config.Info.Vision)
		switch in.Role {
		case transcript.Tool:
			result := block{Type: "tool_result", CallID: in.CallID, Failed: in.Failed}
			if text = cmp.Or(text, wire.NoOutput); len(images) > 0 {
				result.Content = append([]block{{Type: "text", Text: text}}, picturesOf(images)...)
			} else {
				result.Content = text
			}
			add("user", false, result)
		case transcript.Assistant:
			add("assistant", false, m.said(in, i < without, i == from)...)
		default:
			add("user", false, picturesOf(images)...)
			if strings.TrimSpace(text) != "" {
				add("user", in.Origin == transcript.Runtime, block{Type: "text", Text: text})
			}
		}
	}
	return out
}

// said returns the blocks of an answer: with its provider data, if it is wanted, in the order in which they came. The
// first message begins with what the service compacted.
func (m *Model) said(in *transcript.Message, data, first bool) []block {
	var texts, calls []block
	if strings.TrimSpace(in.Text) != "" {
		texts = append(texts, block{Type: "text", Text: in.Text})
	}
	for _, c := range in.Calls {
		calls = append(calls, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: wire.Object(c.Args)})
	}
	if d := in.ProviderData; data && m.wrote(d) {
		if blocks, ok := woven(d.Data, in.Text, calls); ok && first {
			return blocks[max(lastCompaction(blocks), 0):]
		} else if ok {
			return blocks
		}
	}
	return append(texts, calls...)
}
