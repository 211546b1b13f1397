package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools/picture"
)

// maxResult is how much of a result is read, in bytes. The window truncates it further.
const maxResult = 4 << 20

// An answer is what a tool of a server answered.
type answer struct {
	text  string
	shown []toollimit.Image
}

// Text returns the text.
func (a answer) Text() (toollimit.Kind, string) { return toollimit.Text, a.text }

// Images returns the pictures, for a model that takes pictures.
func (a answer) Images() []toollimit.Image { return a.shown }

// MarshalJSON writes the text alone, as a string.
func (a answer) MarshalJSON() ([]byte, error) { return json.Marshal(a.text) }

// maxPictures is how many pictures of an answer are shown.
const maxPictures = 8

// answerOf returns what a tool answered. Sounds are named, not played; so are pictures beyond the eighth, those that
// cannot be read, and all for a model that sees none.
func answerOf(r *sdk.CallToolResult, sees bool) answer {
	var a answer
	var parts []string
	for _, c := range r.Content {
		if seen, ok := c.(*sdk.ImageContent); ok && sees && len(a.shown) < maxPictures {
			name := fmt.Sprintf("picture %d of the answer", len(a.shown)+1)
			im, err := picture.Of(name, seen.Data)
			if err == nil {
				a.shown, parts = append(a.shown, im), append(parts, im.String())
				continue
			}
		}
		parts = append(parts, contentText(c))
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	text := strings.Join(parts, "\n")
	if len(text) > maxResult {
		text = text[:maxResult] + fmt.Sprintf("\n[%s more are left out]", line.Bytes(int64(len(text)-maxResult)))
	}
	a.text = plain(text)
	return a
}

func contentText(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[a picture, %s, %s: not shown]", c.MIMEType, line.Bytes(int64(len(c.Data))))
	case *sdk.AudioContent:
		return fmt.Sprintf("[a sound, %s, %s: not played]", c.MIMEType, line.Bytes(int64(len(c.Data))))
	case *sdk.ResourceLink:
		return strings.TrimSpace(fmt.Sprintf("[resource %s %s]", c.URI, c.Description))
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return ""
		}
		if c.Resource.Text != "" {
			return c.Resource.URI + "\n" + c.Resource.Text
		}
		return fmt.Sprintf("[resource %s, %s: not shown]", c.Resource.URI, line.Bytes(int64(len(c.Resource.Blob))))
	}
	return "[content of an unknown kind]"
}

// plain returns text of a server without what steers a terminal.
func plain(text string) string { return line.ForModel(text) }
