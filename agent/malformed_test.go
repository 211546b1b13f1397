package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
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

// callNames are what every service takes as the name of a call.
var callNames = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// lawful holds all requests to the rules of every provider.
func lawful(t *testing.T, name string, requests []providers.Request) {
	t.Helper()
	for i, req := range requests {
		if err := transcript.Check(req.Messages, transcript.AnyProvider); err != nil {
			t.Errorf("%s: request %d: %v", name, i, err)
		}
		for _, m := range req.Messages {
			for _, c := range m.Calls {
				if !callNames.MatchString(c.Name) {
					t.Errorf("%s: request %d calls %q", name, i, c.Name)
				}
			}
		}
	}
}

// told is a guide that says the same in every step and goes on after texts.
func told(s agent.Step) agent.Move {
	return agent.Move{Status: "the same status", Nudge: "the same nudge", Stop: s.Text == "end"}
}

// TestOddAnswers plays what models have answered. Each request must keep the rules of every provider, and no warning is
// written, for it is the model that was odd.
func TestOddAnswers(t *testing.T) {
	unclosed := scripted.Call{Name: "echo", Args: `{"text": "unclosed`}
	ids := func(ids ...string) scripted.Line {
		var deltas []providers.Delta
		for _, id := range ids {
			deltas = append(deltas, providers.Delta{Call: &transcript.ToolCall{ID: id, Name: "echo", Args: json.RawMessage(`{"text":"of you"}`)}})
		}
		return scripted.Deltas(append(deltas, providers.Delta{Finish: providers.Calls})...)
	}
	announced := scripted.Line{Text: "I will look.", Finish: providers.Calls}
	for name, test := range map[string]struct {
		lines    []scripted.Line
		requests int
		want     string // of the last message of the second request
		failed   int    // calls
	}{
		"unparsable arguments":     {[]scripted.Line{scripted.Calls(unclosed)}, 2, `"required":["text"]`, 1},
		"arguments are a list":     {[]scripted.Line{scripted.Calls(scripted.Call{Name: "echo", Args: `["text"]`})}, 2, "invalid arguments for echo", 1},
		"call without a name":      {[]scripted.Line{scripted.Calls(scripted.Call{})}, 2, `there is no tool ""; nearest: echo`, 1},
		"name that nobody takes":   {[]scripted.Line{scripted.Calls(scripted.Call{Name: "functions.écho \xff" + strings.Repeat("x", 100)})}, 2, "there is no tool", 1},
		"ids that are one":         {[]scripted.Line{ids("a", "a", "a")}, 2, "of you", 0},
		"id that is a number's":    {[]scripted.Line{ids("call_1_2", "", "call_1_1", "call_1_1")}, 2, "of you", 0},
		"ids one but for bytes":    {[]scripted.Line{ids("\xff", "\xfe")}, 2, "of you", 0},
		"bytes that are no text":   {[]scripted.Line{{Text: "a\xffb", Calls: []scripted.Call{callEcho("x")}}}, 2, "x", 0},
		"stop with calls":          {[]scripted.Line{{Calls: []scripted.Call{callEcho("x")}, Finish: providers.Stop}}, 2, "x", 0},
		"calls without calls":      {[]scripted.Line{announced}, 2, "prompt", 0},
		"calls without anything":   {[]scripted.Line{{Finish: providers.Calls}}, 2, "prompt", 0},
		"nothing":                  {[]scripted.Line{{}, {Text: " \n"}}, 3, "prompt", 0},
		"only an opaque part":      {[]scripted.Line{{ProviderData: &transcript.ProviderData{Dialect: "scripted", Data: []byte("signed")}}}, 2, "prompt", 0},
		"text beside broken calls": {[]scripted.Line{{Text: "Looking.", Calls: []scripted.Call{unclosed, {Name: "echo"}}}}, 2, "invalid arguments for echo", 2},
	} {
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, append(test.lines, scripted.Text("end"))...)
		lawful(t, name, requests)
		if result.Text != "end" || result.Stop != agent.Answered || len(requests) != test.requests || len(result.Warnings) != 0 {
			t.Errorf("%s: %q, %s after %d requests, %q", name, result.Text, result.Stop, len(requests), result.Warnings)
			continue
		}
		if got := lastText(requests[1]); !strings.Contains(got, test.want) {
			t.Errorf("%s: the model is told %q, which does not say %q", name, got, test.want)
		}
		failed := 0
		for _, rec := range result.Tools {
			if rec.Err != nil {
				failed++
			}
		}
		if failed != test.failed {
			t.Errorf("%s: %d calls failed, want %d", name, failed, test.failed)
		}
	}
}

func TestCallsKeepTheIDsThatTheyHave(t *testing.T) {
	var deltas []providers.Delta
	for _, id := range []string{"", "call_1_1", "", "call_1_1", "x"} {
		deltas = append(deltas, providers.Delta{Call: &transcript.ToolCall{ID: id, Name: "echo", Args: json.RawMessage(`{"text":"x"}`)}})
	}
	_, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Deltas(append(deltas, providers.Delta{Finish: providers.Calls})...), scripted.Text("done"))
	var ids []string
	for _, c := range requests[1].Messages[1].Calls {
		ids = append(ids, c.ID)
	}
	if want := []string{"call_1_2", "call_1_1", "call_1_3", "call_1_4", "x"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q, want %q", ids, want)
	}
}

func TestTextStandsWhereCallsNeverCome(t *testing.T) {
	result, requests := run(t, agent.Config{}, scripted.Repeat(0, scripted.Line{Text: "It is so.", Finish: providers.Calls}))
	if result.Text != "It is so." || result.Stop != agent.Answered || len(requests) != 3 || len(result.Warnings) != 1 {
		t.Errorf("%q, %s after %d requests, %q", result.Text, result.Stop, len(requests), result.Warnings)
	}
}

// TestTenThousandCallsInOneAnswer makes none of them beyond the limit, tells the model, and goes on.
func TestTenThousandCallsInOneAnswer(t *testing.T) {
	for _, id := range []string{"", "same"} {
		calls := slices.Repeat([]scripted.Call{{Name: "echo", Args: `{"text":"x"}`, ID: id}}, 10_000)
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Calls(calls...), scripted.Text("done"))
		lawful(t, "after", requests)
		made := slices.DeleteFunc(slices.Clone(result.Tools), func(rec agent.ToolRecord) bool { return rec.Err != nil })
		if len(result.Tools) != 10_000 || len(made) != 8 || result.Text != "done" || !strings.Contains(result.Tools[9_999].Err.Error(), "limit 8") {
			t.Errorf("%d records, %d calls made, %q", len(result.Tools), len(made), result.Text)
		}
	}
}

func TestNoRequestEndsWithTheModelsWords(t *testing.T) {
	cut := scripted.Line{Text: "half ", Finish: providers.Length}
	for name, test := range map[string]struct {
		guide agent.Guide
		lines []scripted.Line
	}{
		"silent guide":    {on, slices.Repeat([]scripted.Line{scripted.Text("and")}, 5)},
		"same words":      {told, slices.Repeat([]scripted.Line{scripted.Text("and")}, 5)},
		"cut again":       {told, []scripted.Line{cut, scripted.Text("whole"), cut, scripted.Text("whole"), cut}},
		"calls and texts": {told, []scripted.Line{scripted.Calls(callEcho("x")), scripted.Text("and"), scripted.Calls(callEcho("y")), scripted.Text("and")}},
	} {
		_, requests := run(t, agent.Config{Tools: []tools.Tool{echo}, Limits: agent.Limits{Steps: len(test.lines) + 1}, Guide: func() agent.Guide { return test.guide }},
			append(test.lines, scripted.Text("end"))...)
		if len(requests) != len(test.lines)+1 {
			t.Errorf("%s: %d requests", name, len(requests))
		}
		lawful(t, name, requests)
	}
}

// nudges is a guide that goes on after texts, with another nudge in every step.
func nudges(s agent.Step) agent.Move {
	return agent.Move{Nudge: fmt.Sprint("step ", s.Number), Stop: s.Text == "end"}
}

// TestNoteBetweenAnswersMayGo compacts away the note between two messages of the assistant, of which the second has an
// opaque part that would then stand behind the text of the first: no rule is broken, and nothing needs repair.
func TestNoteBetweenAnswersMayGo(t *testing.T) {
	signed := &transcript.ProviderData{Dialect: "scripted", Model: "script", Data: []byte("signed"), Tokens: 5}
	read := tools.New("read", "Read.", func(_ context.Context, in numberInput) (string, error) { return page(in.N), nil })
	call := func(n int) scripted.Call { return scripted.Call{Name: "read", Args: map[string]int{"n": n}} }
	lines := []scripted.Line{
		scripted.Calls(call(1)), scripted.Text("thinking"), {Calls: []scripted.Call{call(2)}, ProviderData: signed}, scripted.Calls(call(3)), scripted.Calls(call(4)), scripted.Text("end"),
	}
	for _, rules := range []transcript.Rules{"", transcript.Anthropic, transcript.OpenAI, transcript.Gemini} {
		model := scripted.Options{Info: providers.Info{Rules: rules}}.New(lines...)
		result, err := mustNew(t, agent.Config{
			Model: model, Tools: []tools.Tool{read}, Guide: func() agent.Guide { return nudges },
			Budget: contextwindow.Budget{Limit: 6_000, Profile: contextwindow.Ladder},
		}).Run(t.Context(), "prompt")
		if err != nil || result.Text != "end" || len(result.Compactions) == 0 {
			t.Fatalf("%s: %v, %q, compactions %v", rules, err, result.Text, result.Compactions)
		}
		if len(result.Warnings) != 0 {
			t.Errorf("%s: %q", rules, result.Warnings)
		}
		for i, req := range model.Requests() {
			if err := transcript.Check(req.Messages, rules); rules != "" && err != nil {
				t.Errorf("%s: request %d: %v", rules, i, err)
			}
		}
	}
}

func mustNew(t *testing.T, c agent.Config) *agent.Agent {
	t.Helper()
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// refusals are what services say of messages that they do not take.
var refusals = []string{
	`An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.`,
	`Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
	`No tool output found for function call call_1_1.`,
	`messages.2: 'tool_use' ids were found without 'tool_result' blocks immediately after: call_1_1.`,
	`messages: first message must use the "user" role`,
	`messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row`,
	`Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.`,
	`Please ensure that multiturn requests ends with a user role or a function response.`,
	`Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant`,
	`Insufficient tool messages following tool_calls message`,
	`Conversation roles must alternate user/assistant/user/assistant/...`,
	`messages.3.content.0: 'thinking' or 'redacted_thinking' blocks in the latest assistant message cannot be modified.`,
}

func TestRefusalOfMessagesIsMendedOnce(t *testing.T) {
	call := scripted.Calls(callEcho("x"))
	for _, text := range refusals {
		refused := scripted.Line{Err: &providers.Error{Class: providers.Invalid, Status: 400, Err: errors.New(text)}}
		result, requests := run(t, agent.Config{Tools: []tools.Tool{echo}}, call, call, refused, call, scripted.Text("done"))
		if result.Text != "done" || len(requests) != 5 || len(result.Warnings) != 1 || len(requests[3].Messages) >= len(requests[2].Messages) {
			t.Errorf("%s: %q after %d requests, %q", text, result.Text, len(requests), result.Warnings)
		}
		if !strings.HasPrefix(requests[3].Messages[0].Text, "prompt") {
			t.Errorf("%s: the request begins with %q", text, requests[3].Messages[0].Text)
		}
		a, model := start(t, agent.Config{Tools: []tools.Tool{echo}}, call, scripted.Repeat(0, refused))
		if result, err := a.Run(t.Context(), "prompt"); providers.ClassOf(err) != providers.Invalid || result.Stop != agent.Failed || len(model.Requests()) != 3 {
			t.Errorf("%s, again and again: %v after %d requests", text, err, len(model.Requests()))
		}
		a, model = start(t, agent.Config{}, scripted.Repeat(0, refused))
		if _, err := a.Run(t.Context(), "prompt"); providers.ClassOf(err) != providers.Invalid || len(model.Requests()) != 1 {
			t.Errorf("%s, at once: %v after %d requests", text, err, len(model.Requests()))
		}
	}
}

func TestOtherRefusalsAreNotMended(t *testing.T) {
	for _, err := range []*providers.Error{
		{Class: providers.Invalid, Err: errors.New("The model does not exist")},
		{Class: providers.Auth, Err: errors.New("tool_calls are not in your plan")},
	} {
		a, model := start(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Calls(callEcho("x")), scripted.Line{Err: err}, scripted.Text("never"))
		if result, got := a.Run(t.Context(), "prompt"); providers.ClassOf(got) != err.Class || len(model.Requests()) != 2 || len(result.Warnings) != 0 {
			t.Errorf("%v after %d requests, %q", got, len(model.Requests()), result.Warnings)
		}
	}
}

func TestUnknownRulesAreRefused(t *testing.T) {
	if _, err := agent.New(agent.Config{Model: scripted.Options{Info: providers.Info{Rules: "opneai"}}.New()}); err == nil || !strings.Contains(err.Error(), "opneai") {
		t.Error(err)
	}
}

// recordedRun is the transcript of a run with calls: a prompt, two rounds, an answer.
func recordedRun() []transcript.Message {
	call := func(id string) transcript.ToolCall {
		return transcript.ToolCall{ID: id, Name: "echo", Args: json.RawMessage(`{"text":"` + id + `"}`)}
	}
	result := func(id string) transcript.Message {
		return transcript.Message{Role: transcript.Tool, CallID: id, Name: "echo", Text: "result of " + id}
	}
	return []transcript.Message{
		{Role: transcript.User, Text: "before", Origin: transcript.Prompt},
		{Role: transcript.Assistant, Text: "I look.", Calls: []transcript.ToolCall{call("call_1_1"), call("b")}},
		result("call_1_1"), result("b"),
		{Role: transcript.Assistant, Calls: []transcript.ToolCall{call("c")}},
		result("c"),
		{Role: transcript.Assistant, Text: "It was so."},
	}
}

func TestHistoryWithCalls(t *testing.T) {
	without := func(i int) []transcript.Message { return slices.Delete(recordedRun(), i, i+1) }
	swapped := recordedRun()
	swapped[2], swapped[3] = swapped[3], swapped[2]
	twice := slices.Insert(recordedRun(), 3, transcript.Message{Role: transcript.Tool, CallID: "call_1_1", Text: "later result"})
	for name, test := range map[string]struct {
		history []transcript.Message
		units   int
		warned  string
	}{
		"whole":              {recordedRun(), 4, ""},
		"in another order":   {swapped, 4, "moved after message"},
		"missing result":     {without(2), 4, `has no result: added one that says "interrupted"`},
		"result twice":       {twice, 4, "is a later one"},
		"orphan":             {without(4), 4, "quoted in a user message"},
		"without its prompt": {without(0), 4, "does not begin with a user message"},
		"an unknown role":    {append(recordedRun(), transcript.Message{Role: "system", Text: "Be brief."}), 5, `of role "system"`},
		"an empty message":   {append(recordedRun(), transcript.Message{Role: transcript.Assistant}), 4, "it is empty"},
		"ends with a user":   {append(recordedRun(), transcript.Message{Role: transcript.User, Text: "Thanks."}), 5, ""},
		"nothing":            {[]transcript.Message{{Role: transcript.Assistant}}, 0, "it is empty"},
	} {
		a, model := start(t, agent.Config{Tools: []tools.Tool{echo}}, scripted.Calls(callEcho("x")), scripted.Text("done"))
		given := slices.Clone(test.history)
		var warned []string
		var result *agent.Result
		for e, err := range a.Stream(t.Context(), agent.Task{Prompt: "prompt", History: test.history}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch e := e.(type) {
			case agent.WarningRaised:
				warned = append(warned, e.Warning)
			case agent.RunFinished:
				result = e.Result
			}
		}
		lawful(t, name, model.Requests())
		if !slices.EqualFunc(given, test.history, func(a, b transcript.Message) bool { return a.Text == b.Text && a.Origin == b.Origin }) {
			t.Errorf("%s: the history was changed", name)
		}
		if (test.warned != "") != (len(warned) == 1) || test.warned != "" && !strings.Contains(warned[0], test.warned) {
			t.Errorf("%s: warned %q, want %q", name, warned, test.warned)
		}
		units := 0
		for _, e := range result.Transcript {
			if e.Unit != nil && e.Unit.Messages[0].Origin == transcript.History {
				units++
			}
		}
		if units != test.units || result.Text != "done" {
			t.Errorf("%s: %d units of history, want %d; %q", name, units, test.units, result.Text)
		}
	}
}

func TestManyRepairsOfAHistoryAreSummedUp(t *testing.T) {
	var history []transcript.Message
	for i := range 500 {
		history = append(history, transcript.Message{Role: transcript.Tool, CallID: fmt.Sprint(i), Text: "orphan"})
	}
	a, _ := start(t, agent.Config{}, scripted.Text("done"))
	result, err := a.Do(t.Context(), agent.Task{Prompt: "prompt", History: history})
	if err != nil || len(result.Warnings) != 1 || !strings.HasSuffix(result.Warnings[0], "And 490 more.") {
		t.Errorf("%v, %q", err, result.Warnings)
	}
}
