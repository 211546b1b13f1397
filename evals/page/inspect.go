package page

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/traceline"
	"github.com/forayhq/foray/providers"
)

// viewer is the script of the page of one run: the parts of a trial, and what keeps them up to date.
var viewer = read("base.js", "list.js", "window.js", "timeline.js", "requests.js", "trial.js", "inspect.js")

// WriteViewer writes the page of one run to w, and returns its content security policy. The page holds no data: its
// script asks the host that it came from, with the token in the fragment of its address as a bearer, for
//
//	session     what [ReadRun] returns
//	policies    the run under other policies: a compaction.Side
//	events      server-sent events: "changed" when the session has changed, and "ended" after its last change
func WriteViewer(w io.Writer, title string) (policy string, err error) {
	v := view{Title: visible(title), Early: template.JS(early), Script: template.JS(viewer), Style: template.CSS(style)}
	policy = fmt.Sprintf("default-src 'none'; script-src '%s' '%s'; style-src '%s'; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
		hash(early), hash(viewer), hash(style))
	if err := pages().ExecuteTemplate(w, "inspect.html", v); err != nil {
		return "", fmt.Errorf("write the page: %w", err)
	}
	return policy, nil
}

// A Run is what the page of one run shows. It is data for the page, as JSON.
type Run struct {
	Sections []string  `json:"sections"`
	Data     *details  `json:"data"`
	Tools    []toolSum `json:"tools"` // by tokens shown, most first
	Files    []toolSum `json:"files"` // likewise, of the calls that name one
	Priced   bool      `json:"priced"`
	Cost     float64   `json:"cost"` // in US dollars, of all runs
}

// Ended reports whether the trace has its end.
func (r *Run) Ended() bool { return r.Data.Stop != "" }

// A toolSum says what the calls of a tool, or on a file, brought in. Sizes are estimates in tokens.
type toolSum struct {
	Name     string  `json:"name"`
	Calls    int     `json:"calls"`
	Failed   int     `json:"failed"`
	Received int     `json:"received"` // as the tools returned it
	Shown    int     `json:"shown"`    // as it entered the window
	Carried  int     `json:"carried"`  // shown, once for each later request, as if nothing was evicted
	Cost     float64 `json:"cost"`     // of Shown, read once at the full price of input, in US dollars
}

// inspected are the bounds of the page of one run: every request of some thousand steps is shown.
var inspected = bounds{trial: 96 << 20, text: 256 << 10, events: 100_000, requests: 4_000}

// ReadRun reads a trace, which may still be written to. Open opens it anew each time. Price returns the price of a
// model, and false if it is unknown.
func ReadRun(ctx context.Context, open func(context.Context) (io.ReadCloser, error),
	price func(provider, model string) (providers.Price, bool),
) (*Run, error) {
	read := func(take func(io.Reader)) error {
		in, err := open(ctx)
		if err == nil {
			take(in)
			err = in.Close()
		}
		return err
	}
	var s *sessionReader
	if err := read(func(in io.Reader) { s = readSession(in, inspected) }); err != nil {
		return nil, err
	}
	var c costs
	err := errors.Join(read(func(in io.Reader) { s.readRequests(ctx, in) }), read(func(in io.Reader) { c.read(in) }),
		ctx.Err())
	if err != nil {
		return nil, err
	}
	d := &details{Prompt: shown(c.prompt, inspected.text), Answer: shown(c.answer, inspected.text), Stop: visible(c.stop),
		Usage: c.usage, Calls: c.calls, Session: s.session}
	if c.question != c.prompt {
		d.Question = shown(c.question, inspected.text)
	}
	run := &Run{Sections: sections, Data: d}
	var p providers.Price
	if len(s.session.Agents) > 0 {
		p, run.Priced = price(s.session.Agents[0].provider, s.session.Agents[0].Model)
	}
	run.Cost = p.Cost(c.usage)
	run.Tools = c.sums(p, func(o *origin) string { return o.tool })
	run.Files = c.sums(p, func(o *origin) string { return o.file })
	return run, nil
}

// costs sums what the results of a trace take.
type costs struct {
	question, prompt, answer, stop string
	usage, before                  providers.Usage // of all runs; of those before the newest one
	last                           int             // step
	calls                          []madeCall
	origins                        []origin
	open                           []transcript.ToolCall // of the step
	failed                         map[string]bool       // calls
	requests                       int
}

// An origin is one result.
type origin struct {
	tool, file      string
	failed          bool
	received, shown int
	request         int // that led to it
}

// read reads lines as far as they can be read: [readSession] names what is wrong with them.
func (c *costs) read(r io.Reader) {
	in, name := bufio.NewReader(r), ""
	c.failed = make(map[string]bool)
	for {
		raw, err := in.ReadBytes('\n')
		var l traceline.Line
		if json.Unmarshal(bytes.TrimSpace(raw), &l) != nil {
			return
		}
		if name = cmp.Or(name, l.Agent); l.Agent == name {
			size := func(i int) (received, shown int) { return l.Results[i].Received, l.Results[i].Shown }
			c.take(&l, size, len(l.Results))
		}
		if err != nil {
			return
		}
	}
}

func (c *costs) take(l *traceline.Line, size func(int) (received, shown int), sizes int) {
	switch l.Event {
	case "entries":
		for _, e := range l.Entries {
			if e.Unit == nil {
				continue
			}
			for i := range e.Unit.Messages {
				m := &e.Unit.Messages[i]
				if c.opens(m) {
					c.prompt = m.Text
				}
				c.failed[m.CallID] = c.failed[m.CallID] || m.Failed
			}
		}
	case "started":
		c.question = cmp.Or(l.Input, c.question)
	case "request":
		c.requests++
	case "text":
		c.answer += l.Text
	case "tool_started":
		c.open, c.answer = append(c.open, *callOf(l.Call)), ""
	case "stepped":
		c.step(size, sizes)
	case "done":
		c.stop, c.answer = string(l.Stop), cmp.Or(l.Text, c.answer)
	}
	if l.Usage == nil {
		return
	}
	switch l.Event {
	case "stepped":
		if l.Step <= c.last { // of another question in the session
			c.before = c.usage
		}
		c.usage, c.last = c.usage.Add(*l.Usage), l.Step
	case "done": // with what its steps do not say
		c.usage = c.before.Add(*l.Usage)
	}
}

// opens reports whether a message opens the run: it holds what the user asked. Without that, it is the last one before
// the first request. Later ones were sent to the run in progress.
func (c *costs) opens(m *transcript.Message) bool {
	if m.Role != transcript.User || m.Origin == transcript.Runtime || m.Origin == transcript.History {
		return false
	}
	if c.question == "" {
		return c.requests == 0
	}
	return strings.Contains(m.Text, c.question)
}

// step takes the calls of a step, whose results come in their order.
func (c *costs) step(size func(int) (received, shown int), sizes int) {
	for i, call := range c.open {
		o := origin{tool: call.Name, file: fileOf(call.Args), failed: c.failed[call.ID], request: c.requests}
		if i < sizes {
			o.received, o.shown = size(i)
		}
		c.origins = append(c.origins, o)
		c.calls = append(c.calls, madeCall{visible(call.Name), visible(string(call.Args)), o.failed})
	}
	c.open = nil
}

// fileOf returns the file that a call names; "" for none.
func fileOf(args json.RawMessage) string {
	var named map[string]json.RawMessage
	if json.Unmarshal(args, &named) != nil {
		return ""
	}
	for _, name := range []string{"path", "file", "file_path", "filename"} {
		var path string
		if json.Unmarshal(named[name], &path) == nil && path != "" {
			return path
		}
	}
	return ""
}

// sums adds up the results of each name, and leaves out those without one.
func (c *costs) sums(p providers.Price, name func(*origin) string) []toolSum {
	index, out := make(map[string]int), []toolSum{}
	for i := range c.origins {
		o := &c.origins[i]
		n := visible(name(o))
		if n == "" {
			continue
		}
		at, known := index[n]
		if !known {
			at = len(out)
			index[n] = at
			out = append(out, toolSum{Name: n})
		}
		s := &out[at]
		s.Calls++
		if o.failed {
			s.Failed++
		}
		s.Received += o.received
		s.Shown += o.shown
		s.Carried += o.shown * max(c.requests-o.request, 0)
	}
	for i := range out {
		out[i].Cost = p.Cost(providers.Usage{Input: out[i].Shown})
	}
	slices.SortStableFunc(out, func(a, b toolSum) int {
		return cmp.Or(cmp.Compare(b.Shown, a.Shown), cmp.Compare(a.Name, b.Name))
	})
	return out
}
