package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers"
)

// A request is one request as it was sent, and how it differs from one before it.
type request struct {
	Point    int     `json:"point"`          // from 1
	Base     int     `json:"base,omitempty"` // the request that it is compared with, from 1; 0 for none
	System   int     `json:"system,omitempty"`
	Tools    int     `json:"tools,omitempty"`
	Settings string  `json:"settings,omitempty"`
	Ratio    float64 `json:"ratio"` // of tokens to estimated tokens

	// The messages are the first Keep of Base, and then Rest. Was has for each of Rest what it was in Base: itself,
	// another message that it is a version of, or -1, for it is new. Gone are those of Base that have no version here.
	// All are indexes of messages.
	Keep int   `json:"keep,omitempty"`
	Rest []int `json:"rest"`
	Was  []int `json:"was"`
	Gone []int `json:"gone,omitempty"`

	// Back has for each of Rest how many of its lines an earlier request held and Base did not; -1 for all of it.
	// Without any, it is empty.
	Back []int `json:"back,omitempty"`
}

// A message is one message of a request.
type message struct {
	Role   string `json:"role"`
	Origin string `json:"origin,omitempty"`
	Name   string `json:"name,omitempty"` // of the tool that a result is of
	Failed bool   `json:"failed,omitempty"`
	Text   int    `json:"text,omitempty"`
	Calls  []said `json:"calls,omitempty"`
	Data   int    `json:"data,omitempty"` // bytes that only the provider reads
	Tokens int    `json:"tokens"`

	key string // names the message while its text changes
}

// A said call is one in an assistant's message.
type said struct {
	Name string `json:"name"`
	Args int    `json:"args,omitempty"`
}

// A requestReader adds the requests to a session.
type requestReader struct {
	session  *session
	pool     *pool
	messages messagePool
	lines    [][]uint64        // of each message, see linesOf
	last     map[string]*built // by agent
}

// built is a request that later ones are compared with.
type built struct {
	number   int
	messages []int
	memory   memory
}

// readRequests rebuilds requests of a trace, at most as many as the bounds allow, in half of the room for texts and
// what the timeline left.
func (s *sessionReader) readRequests(ctx context.Context, r io.Reader) {
	points := s.session.Window
	lines := choose(points, s.bounds.requests)
	if n := len(points) - len(lines); n > 0 {
		s.session.Left.add("%s of %s are not shown message by message: those shown are around compactions, the first "+
			"and the last.", line.Number(n), line.Count(len(points), "request"))
	}
	s.pool.most = s.bounds.trial
	reader := requestReader{session: s.session, pool: &s.pool, last: make(map[string]*built)}
	for q, err := range trace.ReadSome(r, func(n int) bool { return lines[n] && ctx.Err() == nil }) {
		if err != nil {
			if ctx.Err() == nil {
				s.session.Left.add("Requests: %s", visible(err.Error()))
			}
			break
		}
		at, found := slices.BinarySearchFunc(points, q.Line, func(p point, n int) int { return cmp.Compare(p.line, n) })
		if found {
			report := q.Explain()
			points[at].explain(report)
			reader.add(at+1, &q, report.Ratio)
			points[at].Request = len(s.session.Requests)
		}
	}
	s.session.Messages = append(s.session.Messages, reader.messages.messages...)
	s.session.Texts = append(s.session.Texts, s.pool.texts...)
	if s.pool.refuse > 0 {
		s.session.Left.add("%s of this trial are not in the page.", line.Count(s.pool.refuse, "text"))
	}
}

// add adds a request and compares it with the last one of its agent.
func (r *requestReader) add(point int, q *trace.Request, ratio float64) {
	out := request{Point: point, Ratio: ratio, System: r.pool.add(q.Request.System),
		Tools: r.pool.add(toolsText(q.Request.Tools)), Settings: settings(&q.Request)}
	now := make([]int, len(q.Request.Messages))
	for i := range q.Request.Messages {
		m := &q.Request.Messages[i]
		if now[i] = r.messages.add(r.message(m)); now[i] == len(r.lines) {
			r.lines = append(r.lines, linesOf(m))
		}
	}
	base := r.last[q.Agent]
	if base == nil {
		base = &built{memory: memory{make(map[int]bool), make(map[uint64]int)}}
	}
	out.Base = base.number
	for out.Keep < min(len(now), len(base.messages)) && now[out.Keep] == base.messages[out.Keep] {
		out.Keep++
	}
	out.Rest = now[out.Keep:]
	out.Was, out.Gone = r.compare(base.messages[out.Keep:], out.Rest)
	out.Back = r.back(&base.memory, out.Rest, out.Was)
	base.memory.hold(base.messages[out.Keep:], out.Rest, r.lines)
	r.session.Requests = append(r.session.Requests, out)
	r.last[q.Agent] = &built{len(r.session.Requests), now, base.memory}
}

// back returns what came back of each message, or nil if nothing did.
func (r *requestReader) back(b *memory, now, was []int) (back []int) {
	for i, m := range now {
		if was[i] == m {
			continue
		}
		n := b.back(m, r.lines[m], r.messages.messages[m].Role == string(transcript.Tool))
		if n == 0 {
			continue
		}
		if back == nil {
			back = make([]int, len(now))
		}
		back[i] = n
	}
	return back
}

// compare finds what each message was before, and which ones are gone.
func (r *requestReader) compare(before, now []int) (was, gone []int) {
	was = make([]int, len(now))
	free := slices.Clone(before) // messages that nothing was found for, or -1
	match := func(same func(a, b int) bool) {
		for i, m := range now {
			if was[i] >= 0 {
				continue
			}
			if j := slices.IndexFunc(free, func(b int) bool { return b >= 0 && same(b, m) }); j >= 0 {
				was[i], free[j] = free[j], -1
			}
		}
	}
	for i := range was {
		was[i] = -1
	}
	match(func(a, b int) bool { return a == b })
	match(func(a, b int) bool { return r.messages.messages[a].key == r.messages.messages[b].key })
	return was, slices.DeleteFunc(free, func(m int) bool { return m < 0 })
}

// message returns a message as the page shows it.
func (r *requestReader) message(m *transcript.Message) message {
	out := message{Role: visible(string(m.Role)), Origin: visible(string(m.Origin)), Name: visible(m.Name),
		Failed: m.Failed, Text: r.pool.add(m.Described()), Tokens: m.Tokens()}
	if m.ProviderData != nil {
		out.Data = len(m.ProviderData.Data)
	}
	ids := []string{string(m.Role), string(m.Origin), m.CallID}
	for _, c := range m.Calls {
		out.Calls = append(out.Calls, said{visible(c.Name), r.pool.add(string(c.Args))})
		ids = append(ids, c.ID)
	}
	if m.CallID == "" && len(m.Calls) == 0 && m.Origin != transcript.Runtime {
		ids = append(ids, line.Truncate(m.Text, 40))
	}
	out.key = strings.Join(ids, "\x00")
	return out
}

// toolsText writes schemas of tools as indented JSON.
func toolsText(tools []transcript.ToolSchema) string {
	if len(tools) == 0 {
		return ""
	}
	raw, err := json.MarshalIndent(tools, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// settings writes what else a request says, in one line.
func settings(r *providers.Request) string {
	var parts []string
	add := func(format string, v any) { parts = append(parts, fmt.Sprintf(format, v)) }
	if r.Choice != "" {
		add("tool choice %v", r.Choice)
	}
	if r.MaxOutput > 0 {
		add("at most %s tokens out", line.Number(r.MaxOutput))
	}
	if r.SchemaName != "" || r.Schema != nil {
		add("answer in the schema %v", cmp.Or(r.SchemaName, "given"))
	}
	if r.Temperature != nil {
		add("temperature %v", *r.Temperature)
	}
	if r.TopP != nil {
		add("top_p %v", *r.TopP)
	}
	if r.Seed != nil {
		add("seed %v", *r.Seed)
	}
	if r.ReasoningEffort != "" {
		add("reasoning %v", r.ReasoningEffort)
	}
	return visible(strings.Join(parts, " · "))
}
