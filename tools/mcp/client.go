package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// Options say how a [Client] offers tools. The zero value of each field is its default.
type Options struct {
	Name, Version string        // of this program, as servers see it
	Taken         []string      // names of the agent's other tools
	Room          int           // for names, descriptions and schemas, in tokens; beyond it see [Client.Tools]
	Connect       time.Duration // how long a server may take to begin (default 20 s)
	Call          time.Duration // how long a call may take (default 1 min)
}

// The limits of a list of tools. A server cannot fill memory with it.
const (
	maxTools       = 2_000    // of a server
	maxSchema      = 64 << 10 // bytes
	maxDescription = 2_000    // runes

	defaultConnect = 20 * time.Second
	defaultCall    = time.Minute
)

// A Client is connected to servers. It is safe for concurrent use.
type Client struct {
	options Options
	remotes []*remote
	offers  []offer // by name
	set     *tools.Set
}

// An offer is a tool of a server, under the name that the agent knows.
type offer struct {
	tool   tools.Tool
	server string
	own    string // name on its server
	reads  bool   // it changes nothing, says the server
}

// Connect connects to all servers at once and lists their tools. Servers and tools that cannot be used are left out,
// and the warnings say why. Close the Client when the run is over.
func Connect(ctx context.Context, servers map[string]Server, o Options) (c *Client, warnings []string) {
	o.Connect, o.Call = cmp.Or(o.Connect, defaultConnect), cmp.Or(o.Call, defaultCall)
	c = &Client{options: o}
	self := sdk.NewClient(&sdk.Implementation{Name: cmp.Or(o.Name, "foray"), Version: cmp.Or(o.Version, "0")}, nil)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(servers)), func(n string) bool { return servers[n].Disabled })
	lists, errs := make([][]*sdk.Tool, len(names)), make([]error, len(names))
	var listed sync.WaitGroup
	for i, name := range names {
		r := &remote{name: plain(name), server: servers[name], connect: o.Connect, self: self}
		c.remotes = append(c.remotes, r)
		listed.Go(func() { lists[i], errs[i] = r.list(ctx) })
	}
	listed.Wait()
	for i, r := range c.remotes {
		if errs[i] != nil {
			warnings = append(warnings,
				fmt.Sprintf("the MCP server %s is left out: %s", r.name, plain(errs[i].Error())))
		}
		warnings = append(warnings, c.add(r, lists[i])...)
	}
	slices.SortFunc(c.offers, func(a, b offer) int { return cmp.Compare(a.tool.Name, b.tool.Name) })
	all := make([]tools.Tool, len(c.offers))
	for i, of := range c.offers {
		all[i] = of.tool
	}
	c.set, _ = tools.NewSet(all...) // each was checked by add
	return c, warnings
}

// list returns the tools of the server.
func (r *remote) list(ctx context.Context) ([]*sdk.Tool, error) {
	c, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, r.connect)
	defer cancel()
	var all []*sdk.Tool
	for t, err := range c.session.Tools(within, nil) {
		if err != nil {
			why := c.explain(err)
			r.drop(c)
			return nil, fmt.Errorf("its tools cannot be listed: %w", why)
		}
		if all = append(all, t); len(all) >= maxTools {
			break
		}
	}
	return all, nil
}

// add offers the tools of a server, and says which it leaves out.
func (c *Client) add(r *remote, listed []*sdk.Tool) (warnings []string) {
	own := map[string]bool{}
	for _, t := range listed {
		leave := func(why string) {
			warnings = append(warnings,
				fmt.Sprintf("the tool %.64q of the MCP server %s is left out: %s", t.Name, r.name, why))
		}
		schema, err := json.Marshal(t.InputSchema)
		switch {
		case own[t.Name]:
			leave("its server has two of this name")
			continue
		case err != nil || len(schema) > maxSchema:
			leave(fmt.Sprintf("its schema is larger than %d kB", maxSchema>>10))
			continue
		}
		own[t.Name] = true
		o := offer{server: r.name, own: t.Name, reads: t.Annotations != nil && t.Annotations.ReadOnlyHint}
		o.tool = tools.Tool{
			Name:        c.nameOf(r.name, t.Name),
			Description: line.Truncate(plain(cmp.Or(t.Description, t.Title, t.Name)), maxDescription),
			Schema:      schema, Effects: !o.reads, Timeout: c.options.Call,
			Call: func(ctx context.Context, args json.RawMessage) (any, error) { return r.call(ctx, t.Name, args) },
		}
		if _, err := tools.NewSet(o.tool); err != nil {
			leave(plain(err.Error()))
			continue
		}
		c.offers = append(c.offers, o)
	}
	return warnings
}

// longestName is the longest name of a tool that services take.
const longestName = 64

// nameOf returns the name of a tool for the agent: its own, with that of its server before it if it is taken, in the
// letters that services take.
func (c *Client) nameOf(server, tool string) string {
	name := allowed(tool)
	for n := 1; c.isTaken(name); n++ {
		name = allowed(server + "_" + tool)
		if n > 1 {
			end := fmt.Sprint("_", n)
			name = name[:min(len(name), longestName-len(end))] + end
		}
	}
	return name
}

func (c *Client) isTaken(name string) bool {
	return slices.Contains(c.options.Taken, name) || name == findName || name == callName ||
		slices.ContainsFunc(c.offers, func(o offer) bool { return o.tool.Name == name })
}

// allowed replaces what a name may not have.
func allowed(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(name[:min(len(name), longestName)], "_")
}

// Tools returns the tools of all servers. If they take more room than [Options].Room, it returns two in their place:
// one finds tools by words and shows their parameters, the other calls one.
func (c *Client) Tools() []tools.Tool {
	if c.options.Room > 0 && c.tokens() > c.options.Room {
		return []tools.Tool{c.findTool(), c.callTool()}
	}
	return c.set.All()
}

// Len returns how many tools the servers have together.
func (c *Client) Len() int { return len(c.offers) }

// tokens returns how much room the tools take in a request.
func (c *Client) tokens() (n int) {
	for _, o := range c.offers {
		for _, text := range []string{o.tool.Name, o.tool.Description, string(o.tool.Schema)} {
			n += toollimit.Tokens(text)
		}
	}
	return n
}

// Changes returns the tool that a call runs, by its name for the agent, if that tool may change something. ok is false
// for a call that only reads, as far as its server says, and for a tool of another client.
func (c *Client) Changes(name string, args json.RawMessage) (tool string, ok bool) {
	if name == callName {
		var in callInput
		if json.Unmarshal(args, &in) != nil {
			return name, true
		}
		name = in.Tool
	}
	o, known := c.offer(name)
	return name, known && !o.reads
}

func (c *Client) offer(name string) (offer, bool) {
	at, ok := slices.BinarySearchFunc(c.offers, name,
		func(o offer, n string) int { return cmp.Compare(o.tool.Name, n) })
	if !ok {
		return offer{}, false
	}
	return c.offers[at], true
}

// Close ends all connections and the programs that Connect started.
func (c *Client) Close() {
	var closed sync.WaitGroup
	for _, r := range c.remotes {
		r.mu.Lock()
		on := r.on
		r.on = nil
		r.mu.Unlock()
		if on != nil {
			closed.Go(on.close)
		}
	}
	closed.Wait()
}
