package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/internal/textsearch"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// The names of the two tools in place of many.
const (
	findName = "mcp_find"
	callName = "mcp_call"
)

// shown is how many tools mcp_find shows with their parameters.
const shown = 5

type findInput struct {
	Query string `json:"query" doc:"what the tool should do, in words, or its name"`
}

// findTool returns the tool that finds tools. Its description lists as many of their names as there is room for.
func (c *Client) findTool() tools.Tool {
	t := tools.New(findName, "", func(_ context.Context, in findInput) (string, error) {
		return c.find(in.Query), nil
	})
	t.Description = c.describe(c.options.Room - c.fixed(t))
	return t
}

// fixed is what the two tools take without the description of the first, in tokens.
func (c *Client) fixed(find tools.Tool) int {
	call := c.callTool()
	n := 0
	for _, text := range []string{find.Name, string(find.Schema), call.Name, call.Description, string(call.Schema)} {
		n += toollimit.Tokens(text)
	}
	return n
}

// describe says what mcp_find does, and names tools as long as there is room, in tokens: each server with its first
// tools, so that none is hidden by another.
func (c *Client) describe(room int) string {
	text := fmt.Sprintf("Find tools among the %s of %s by words; shows the best with their parameters. Call them with %s.",
		line.Count(len(c.offers), "tool"), line.Count(len(c.remotes), "server"), callName)
	for n := len(c.offers); n > 0; n = n * 3 / 4 {
		if with := text + " " + c.names(n); toollimit.Tokens(with) <= room {
			return with
		}
	}
	return text
}

// names lists the tools of each server, of all servers together about most.
func (c *Client) names(most int) string {
	byServer := map[string][]string{}
	for _, o := range c.offers {
		byServer[o.server] = append(byServer[o.server], o.tool.Name)
	}
	each := max(1, most/max(1, len(c.remotes)))
	var parts []string
	for _, r := range c.remotes {
		all := byServer[r.name]
		if len(all) == 0 || len(parts) >= most {
			continue
		}
		part := strings.Join(all[:min(each, len(all))], ", ")
		if len(all) > each {
			part += ", …"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// find writes the tools that fit a query best, with their schemas.
func (c *Client) find(query string) string {
	words := textsearch.Terms(query)
	type scored struct {
		offer
		score float64
	}
	df := map[string]int{}
	terms := make([][]string, len(c.offers))
	for i, o := range c.offers {
		name := strings.ReplaceAll(o.tool.Name, "_", " ")
		terms[i] = textsearch.Terms(name + " " + o.tool.Description + " " + o.server)
		slices.Sort(terms[i])
		terms[i] = slices.Compact(terms[i])
		for _, t := range terms[i] {
			df[t]++
		}
	}
	var all []scored
	for i, o := range c.offers {
		s := 0.0
		for _, w := range words {
			if _, has := slices.BinarySearch(terms[i], w); has {
				s += textsearch.Rarity(float64(len(c.offers)), float64(df[w]))
			}
		}
		if o.tool.Name == query || o.own == query {
			s += 100
		}
		if s > 0 {
			all = append(all, scored{o, s})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	if len(all) == 0 {
		return "No tool fits. The servers have: " + c.names(len(c.offers))
	}
	var b strings.Builder
	for i, s := range all {
		if i < shown {
			fmt.Fprintf(&b, "%s (of %s): %s\n  parameters: %s\n",
				s.tool.Name, s.server, s.tool.Description, s.tool.Schema)
		} else if i < 4*shown {
			fmt.Fprintf(&b, "%s (of %s): %s\n", s.tool.Name, s.server, line.Truncate(line.Flat(s.tool.Description), 80))
		}
	}
	return b.String()
}

type callInput struct {
	Tool      string         `json:"tool" doc:"name"`
	Arguments map[string]any `json:"arguments,omitempty" doc:"by its parameters"`
}

// callTool returns the tool that calls a tool.
func (c *Client) callTool() tools.Tool {
	call := func(ctx context.Context, in callInput) (any, error) {
		o, ok := c.offer(in.Tool)
		if !ok {
			return nil, tools.Problemf("unknown_id", findName+" with what it should do", "no tool %.80q; the nearest is %q",
				in.Tool, c.set.Nearest(in.Tool))
		}
		args, err := json.Marshal(in.Arguments)
		if err != nil || in.Arguments == nil {
			args = json.RawMessage("{}")
		}
		if err := c.set.Validate(in.Tool, args); err != nil {
			return nil, tools.Problemf("bad_arguments", "its parameters: "+string(o.tool.Schema), "%v", err)
		}
		return o.tool.Call(ctx, args)
	}
	t := tools.New(callName, "Call a tool that "+findName+" found.", call)
	t.Effects, t.Timeout = true, c.options.Call
	return t
}
