package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/tools"
)

func TestOverflowShrinksAndTriesAgain(t *testing.T) {
	page := strings.Repeat("some words of a page\n", 200)
	read := tools.New("read", "Read.", func(_ context.Context, in numberInput) (string, error) {
		return fmt.Sprint("page ", in.N, "\n", page), nil
	})
	var lines []scripted.Line
	for n := range 12 {
		lines = append(lines, scripted.Calls(scripted.Call{Name: "read", Args: map[string]int{"n": n}}))
	}
	model := scripted.Options{Limit: 6_000}.New(append(lines, scripted.Text("done"))...)
	a, _ := start(t, agent.Config{Model: model, Tools: []tools.Tool{read}, Profile: contextwindow.Off, Budget: contextwindow.Budget{Limit: 100_000, Profile: contextwindow.Off}})
	retried, compacted := 0, 0
	var result *agent.Result
	for e, err := range a.Stream(context.Background(), agent.Task{Prompt: "prompt"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case agent.RequestRetried:
			retried++
		case agent.WindowCompacted:
			compacted++
		case agent.RunFinished:
			result = e.Result
		}
	}
	if result.Stop != agent.Answered || len(result.Tools) != 12 || retried == 0 || compacted == 0 {
		t.Errorf("%s, %d calls, %d retries, %d compactions", result.Stop, len(result.Tools), retried, compacted)
	}
	if retried > 2 {
		t.Errorf("%d retries: the smaller limit was not remembered", retried)
	}
	for i, req := range model.Requests() {
		if req.Messages[0].Text != "prompt" {
			t.Errorf("request %d begins with %q", i, req.Messages[0].Text)
		}
	}
}

func TestOverflowAgainAndAgainIsAnError(t *testing.T) {
	a, model := start(t, agent.Config{}, scripted.Repeat(0, scripted.Fail(providers.Overflow)))
	result, err := a.Run(context.Background(), strings.Repeat("a long prompt ", 100))
	if providers.ClassOf(err) != providers.Overflow || errors.Is(err, contextwindow.ErrIrreducible) || result.Stop != agent.Failed || len(model.Requests()) != 4 {
		t.Errorf("%v, %s, %d requests", err, result.Stop, len(model.Requests()))
	}
}

// overflowAfter runs six calls with results of 1,000 digits, and then the lines.
func overflowAfter(t *testing.T, lines ...scripted.Line) (*agent.Result, []providers.Request) {
	t.Helper()
	read := tools.New("read", "Read.", func(_ context.Context, in numberInput) (string, error) { return fmt.Sprintf("%01000d", in.N), nil })
	var calls []scripted.Line
	for n := range 6 {
		calls = append(calls, scripted.Calls(scripted.Call{Name: "read", Args: map[string]int{"n": n}}))
	}
	result, requests := run(t, agent.Config{Tools: []tools.Tool{read}}, append(calls, lines...)...)
	return result, requests[6:]
}

func TestTheLastRetryOfAnOverflowHasOnlyThePrompt(t *testing.T) {
	result, requests := overflowAfter(t, scripted.Repeat(3, scripted.Fail(providers.Overflow)), scripted.Text("done"))
	if result.Text != "done" || len(requests) != 4 {
		t.Fatalf("%q after %d requests", result.Text, len(requests))
	}
	rounds := func(req providers.Request) int {
		return len(slices.DeleteFunc(slices.Clone(req.Messages), func(m transcript.Message) bool { return m.Role != transcript.Tool }))
	}
	if rounds(requests[2]) == 0 || rounds(requests[3]) != 0 || !strings.HasPrefix(requests[3].Messages[0].Text, "prompt") {
		t.Errorf("%d results in the third request, %d in the fourth, which begins with %q", rounds(requests[2]), rounds(requests[3]), requests[3].Messages[0].Text)
	}
	for i := 1; i < 4; i++ {
		if before, after := providers.Size(&requests[i-1]), providers.Size(&requests[i]); after >= before {
			t.Errorf("request %d has %d tokens, the one before %d", i, after, before)
		}
	}
}

func TestOverflowTellsLimitAndSize(t *testing.T) {
	overflow := func(limit, tokens int) scripted.Line {
		return scripted.Line{Err: &providers.Error{Class: providers.Overflow, Limit: limit, Tokens: tokens, Err: errors.New("too long")}}
	}
	_, requests := overflowAfter(t, overflow(0, 0), scripted.Text("done"))
	unsaid := providers.Size(&requests[1])
	_, requests = overflowAfter(t, overflow(unsaid*2/3, 0), scripted.Text("done"))
	if got := providers.Size(&requests[1]); got > unsaid*2/3 {
		t.Errorf("the limit is %d tokens, the request has %d", unsaid*2/3, got)
	}
	result, _ := overflowAfter(t, overflow(0, 12_345), scripted.Text("done"))
	if !slices.Contains(observed(result), 12_345) {
		t.Errorf("observed %v", observed(result))
	}
}

// observed is what the window was told of the sizes of requests.
func observed(result *agent.Result) []int {
	var counts []int
	for _, e := range result.Transcript {
		if e.Observed != nil {
			counts = append(counts, e.Observed.Actual)
		}
	}
	return counts
}

func TestUsageIsObserved(t *testing.T) {
	result, _ := run(t, agent.Config{}, scripted.Line{Usage: providers.Usage{Input: 777}}, scripted.Line{Text: "done", Usage: providers.Usage{Input: 778, Output: 1}})
	if got := observed(result); !slices.Equal(got, []int{777, 778}) {
		t.Errorf("observed %v", got)
	}
}

// TestAnswerHasTheRoomThatIsLeft: every request bounds its answer, by the model's longest answer, else by a quarter of the window, and never
// by more than the window has left.
func TestAnswerHasTheRoomThatIsLeft(t *testing.T) {
	for longest, want := range map[int]int{0: 1_000, 100: 100, 3_999: 0} {
		model := scripted.Options{Info: providers.Info{Window: 4_000, MaxOutput: longest}}.New(scripted.Text("done"))
		a, _ := start(t, agent.Config{Model: model})
		if _, err := a.Run(context.Background(), strings.Repeat("prompt ", 100)); err != nil {
			t.Fatal(err)
		}
		req := model.Requests()[0]
		room := 4_000 - providers.Size(&req)
		if want > 0 && req.MaxOutput != want || want == 0 && (req.MaxOutput > room || req.MaxOutput < room-100) {
			t.Errorf("longest answer %d: asked for %d, room for %d", longest, req.MaxOutput, room)
		}
	}
	model := scripted.Options{Info: providers.Info{Window: 1_000_000}}.New(scripted.Text("done"))
	a, _ := start(t, agent.Config{Model: model})
	if _, err := a.Run(context.Background(), "prompt"); err != nil || model.Requests()[0].MaxOutput != 16_384 {
		t.Errorf("a large window: asked for %d, %v", model.Requests()[0].MaxOutput, err)
	}
}

// TestRefusedLengthIsConceded has services that refuse the length of the answer: for its number, or for its name.
func TestRefusedLengthIsConceded(t *testing.T) {
	refuse := func(says string) scripted.Line {
		return scripted.Line{Err: &providers.Error{Class: providers.Invalid, Status: 400, Err: errors.New(says)}}
	}
	for says, want := range map[string][]int{
		"max_tokens is too large: 16384. This model supports at most 8192 completion tokens": {16_384, 8_192},
		"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.":          {16_384, 0},
	} {
		model := scripted.Options{Info: providers.Info{Window: 200_000}}.New(refuse(says), scripted.Text("done"))
		a, _ := start(t, agent.Config{Model: model})
		result, err := a.Run(context.Background(), "prompt")
		var got []int
		for _, req := range model.Requests() {
			got = append(got, req.MaxOutput)
		}
		if err != nil || result.Text != "done" || !slices.Equal(got, want) {
			t.Errorf("%s: asked for %v, %v", says, got, err)
		}
	}
	model := scripted.Options{Info: providers.Info{Window: 200_000}}.New(scripted.Repeat(0, refuse("max_tokens is wrong")))
	a, _ := start(t, agent.Config{Model: model})
	if _, err := a.Run(context.Background(), "prompt"); providers.ClassOf(err) != providers.Invalid || len(model.Requests()) != 6 {
		t.Errorf("refused for ever: %d requests, %v", len(model.Requests()), err)
	}
}

func TestForcedToolsWhereTheyAreHonoured(t *testing.T) {
	for _, refused := range []bool{false, true} {
		for _, offered := range [][]tools.Tool{nil, {echo}} {
			model := scripted.Options{Info: providers.Info{NoForcedTools: refused}}.New(scripted.Text("first"), scripted.Text("second"))
			a, _ := start(t, agent.Config{Model: model, Tools: offered, Guide: func() agent.Guide { return nagging }})
			if _, err := a.Run(context.Background(), "prompt"); err != nil {
				t.Fatal(err)
			}
			want := providers.Required
			if refused || offered == nil {
				want = providers.Auto
			}
			if got := model.Requests()[0].Choice; got != want {
				t.Errorf("refused %t, %d tools: choice %q, want %q", refused, len(offered), got, want)
			}
		}
	}
}

// nameless is a model whose window nobody knows.
type nameless struct{ *scripted.Model }

func (nameless) Info() providers.Info { return providers.Info{Name: "unheard-of"} }

func TestUnknownWindowIsAWarning(t *testing.T) {
	result, _ := run(t, agent.Config{Model: nameless{scripted.New(scripted.Text("done"))}})
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], `"unheard-of" is unknown`) {
		t.Errorf("%q", result.Warnings)
	}
}
