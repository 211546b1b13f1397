package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/anthropic"
	"github.com/forayhq/foray/providers/providertest"
)

// A claude is a service that enforces what the Messages API documents: the order of messages and results, thinking as it
// was issued and behind the bytes that it was issued for, thinking first in an open turn while it is on, and at most four
// marks of the cache. A block of compaction must come back as it was issued, after the request that it was issued for or
// first of all, and only while compaction is on; then what precedes it does not count. The service caches prefixes at the marks, and finds them from twenty blocks on.
type claude struct {
	t    *testing.T
	seed maphash.Seed

	mu          sync.Mutex
	issued      map[string]issue
	summaries   map[string]issue // by the block of compaction
	compacted   int              // requests with such a block
	compacts    func() bool      // whether the next answer begins with one; nil: never
	cached      map[uint64]bool
	requests    int
	thought     int // requests with thinking on
	refused     []string
	input, read int // bytes
	repeated    int // bytes that an earlier request began with
	sent        map[uint64]bool
}

// An issue is where thinking was issued: the sum of the blocks of the request.
type issue struct {
	blocks int
	sum    uint64
}

func newClaude(t *testing.T) *claude {
	return &claude{t: t, seed: maphash.MakeSeed(), issued: map[string]issue{}, summaries: map[string]issue{}, cached: map[uint64]bool{}, sent: map[uint64]bool{}}
}

// A sent is a block of a request.
type sent struct {
	role  string
	index int // in its message
	raw   string
	mark  bool

	Type, ID, Signature string
	CallID              string `json:"tool_use_id"`
	Cache               any    `json:"cache_control"`
}

// A parsed request is its blocks: that of the tools, those of the system prompt, and those of the messages; how it
// thinks, "" for not at all; and whether the service may compact.
type parsed struct {
	blocks   []sent
	thinking string
	compacts bool
}

func parse(body []byte) (p parsed, err error) {
	var in struct {
		Management struct {
			Edits []struct {
				Type    string
				Trigger struct{ Value int }
			}
		} `json:"context_management"`
		Tools, System []json.RawMessage
		Messages      []struct {
			Role    string
			Content []json.RawMessage
		}
		Thinking struct{ Type string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return p, err
	}
	p.thinking = in.Thinking.Type
	for _, e := range in.Management.Edits {
		p.compacts = e.Type == "compact_20260112" && e.Trigger.Value >= 50_000
	}
	add := func(role string, list []json.RawMessage) error {
		for i, raw := range list {
			b := sent{role: role, index: i}
			if err := json.Unmarshal(raw, &b); err != nil {
				return err
			}
			b.mark = b.Cache != nil
			b.raw = string(bytes.ReplaceAll(raw, []byte(`,"cache_control":{"type":"ephemeral"}`), nil))
			p.blocks = append(p.blocks, b)
		}
		return nil
	}
	if err := errors.Join(add("tools", in.Tools), add("system", in.System)); err != nil {
		return p, err
	}
	for i, m := range in.Messages {
		first := m.Role == "user" || len(m.Content) > 0 && bytes.Contains(m.Content[0], []byte(`"type":"compaction"`))
		if len(m.Content) == 0 || i > 0 && m.Role == in.Messages[i-1].Role || i == 0 && !first {
			return p, fmt.Errorf("messages.%d: empty, or roles do not alternate", i)
		}
		if err := add(m.Role, m.Content); err != nil {
			return p, err
		}
	}
	return p, nil
}

// effective returns the blocks that the model reads, and what is wrong with a compaction.
func (c *claude) effective(p parsed) (blocks []sent, fault string) {
	frame := slices.IndexFunc(p.blocks, func(b sent) bool { return b.role != "tools" && b.role != "system" })
	last := -1
	for i, b := range p.blocks {
		if b.Type != "compaction" {
			continue
		}
		at, known := c.summaries[b.raw]
		switch {
		case !p.compacts:
			return nil, fmt.Sprintf("block %d: compaction is off", i)
		case !known:
			return nil, fmt.Sprintf("block %d: a compaction that was not issued", i)
		case i > frame && (at.blocks != i || c.sums(p.blocks[:i])[i] != at.sum):
			return nil, fmt.Sprintf("block %d: a compaction out of place", i)
		}
		last = i
	}
	if last < 0 {
		return p.blocks, ""
	}
	c.compacted++
	return slices.Concat(p.blocks[:frame], p.blocks[last:]), ""
}

// sums returns the sums of blocks before each and after all.
func (c *claude) sums(blocks []sent) []uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	sums := []uint64{h.Sum64()}
	for _, b := range blocks {
		fmt.Fprintf(&h, "%s %d %s\n", b.role, len(b.raw), b.raw)
		sums = append(sums, h.Sum64())
	}
	return sums
}

// check returns what is wrong with a request, and the sums of its blocks before each and after all.
func (c *claude) check(blocks []sent, budget bool) (sums []uint64, fault string) {
	sums = c.sums(blocks)
	marks, turn := 0, -1 // turn: the last message of the model
	open := map[string]bool{}
	for i, b := range blocks {
		if b.mark {
			marks++
		}
		if b.role == "assistant" && b.index == 0 {
			turn = i
		}
		if b.Type != "tool_result" && b.role == "user" && len(open) > 0 {
			return sums, fmt.Sprintf("block %d: results of calls are missing before it", i)
		}
		switch b.Type {
		case "tool_use":
			open[b.ID] = true
		case "tool_result":
			if !open[b.CallID] {
				return sums, fmt.Sprintf("block %d: a result without its call %s", i, b.CallID)
			}
			delete(open, b.CallID)
		case "thinking":
			at, known := c.issued[b.Signature]
			if !known || at.blocks > i || sums[at.blocks] != at.sum {
				return sums, fmt.Sprintf("block %d: thinking blocks cannot be modified", i)
			}
			for _, between := range blocks[at.blocks:i] {
				if between.role != "assistant" {
					return sums, fmt.Sprintf("block %d: thinking behind another message", i)
				}
			}
		}
	}
	inTurn := len(blocks) > 0 && blocks[len(blocks)-1].Type == "tool_result"
	switch {
	case len(open) > 0:
		return sums, "calls without results at the end"
	case marks > 4:
		return sums, fmt.Sprintf("%d marks of the cache", marks)
	case budget && inTurn && blocks[turn].Type != "thinking":
		return sums, "when thinking is enabled, a final assistant message must start with a thinking block"
	}
	return sums, ""
}

// cache counts what of a request is cached, and caches it at its marks.
func (c *claude) cache(blocks []sent, sums []uint64) {
	const lookBack = 20
	size := make([]int, len(sums))
	for i, b := range blocks {
		size[i+1] = size[i] + len(b.raw)
	}
	hit, again := 0, 0
	for i, sum := range sums {
		if c.sent[sum] {
			again = i
		}
		c.sent[sum] = true
	}
	for i, b := range blocks {
		for back := 0; b.mark && back <= lookBack && back <= i; back++ {
			if c.cached[sums[i+1-back]] {
				hit = max(hit, i+1-back)
			}
		}
	}
	for i, b := range blocks {
		if b.mark {
			c.cached[sums[i+1]] = true
		}
	}
	c.input, c.read, c.repeated = c.input+size[len(blocks)], c.read+size[hit], c.repeated+size[again]
}

// handler answers each request with the turn that next returns.
func (c *claude) handler(next func() providertest.Turn) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			c.t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests++
		p, err := parse(raw)
		fault := fmt.Sprint(err)
		var blocks []sent
		var sums []uint64
		if err == nil {
			if blocks, fault = c.effective(p); fault == "" {
				sums, fault = c.check(blocks, p.thinking == "enabled")
			}
		}
		if fault != "" {
			c.refused = append(c.refused, fault)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, encoded(object{"type": "error", "error": object{"type": "invalid_request_error", "message": fault}}))
			return
		}
		c.cache(blocks, sums)
		turn := next()
		place := issue{len(blocks), sums[len(blocks)]}
		if turn.Compaction = ""; p.compacts && c.compacts != nil && c.compacts() {
			place = c.compact(&turn, blocks, place)
		}
		if p.thinking != "" {
			c.thought++
			turn.Signature = fmt.Sprint("sealed ", c.requests)
			turn.Reasoning = []string{"Let me see."}
			c.issued[turn.Signature] = place
		}
		w.Header().Set("Content-Type", "text/event-stream")
		providertest.Write(w, r, turn, lines(turn))
	}
}

// compact adds a compaction to an answer and returns the place of what follows it.
func (c *claude) compact(turn *providertest.Turn, blocks []sent, place issue) issue {
	size := 0
	for _, b := range blocks {
		size += len(b.raw) / 4
	}
	turn.Compaction = fmt.Sprint("<summary> ", c.requests)
	turn.Usage = providers.Usage{Input: size + 100, Compacted: size, Output: 50}
	b := sent{role: "assistant", raw: encoded(object{
		"type": "compaction", "content": turn.Compaction, "encrypted_content": "sealed <" + turn.Compaction,
	})}
	c.summaries[b.raw] = place
	frame := slices.IndexFunc(blocks, func(b sent) bool { return b.role != "tools" && b.role != "system" })
	read := append(slices.Clone(blocks[:frame]), b)
	return issue{len(read), c.sums(read)[len(read)]}
}

// A player runs windows against the service.
type player struct {
	t      *testing.T
	random *rand.Rand
	calls  int
}

// turn is what the model answers: some calls, or a text.
func (p *player) turn() providertest.Turn {
	turn := providertest.Turn{Finish: providers.Stop}
	if p.random.IntN(3) == 0 {
		turn.Text = []string{"I look ", "at it."}
	}
	if p.random.IntN(8) == 0 {
		turn.Text = []string{"That is all."}
		return turn
	}
	turn.Finish = providers.Calls
	for range 1 + p.random.IntN(4) {
		p.calls++
		turn.Calls = append(turn.Calls, providertest.Call{ID: fmt.Sprint("toolu_", p.calls), Name: "read",
			Args: []string{fmt.Sprintf(`{"path":"file%d.go"}`, p.random.IntN(30))}})
	}
	return turn
}

// result is a result of a call: n lines.
func result(n, of int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%4d\tfunc handler%d_%d(w http.ResponseWriter, r *http.Request) error {\n", i, of, i)
	}
	return b.String()
}

// run runs a window for some steps and returns how often it was compacted. With notes, the runtime says something now
// and then.
func (p *player) run(m providers.Model, b contextwindow.Budget, steps, lines int, notes bool) int {
	w := contextwindow.New(b, &contextwindow.Options{Owns: m.Info().Compacted})
	add := func(head transcript.Message, results ...transcript.Message) {
		if _, err := w.Append(head, results...); err != nil {
			p.t.Fatal(err)
		}
	}
	add(transcript.Message{Role: transcript.User, Text: "What do the handlers do?"})
	for i := range steps {
		if notes && p.random.IntN(4) == 0 {
			w.Note("status", fmt.Sprint("step ", i))
		}
		if _, err := w.Fit(); err != nil {
			p.t.Fatal(err)
		}
		r, err := providers.Ask(p.t.Context(), m, &providers.Request{
			System: "You read code.", Messages: w.View(), MaxOutput: 16_000, ReasoningEffort: "low",
			Tools: []transcript.ToolSchema{{Name: "read", Description: "Read a file.",
				Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		})
		if err != nil {
			p.t.Errorf("step %d: %v", i, err)
			return 0
		}
		if !m.Info().Compacted(r.Message.ProviderData) {
			w.Observe(r.Usage.Input)
		}
		var results []transcript.Message
		for _, call := range r.Message.Calls {
			results = append(results, transcript.Message{Role: transcript.Tool, CallID: call.ID, Name: call.Name,
				Text: result(p.random.IntN(lines), p.calls)})
		}
		add(r.Message, results...)
		if len(results) == 0 {
			add(transcript.Message{Role: transcript.User, Text: fmt.Sprint("And what else, ", i, "?")})
		}
	}
	return len(w.Compactions())
}

// fuzzedRuns is how many runs TestStrictRuns makes.
var fuzzedRuns = flag.Int("runs", 150, "fuzzed runs against the strict service")

// TestStrictRuns runs windows of random sizes, profiles and results, with notes and compactions, against the strict
// service. It must refuse nothing.
func TestStrictRuns(t *testing.T) {
	runs := *fuzzedRuns
	if ostest.RaceDetector {
		runs /= 5 // one goroutine makes them
	}
	profiles := []contextwindow.Profile{contextwindow.Lean, contextwindow.Cheap, contextwindow.Wide, contextwindow.Full}
	compacted := 0
	service := newClaude(t)
	p := &player{t: t}
	answers := service.handler(func() providertest.Turn { return p.turn() })
	service.compacts = func() bool { return p.random.IntN(6) == 0 }
	models := []*anthropic.Model{
		serve(t, answers), serve(t, answers, func(c *anthropic.Config) { c.Name = "claude-opus-5-5" }),
		serve(t, answers, compacting),
		serve(t, answers, func(c *anthropic.Config) { c.Name, c.Compact = "claude-opus-5-5", 50_000 }),
	}
	for seed := range uint64(runs) {
		m := models[seed%4]
		p.random = rand.New(rand.NewPCG(seed, 20))
		b := contextwindow.BudgetOf(2_500+p.random.IntN(12_000), 0, profiles[p.random.IntN(len(profiles))])
		compacted += p.run(m, b, 5+p.random.IntN(20), 5+p.random.IntN(60), true)
		if len(service.refused) > 0 {
			t.Fatalf("seed %d: %q", seed, service.refused)
		}
	}
	t.Logf("%d runs, %d requests, %d of them with thinking, %d compactions, %d by the service, %d requests with one, %d refused",
		runs, service.requests, service.thought, compacted, len(service.summaries), service.compacted, len(service.refused))
	if float64(service.thought) < .6*float64(service.requests) {
		t.Errorf("%d of %d requests have thinking on", service.thought, service.requests)
	}
	if len(service.summaries) < runs || service.compacted < 2*len(service.summaries) {
		t.Errorf("%d compactions by the service, %d requests with one", len(service.summaries), service.compacted)
	}
	if compacted < runs {
		t.Errorf("%d compactions in %d runs", compacted, runs)
	}
}

// TestCachedShare is the share of the input of 60 steps that comes from the cache, under the default profile and the
// budget of a run. What does not come from it is what no request has sent before: results at their first sight, and what
// follows a changed digest. The cache misses nothing else.
func TestCachedShare(t *testing.T) {
	for lines, want := range map[int]float64{20: .92, 60: .86} { // of the larger results, a window is compacted four times
		service := newClaude(t)
		p := &player{t: t, random: rand.New(rand.NewPCG(1, 2))}
		m := serve(t, service.handler(func() providertest.Turn { return p.turn() }))
		b := contextwindow.BudgetOf(200_000, 0, contextwindow.Lean)
		compacted := p.run(m, b.Autonomous(), 60, lines, false)
		share := float64(service.read) / float64(service.input)
		t.Logf("results of up to %d lines: %.3f of %d kB cached, %.3f sent before, %d compactions", lines, share, service.input>>10,
			float64(service.repeated)/float64(service.input), compacted)
		if share < want || float64(service.read) < .995*float64(service.repeated) {
			t.Errorf("cached share %.3f, want at least %.2f and nearly all that was sent before", share, want)
		}
	}
}

// TestStrictServiceRefuses checks that the service refuses what it should.
func TestStrictServiceRefuses(t *testing.T) {
	service := newClaude(t)
	turn := providertest.Turn{Finish: providers.Calls, Calls: []providertest.Call{{ID: "toolu_1", Name: "read", Args: []string{"{}"}}}}
	m := serve(t, service.handler(func() providertest.Turn { return turn }), func(c *anthropic.Config) {})
	ask := func(messages ...transcript.Message) (*providers.Response, error) {
		return providers.Ask(t.Context(), m, &providers.Request{Messages: messages, MaxOutput: 16_000, ReasoningEffort: "low"})
	}
	question := transcript.Message{Role: transcript.User, Text: "What is in a.go?"}
	r, err := ask(question)
	if err != nil {
		t.Fatal(err)
	}
	answer := transcript.Message{Role: transcript.Tool, CallID: "toolu_1", Name: "read", Text: "package a"}
	if _, err := ask(question, r.Message, answer); err != nil {
		t.Errorf("an equal prefix: %v", err)
	}
	changed := question
	changed.Text += " "
	if _, err := ask(changed, r.Message, answer); err == nil {
		t.Error("thinking behind a changed byte is accepted")
	}
	if _, err := ask(question, r.Message); err == nil {
		t.Error("a call without its result is accepted")
	}
}
