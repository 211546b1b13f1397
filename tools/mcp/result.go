package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/internal/line"
)

// maxResult is how much of a result is read, in bytes. The window truncates it further.
const maxResult = 4 << 20

// textOf writes what a tool answered as text. Pictures and sounds are named, not shown.
func textOf(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
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
	return plain(text)
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
func plain(text string) string { return line.Printable(strings.ToValidUTF8(text, "\uFFFD")) }
