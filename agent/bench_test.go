package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forayhq/foray/agent"
	agenttrace "github.com/forayhq/foray/agent/trace"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
)

// source is what code reads like.
var source = []string{
	"// Validate checks the request against the limits of the account and returns the first rule that it breaks.",
	"func (s *Server) Validate(ctx context.Context, req *Request) error {",
	"\tif req.Amount <= 0 {",
	"\t\treturn fmt.Errorf(\"amount must be positive: %w\", ErrInvalid)",
	"\t}",
	"\taccount, err := s.accounts.Find(ctx, req.Account)",
	"\tif err != nil {",
	"\t\treturn fmt.Errorf(\"finding account %s: %w\", req.Account, err)",
	"\t}",
	"\treturn account.Allows(req.Kind, req.Amount)",
	"}",
	"",
}

// page is 4 KB of text as a tool would return it, different for each n.
func page(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Package page%d is page %d.\n", n, n)
	for i := 0; b.Len() < 4_096; i++ {
		b.WriteString(source[i%len(source)])
		b.WriteByte('\n')
	}
	return b.String()[:4_096]
}

// forms are the lines of a file. Each @ stands for a name that is drawn anew.
var forms = []string{
	"// @ checks the @ against the limits of the @ and returns the first rule that it breaks.",
	"func (s *@) @@(ctx context.Context, req *@Request) (*@Result, error) {",
	"\tif req.@ <= 0 || len(req.@) > max@ {",
	"\t\treturn nil, fmt.Errorf(\"@ of the @ must be positive: %w\", Err@)",
	"\t}",
	"\tfound, err := s.@.Find@(ctx, req.@)",
	"\tif err != nil {",
	"\t\treturn nil, fmt.Errorf(\"finding @ %s: %w\", req.@, err)",
	"\t}",
	"\treturn s.@.Allow(ctx, &@Result{@: found, @ID: req.@.ID}), nil",
	"}",
	"",
}

var names = strings.Fields("Account Amount Balance Batch Branch Bucket Cache Channel Client Cluster Commit Config Cursor Customer " +
	"Device Digest Domain Event Export Filter Folder Handler Header History Import Index Invoice Item Journal Layout Ledger Limit " +
	"Lock Message Method Metric Module Network Node Object Order Package Payment Period Pool Price Profile Project Proxy Query " +
	"Queue Quota Rate Record Region Release Report Request Route Rule Sample Schema Score Season Section Server Session Shard " +
	"Signal Snapshot Source Stage State Stream Symbol Table Target Task Template Tenant Ticket Token Topic Trace Transfer Unit " +
	"Update User Value Vendor Version View Volume Window Worker Zone")

// file is 4 KB of source code, different for each n.
func file(n int) string {
	random := rand.New(rand.NewPCG(uint64(n), 0))
	name := func() string { return names[random.IntN(len(names))] }
	var b strings.Builder
	fmt.Fprintf(&b, "// Package p%d is services/%s/v%d.\n", n, strings.ToLower(name()), n)
	for i := 0; b.Len() < 4_096; i++ {
		for k, text := range strings.Split(forms[i%len(forms)], "@") {
			if k > 0 {
				b.WriteString(name())
			}
			if k > 0 && random.IntN(3) == 0 {
				b.WriteString(name())
			}
			b.WriteString(text)
		}
		b.WriteByte('\n')
	}
	return b.String()[:4_096]
}

// systemPrompt is as long as those of agents that explore code: a few hundred tokens.
var systemPrompt = strings.Repeat("Read before you answer. Cite the lines that a statement rests on, as path:12-30. Call several tools at once "+
	"where one does not need the result of another. Say what you did not find and where you looked. Do not repeat a call.\n", 6)

// A reader is a model that calls a tool so many times, one call a step, and then answers. It has no state: which step
// it is follows from the newest call.
type reader struct {
	calls   int
	observe func(*providers.Request)
}

func (reader) Info() providers.Info {
	return providers.Info{Provider: "test", Name: "reader", Window: 32_000}
}

func (m reader) Stream(_ context.Context, req *providers.Request) iter.Seq2[providers.Delta, error] {
	return func(yield func(providers.Delta, error) bool) {
		if m.observe != nil {
			m.observe(req)
		}
		next := 0
		if id, called := strings.CutPrefix(req.Messages[len(req.Messages)-1].CallID, "call_"); called {
			last, err := strconv.Atoi(id)
			if err != nil {
				yield(providers.Delta{}, err)
				return
			}
			next = last + 1
		}
		d, finish := providers.Delta{Text: "done"}, providers.Stop
		if next < m.calls {
			n := strconv.Itoa(next)
			d = providers.Delta{Call: &transcript.ToolCall{ID: "call_" + n, Name: "read", Args: json.RawMessage(`{"n":` + n + `}`)}}
			finish = providers.Calls
		}
		_ = yield(d, nil) && yield(providers.Delta{Finish: finish}, nil)
	}
}

// callsOf4KB is an agent whose model reads so many texts of 4 KB, with a budget of 24,000 tokens.
func callsOf4KB(t testing.TB, profile contextwindow.Profile, texts []string, observe func(*providers.Request)) *agent.Agent {
	type input struct {
		N int `json:"n" jsonschema:"minimum=0"`
	}
	read := tools.New("read", "Read a page.", func(_ context.Context, in input) (string, error) { return texts[in.N], nil })
	a, err := agent.New(agent.Config{
		Model:  reader{len(texts), observe},
		System: systemPrompt,
		Tools:  []tools.Tool{read},
		Budget: contextwindow.Budget{Limit: 24_000, Profile: profile},
		Limits: agent.Limits{Steps: len(texts) + 10},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func texts(calls int, text func(n int) string) []string {
	all := make([]string, calls)
	for i := range all {
		all[i] = text(i)
	}
	return all
}

// BenchmarkLoop runs tool calls of 4 KB through the whole loop with a scripted model and a budget of 24,000 tokens. It
// reports time and memory of a call: the mean of all, and the mean of the last half or the last 1,000.
func BenchmarkLoop(b *testing.B) {
	all := texts(20_000, file)
	for _, bench := range []struct {
		profile contextwindow.Profile
		calls   int
	}{
		{contextwindow.Lean, 200}, {contextwindow.Lean, 2_000}, {contextwindow.Lean, 20_000},
		{contextwindow.Ladder, 200}, {contextwindow.Ladder, 2_000}, {contextwindow.Off, 200},
	} {
		b.Run(fmt.Sprintf("%s/%d", bench.profile, bench.calls), func(b *testing.B) { benchmarkLoop(b, bench.profile, all[:bench.calls]) })
	}
}

func benchmarkLoop(b *testing.B, profile contextwindow.Profile, texts []string) {
	calls := len(texts)
	last, requests := min(calls/2, 1_000), 0
	var lastBegan time.Time
	var lastTook time.Duration
	a := callsOf4KB(b, profile, texts, func(*providers.Request) {
		switch requests++; requests {
		case calls - last + 1:
			lastBegan = time.Now()
		case calls + 1:
			lastTook, requests = lastTook+time.Since(lastBegan), 0
		}
	})
	var before, after runtime.MemStats
	b.ReportAllocs()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		result, err := a.Run(context.Background(), "Read all pages and say what they hold.")
		if err != nil || result.Stop != agent.Answered || len(result.Tools) != calls {
			b.Fatalf("%v: %+v", err, result)
		}
	}
	runtime.ReadMemStats(&after)
	all := float64(b.N * calls)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/all, "µs/call")
	b.ReportMetric(float64(lastTook.Nanoseconds())/1e3/float64(b.N*last), "µs/last-call")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/all, "B/call")
}

// BenchmarkTrace runs 400 tool calls of 4 KB with their trace, and rebuilds the 401 requests from it.
func BenchmarkTrace(b *testing.B) {
	a := callsOf4KB(b, contextwindow.Lean, texts(400, file), nil)
	var trace bytes.Buffer
	write := func() {
		trace.Reset()
		for range agenttrace.Write(a.Stream(context.Background(), agent.Task{Prompt: "Read all pages and tell what they say."}), &trace) {
		}
	}
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			write()
		}
	})
	write()
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(trace.Len()))
		for b.Loop() {
			if requests, err := readTrace(trace.Bytes()); err != nil || len(requests) != 401 {
				b.Fatalf("%d requests: %v", len(requests), err)
			}
		}
	})
}

func firstCall(m transcript.Message) string {
	if len(m.Calls) == 0 {
		return ""
	}
	return m.Calls[0].ID
}

// TestEveryRequestFits runs 200 tool calls of 4 KB and checks each of the 201 requests, and how much of them a
// provider's cache can use again.
func TestEveryRequestFits(t *testing.T) {
	const prompt = "Read all pages and tell what they say."
	var requests, sent, common, fresh int
	var last []transcript.Message
	seen := make(map[string]bool)
	a := callsOf4KB(t, contextwindow.Ladder, texts(200, page), func(req *providers.Request) {
		requests++
		if len(req.Messages) == 0 || req.Messages[0].Text != prompt {
			t.Errorf("request %d does not begin with the prompt", requests)
		}
		fixed := toollimit.Tokens(req.System) + toollimit.Tokens(string(req.Tools[0].Schema))
		total, same := fixed, fixed
		prefix := true
		for i, m := range req.Messages {
			size := m.Tokens()
			total += size
			prefix = prefix && i < len(last) && last[i].Text == m.Text && last[i].CallID == m.CallID && len(last[i].Calls) == len(m.Calls)
			if prefix {
				same += size
			}
		}
		if total > 24_000 {
			t.Errorf("request %d takes %d tokens", requests, total)
		}
		for i := len(req.Messages) - 1; i >= 0 && !seen[req.Messages[i].CallID+string(req.Messages[i].Role)+firstCall(req.Messages[i])]; i-- {
			seen[req.Messages[i].CallID+string(req.Messages[i].Role)+firstCall(req.Messages[i])] = true
			fresh += req.Messages[i].Tokens()
		}
		sent, common, last = sent+total, common+same, req.Messages
	})
	result, err := a.Run(context.Background(), prompt)
	if err != nil || requests != 201 || len(result.Tools) != 200 {
		t.Fatalf("%d requests, %d calls: %v", requests, len(result.Tools), err)
	}
	ratio := float64(common) / float64(sent)
	t.Logf("Σ common prefix ÷ Σ sent = %.3f, ceiling %.3f; compactions %d; sent %d", ratio, 1-float64(fresh)/float64(sent), len(result.Compactions), sent)
	if ratio < .90 {
		t.Errorf("prefix ratio %.3f, want at least .90", ratio)
	}
}
