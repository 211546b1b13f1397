package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// kept names the session of working memory that holds what was truncated, for all clients: an id is a hash of its text.
const kept = "mcp"

// call returns the handler of a tool. A call that fails is a result that says why, so that the model of the client can
// try something else.
func (s *Server) call(t tools.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case s.calls <- struct{}{}:
			defer func() { <-s.calls }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		scope := s.memory.OpenIn(kept)
		defer scope.Close()
		progress := &tools.Progress{}
		ctx = tools.WithRun(ctx, tools.Run{Scope: scope.ID(), Progress: progress, Sees: true})
		stop := follow(ctx, req, progress)
		value, err := s.run(ctx, t, req.Params.Arguments)
		stop()
		if err != nil {
			return failed(ctx, err)
		}
		kind, text := tools.Render(value)
		text = strings.ToValidUTF8(text, "\uFFFD")
		id := idOf(text)
		short, cut := toollimit.Truncate(kind, text, toollimit.Quota{
			MaxTokens: s.config.MaxTokens, Pointer: id, Tool: toollimit.ReadTool, Query: string(req.Params.Arguments),
		})
		if cut {
			if err := errors.Join(scope.Put(id, text), scope.Keep(ctx)); err != nil {
				return nil, err
			}
		}
		result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: line.ForModel(short)}}}
		for _, im := range tools.Images(value) {
			result.Content = append(result.Content, &mcp.ImageContent{Data: im.Data, MIMEType: im.Type})
		}
		if slices.Contains(s.config.Reports, t.Name) {
			result.Content = append(result.Content, s.shelf.add(t.Name, id, text, req.Params.Arguments))
		}
		return result, nil
	}
}

// run calls a tool with arguments that satisfy its schema. A panic is an error.
func (s *Server) run(ctx context.Context, t tools.Tool, args json.RawMessage) (value any, err error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := s.set.Validate(t.Name, args); err != nil {
		return nil, err
	}
	if t.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.Timeout)
		defer cancel()
	}
	defer func() {
		if p := recover(); p != nil {
			s.config.Log.Error("a tool panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the tool %s failed: %v", t.Name, p)
		}
	}()
	return t.Call(ctx, args)
}

// failed is the result of a call that failed; a cancelled one has none.
func failed(ctx context.Context, err error) (*mcp.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{
		&mcp.TextContent{Text: line.ForModel(err.Error())},
	}}, nil
}

// idOf names a text: the same text has the same id, in every process.
func idOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "r" + hex.EncodeToString(sum[:5])
}
