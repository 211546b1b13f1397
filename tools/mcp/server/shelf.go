package server

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/internal/line"
)

// maxReports is how many reports are kept.
const maxReports = 32

// A shelf keeps reports as resources.
type shelf struct {
	server *mcp.Server

	mu   sync.Mutex
	uris []string // oldest first
}

// add keeps a report in place of the oldest, and returns a link to it.
func (s *shelf) add(tool, id, text string, args json.RawMessage) *mcp.ResourceLink {
	const markdown, longest = "text/markdown", 200 // runes of a description
	text = line.ForModel(text)
	uri := "foray://" + tool + "/" + id
	about, size := line.Truncate(line.Flat(string(args)), longest), int64(len(text))
	s.server.AddResource(&mcp.Resource{
		URI: uri, Name: tool + " " + id, Description: about, MIMEType: markdown, Size: size,
	}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		whole := &mcp.ResourceContents{URI: uri, MIMEType: markdown, Text: text}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{whole}}, nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.uris, uri) {
		s.uris = append(s.uris, uri)
	}
	if len(s.uris) > maxReports {
		s.server.RemoveResources(s.uris[0])
		s.uris = s.uris[1:]
	}
	return &mcp.ResourceLink{URI: uri, Name: tool + " " + id, Description: about, MIMEType: markdown, Size: &size}
}
