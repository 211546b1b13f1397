package openai_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/ostest"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/openai"
	"github.com/forayhq/foray/providers/providertest"
	"github.com/forayhq/foray/providers/providertest/strict"
)

// summarized is what the service made of a conversation.
const summarized = `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA \u003cb> +/="}`

// The service compacts in the middle of an answer: what it sends, byte for byte, begins the next request.
func TestCompaction(t *testing.T) {
	counted := `"usage":{"input_tokens":250000,"input_tokens_details":{"cached_tokens":90000},"output_tokens":700}`
	bodies := new([]string)
	answers := []string{
		began + strings.Replace(items(reasoned, summarized, message, called), "event: response.output_item.done",
			"event: response.compaction.compacting\ndata: {\"type\":\"response.compaction.compacting\",\"item_id\":\"cmp_1\",\"output_index\":1}\n\n"+
				"event: response.output_item.done", 1) + ends("completed", counted),
		items(strings.Replace(called, "call_a", "call_b", 1), summarized) + ends("completed", counted),
		items(summarized, message) + ends("incomplete", counted+`,"incomplete_details":{"reason":"max_output_tokens"}`),
	}
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw := new(strings.Builder)
		_ = r.Write(raw)
		*bodies = append(*bodies, raw.String()[strings.Index(raw.String(), "{"):])
		stream(answers[len(*bodies)-1])(w, r)
	}, onResponses, compacting)
	question := transcript.Message{Role: transcript.User, Text: "Let's begin a long coding task."}
	req := &providers.Request{Messages: []transcript.Message{question}}
	r, err := providers.Ask(t.Context(), m, req)
	if err != nil || r.Message.Text != "Let me look." || !m.Info().Compacted(r.Message.ProviderData) {
		t.Fatalf("%+v, %v", r, err)
	}
	if want := (providers.Usage{Input: 250_000, Cached: 90_000, Output: 700, Compacted: 250_000}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
	if tokens := r.Message.ProviderData.Tokens; tokens > 100 {
		t.Errorf("the items are estimated at %d tokens", tokens)
	}
	req.Messages = append(req.Messages, r.Message, transcript.Message{Role: transcript.Tool, CallID: "call_a", Name: "list", Text: "a.go"})
	r, err = providers.Ask(t.Context(), m, req)
	if err != nil || r.Message.ProviderData == nil || r.Message.ProviderData.Compacts {
		t.Errorf("a call in front of the compaction would lose its result: %+v, %v", r.Message.ProviderData, err)
	}
	if r, err = providers.Ask(t.Context(), m, req); err != nil || r.Message.ProviderData != nil || r.Usage.Compacted != r.Usage.Input {
		t.Errorf("an answer that was cut off: %+v, %v", r, err)
	}
	if !strings.Contains((*bodies)[0], `"context_management":[{"type":"compaction","compact_threshold":20000}]`) {
		t.Error((*bodies)[0])
	}
	want := []string{summarized, message, called, `{"type":"function_call_output","call_id":"call_a","output":"a.go"}`}
	if got := input(t, (*bodies)[1]); !slices.Equal(got, want) {
		t.Errorf("the next request has %q, want %q", got, want)
	}
}

// A wire, a model or a size that the service does not compact is refused before any request.
func TestNoCompaction(t *testing.T) {
	for name, c := range map[string]openai.Config{
		"on its responses wire":      {Name: "gpt-5.5", Wire: openai.Chat, Compact: 20_000},
		"on its responses wire: too": {Name: "gpt-5.5", Quirks: &openai.Quirks{NoReasoningBack: true}, Compact: 20_000},
		"for its models that reason": {Name: "gpt-4.1", Compact: 20_000},
		"1000 or more":               {Name: "gpt-5.5", Compact: 999},
	} {
		c.Key = key
		_, err := openai.New(c)
		if want, _, _ := strings.Cut(name, ": "); !errors.Is(err, providers.ErrNoCompaction) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := openai.New(openai.Config{Name: "gpt-5.5", Key: key, Compact: 20_000}); err != nil || m.Info().Compaction.At != 20_000 {
		t.Error(err)
	}
}

// fuzzedRuns is how many runs TestStrictCompaction makes.
var fuzzedRuns = flag.Int("runs", 60, "fuzzed runs against the strict service")

// TestStrictCompaction runs windows of random sizes and profiles, with notes and compactions, against a service that
// compacts now and then and refuses what is out of place. It must refuse nothing.
func TestStrictCompaction(t *testing.T) {
	ostest.SkipRaced(t)
	profiles := []contextwindow.Profile{contextwindow.Lean, contextwindow.Cheap, contextwindow.Wide, contextwindow.Full}
	requests, by, own := 0, 0, 0
	for seed := range uint64(*fuzzedRuns) {
		random := rand.New(rand.NewPCG(seed, 20))
		bound := strict.New(nil)
		m := serve(t, bound.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			turn := providertest.Turn{Signature: fmt.Sprint("sealed ", requests), Finish: providers.Calls, Calls: []providertest.Call{
				{ID: fmt.Sprint("c", requests), Name: "read", Args: []string{fmt.Sprintf(`{"path":"%d.go"}`, random.IntN(20))}}}}
			if random.IntN(12) == 0 {
				turn.Compaction, turn.Usage = fmt.Sprint("summary ", requests), providers.Usage{Input: 9, Output: 1}
				by++
			}
			service{w, r, "responses", turn}.answer()
		})).ServeHTTP, onResponses, compacting)
		w := contextwindow.New(contextwindow.BudgetOf(1_500+random.IntN(3_000), 0, profiles[random.IntN(len(profiles))]),
			&contextwindow.Options{Owns: m.Info().Compacted})
		add := func(head transcript.Message, results ...transcript.Message) {
			if _, err := w.Append(head, results...); err != nil {
				t.Fatal(err)
			}
		}
		add(transcript.Message{Role: transcript.User, Text: "What is here?"})
		for i := range 8 + random.IntN(20) {
			if random.IntN(4) == 0 {
				w.Note("status", fmt.Sprint("round ", i))
			}
			if _, err := w.Fit(); err != nil && !errors.Is(err, contextwindow.ErrThrash) {
				t.Fatal(err)
			}
			r, err := providers.Ask(t.Context(), m, &providers.Request{Messages: w.View()})
			if err != nil {
				t.Fatalf("seed %d, round %d: %v", seed, i, err)
			}
			call := r.Message.Calls[0]
			add(r.Message, transcript.Message{Role: transcript.Tool, CallID: call.ID, Name: call.Name,
				Text: strings.Repeat(fmt.Sprintf("line %d of the file\n", requests), random.IntN(80))})
		}
		own += len(slices.DeleteFunc(slices.Clone(w.Compactions()), contextwindow.Compaction.ByServer))
		if refused, with := bound.Refused(); refused > 0 || with == 0 {
			t.Fatalf("seed %d: %d of %d requests refused", seed, refused, with)
		}
	}
	t.Logf("%d runs, %d requests, %d compactions by the service, %d by the window", *fuzzedRuns, requests, by, own)
	if by < *fuzzedRuns || own < *fuzzedRuns/2 {
		t.Errorf("%d compactions by the service, %d by the window", by, own)
	}
}

// Another account gets all that was said, and not what the service encrypted for the first.
func TestCompactionOfAnAccount(t *testing.T) {
	var got string
	handler := func(w http.ResponseWriter, r *http.Request) {
		raw := new(strings.Builder)
		_ = r.Write(raw)
		got = raw.String()
		stream(items(summarized, reasoned, called)+completed)(w, r)
	}
	model := func(key string) *openai.Model {
		return serve(t, handler, onResponses, compacting, func(c *openai.Config) { c.Key = key })
	}
	one := model("sk-one-0123456789")
	question := transcript.Message{Role: transcript.User, Text: "What is here?"}
	r, err := providers.Ask(t.Context(), one, &providers.Request{Messages: []transcript.Message{question}})
	if err != nil {
		t.Fatal(err)
	}
	two := model("sk-two-0123456789")
	if two.Info().Compacted(r.Message.ProviderData) || one.Info() == two.Info() {
		t.Error("the other account reads it, too")
	}
	req := &providers.Request{Messages: []transcript.Message{question, r.Message,
		{Role: transcript.Tool, CallID: "call_a", Name: "list", Text: "a.go"}}}
	if _, err := providers.Ask(t.Context(), two, req); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got, "gAAAA") || !strings.Contains(got, question.Text) {
		t.Error(got)
	}
}
