package sessionfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
)

// A block is a part of a message's content, in the forms of several services and agents.
type block struct {
	Type string          `json:"type"`
	Text json.RawMessage `json:"text"` // a string, except in blocks that are not text

	// Of calls and results.
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Arguments json.RawMessage `json:"arguments"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Failed    bool            `json:"is_error"`

	// Of reasoning.
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Sealed    string          `json:"thinkingSignature"`
	Redacted  bool            `json:"redacted"`
	Encrypted string          `json:"encrypted_content"`
	Summary   json.RawMessage `json:"summary"`

	media
}

// A media is where blocks of pictures and files have their data.
type media struct {
	MediaType string          `json:"media_type"`
	MimeType  string          `json:"mimeType"`
	Mime      string          `json:"mime"`
	Filename  string          `json:"filename"`
	Path      string          `json:"path"`
	Data      string          `json:"data"`
	FileData  string          `json:"file_data"`
	Format    string          `json:"format"`
	URL       string          `json:"url"`
	ImageURL  json.RawMessage `json:"image_url"` // a text or a media
	Source    *media          `json:"source"`
	Audio     *media          `json:"input_audio"`
	File      *media          `json:"file"`
}

// A content is what the parts of a message's content say.
type content struct {
	text, reasoning string
	calls           []called
	results         []said
	notes           []kind
}

// parseContent reads the content of a message: null, a string, or an array of strings and blocks.
func parseContent(raw json.RawMessage) (c content, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return c, nil
	}
	if json.Unmarshal(raw, &c.text) == nil {
		return c, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return c, errors.New("neither a text nor an array of parts")
	}
	var texts []string
	for _, part := range parts {
		var text string
		if json.Unmarshal(part, &text) != nil {
			var b block
			if err := json.Unmarshal(part, &b); err != nil {
				return c, err
			}
			if text, err = c.block(&b); err != nil {
				return c, err
			}
		}
		texts = append(texts, text)
	}
	c.text = strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n")
	return c, nil
}

// block adds a block, and returns its text.
func (c *content) block(b *block) (text string, err error) {
	switch b.Type {
	case "thinking", "reasoning":
		c.reason(b)
	case "redacted_thinking":
		c.notes = append(c.notes, encrypted)
	case "tool_use":
		c.calls = append(c.calls, called{b.ID, b.Name, b.Input})
	case "toolCall":
		c.calls = append(c.calls, called{b.ID, b.Name, b.Arguments})
	case "tool_result":
		inner, err := parseContent(b.Content)
		if err != nil {
			return "", err
		}
		c.notes = append(c.notes, inner.notes...)
		c.results = append(c.results,
			said{role: "tool", callID: b.ToolUseID, text: inner.text, failed: b.Failed})
	default:
		_ = json.Unmarshal(b.Text, &text) // anything else is not text
		if text == "" && !strings.HasSuffix(b.Type, "text") {
			c.notes = append(c.notes, picture)
			text = b.media.placeholder(b.Type)
		}
	}
	return text, nil
}

// reason adds plain reasoning, and notes what only the account that made it can send.
func (c *content) reason(b *block) {
	plain := b.Thinking
	for _, raw := range []json.RawMessage{b.Text, b.Summary, b.Content} {
		if part, err := parseContent(raw); err == nil {
			plain = joined(plain, part.text)
		}
	}
	if b.Redacted {
		plain = ""
	}
	switch {
	case b.Encrypted != "" || b.Redacted:
		c.notes = append(c.notes, encrypted)
	case b.Signature != "" || b.Sealed != "":
		c.notes = append(c.notes, signatures)
	}
	c.reasoning = joined(c.reasoning, plain)
}

const maxURL = 200 // runes of an address or a name that a placeholder shows

// placeholder names a picture or file by its media type, its name or address, and its size: "[image image/png, 12 kB]".
func (m *media) placeholder(kind string) string {
	kind = cmp.Or(strings.TrimSuffix(strings.TrimPrefix(kind, "input_"), "_url"), "part")
	var f found
	m.find(&f, 0)
	about := []string{f.mime, f.name}
	if f.size > 0 {
		about = append(about, line.Bytes(int64(f.size)*3/4)) // base64
	}
	about = slices.DeleteFunc(about, func(s string) bool { return s == "" })
	for i, text := range about {
		about[i] = line.Truncate(line.Single(line.Printable(text)), maxURL)
	}
	return "[" + strings.TrimSpace(kind+" "+strings.Join(about, ", ")) + "]"
}

// found is what a media and those inside it say first.
type found struct {
	mime, name string
	size       int // in base64 characters
}

const maxDepth = 3 // of media inside each other

func (m *media) find(f *found, depth int) {
	f.mime = cmp.Or(f.mime, m.MediaType, m.MimeType, m.Mime, m.Format)
	f.name = cmp.Or(f.name, m.Filename, m.Path)
	for _, data := range []string{m.Data, m.FileData, m.URL} {
		rest, ok := strings.CutPrefix(data, "data:")
		switch {
		case ok:
			head, body, _ := strings.Cut(rest, ",")
			mime, _, _ := strings.Cut(head, ";")
			f.mime, f.size = cmp.Or(f.mime, mime), max(f.size, len(body))
		case data != m.URL:
			f.size = max(f.size, len(data))
		default:
			f.name = cmp.Or(f.name, data)
		}
	}
	inner := []*media{m.Source, m.Audio, m.File}
	if len(m.ImageURL) > 0 {
		var at media
		if json.Unmarshal(m.ImageURL, &at.URL) != nil {
			_ = json.Unmarshal(m.ImageURL, &at) // anything else says nothing
		}
		inner = append(inner, &at)
	}
	for _, in := range inner {
		if in != nil && depth < maxDepth {
			in.find(f, depth+1)
		}
	}
}
