package providertest

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// answerCases are about answers without calls.
func answerCases() []testCase {
	greeting := []string{"It ", "holds ", "one ", "function."}
	scripts := []string{"数える", "関数 ", "🙂👩‍👩‍👧 ", "naïve", "\n\n\t\"quoted\\\" </b>"}
	return []testCase{
		{"text", "Text arrives in order, nothing added or lost, and the answer says why it ended.",
			[]Turn{{Text: greeting, Finish: providers.Stop}}, (*check).answer},
		{"unicode", "Text is the same however the wire splits it: inside runes, lines and events.",
			[]Turn{
				{Text: scripts, Finish: providers.Stop, Scatter: 1},
				{Text: scripts, Finish: providers.Stop, Scatter: 2},
				{Text: scripts, Finish: providers.Stop, Scatter: 5},
				{Text: scripts, Finish: providers.Stop, Scatter: 4096},
			}, (*check).answer},
		{"long text", "An answer may be long, in one piece or in many.",
			[]Turn{
				{Text: []string{strings.Repeat("0123456789abcdef", 1<<16)}, Finish: providers.Stop},
				{Text: strings.SplitAfter(strings.Repeat("word ", 3000), " ")[:3000], Finish: providers.Stop},
			}, (*check).answer},
		{"reasoning", "Reasoning is told apart from text.",
			[]Turn{{Reasoning: []string{"The user ", "wants a.go."}, Text: greeting, Finish: providers.Stop}}, (*check).answer},
		{"empty", "An empty answer is an answer: a finish, no text, no error.",
			[]Turn{{Finish: providers.Stop}}, (*check).answer},
		{"length", "An answer cut off by its output limit says so.",
			[]Turn{{Text: greeting[:2], Finish: providers.Length}}, (*check).answer},
		{"filtered", "An answer that the provider withheld says so.",
			[]Turn{{Finish: providers.Filtered}}, (*check).answer},
		{"usage", "Usage is what the provider counted: input includes cached tokens, output includes reasoning.",
			[]Turn{
				{
					Text: greeting, Finish: providers.Stop, Usage: providers.Usage{
						Input: 1200, Cached: 1024, Output: 90, Reasoning: 64,
					},
				},
				{Text: greeting, Finish: providers.Stop, Usage: providers.Usage{Input: 12, Output: 9}},
			}, (*check).answer},
	}
}

// callCases are about calls.
func callCases() []testCase {
	read := Call{ID: "r1", Name: "read_file", Args: []string{`{"pa`, `th":"`, `src/ünï/a.go"}`}}
	list := Call{ID: "l1", Name: "list_dir", Args: []string{`{"path":"."}`}}
	odd := Call{ID: "o1", Name: "read_file", Args: []string{`{"path":"日本`, `/👩‍👩‍👧\u00`, `e9\"\\ `, `b.go"}`}}
	late := func(c Call) Call { c.Late = true; return c }
	return []testCase{
		{"one call", "A call comes whole, with the arguments as the model wrote them.",
			[]Turn{{Text: []string{"Let me look."}, Calls: []Call{list}, Finish: providers.Calls}}, (*check).answer},
		{"arguments in pieces", "Arguments are put together, however they are split.",
			[]Turn{
				{Calls: []Call{read}, Finish: providers.Calls}, {Calls: []Call{read}, Finish: providers.Calls, Scatter: 3},
			}, (*check).answer},
		{"parallel calls", "Parallel calls come in the order in which the model made them.",
			[]Turn{
				{
					Calls: []Call{
						read, list, {ID: "r2", Name: "read_file", Args: []string{`{"path":"b.go"}`}},
					}, Finish: providers.Calls,
				},
			}, (*check).answer},
		{"calls without ids", "Each call has an id of its own, also where the service gives none, or one twice.",
			[]Turn{
				{
					Calls: []Call{
						{Name: "list_dir"}, {Name: "list_dir"}, {ID: "x", Name: "list_dir"}, {ID: "x", Name: "list_dir"},
					}, Finish: providers.Calls,
				},
			}, (*check).answer},
		{"calls in a later step", "An id made for a call differs from all ids of the conversation.",
			[]Turn{
				{
					Calls: []Call{{Name: "list_dir"}}, Finish: providers.Calls,
				}, {Calls: []Call{{Name: "list_dir"}}, Finish: providers.Calls},
			},
			(*check).laterIDs},
		{"ids late", "An id that comes after the arguments have begun is the call's all the same.",
			[]Turn{
				{Calls: []Call{late(read), late(list)}, Finish: providers.Calls}, {
					Calls: []Call{list, late(read)}, Finish: providers.Calls, Scatter: 7,
				},
			}, (*check).answer},
		{"unicode in arguments", "Arguments are the same however the wire splits them, also inside an escape.",
			[]Turn{
				{Calls: []Call{odd}, Finish: providers.Calls, Scatter: 1}, {
					Calls: []Call{odd, list}, Finish: providers.Calls, Scatter: 2,
				},
			}, (*check).answer},
		{"reasoning, text and calls", "Reasoning, text and calls of one answer are each whole, however the wire splits them.",
			[]Turn{
				{
					Reasoning: []string{"first ", "a listing 🙂"}, Text: []string{"Let ", "me look."}, Calls: []Call{list, read}, Finish: providers.Calls,
				},
				{
					Reasoning: []string{"first ", "a listing 🙂"}, Text: []string{"Let ", "me look."}, Calls: []Call{list, read}, Finish: providers.Calls, Scatter: 3,
				},
			}, (*check).answer},
		{"no arguments", "Absent arguments are an empty object.",
			[]Turn{{Calls: []Call{{ID: "a", Name: "list_dir"}}, Finish: providers.Calls}}, (*check).answer},
		{"bad arguments", "Arguments that do not parse are delivered as a JSON string, never dropped or repaired.",
			[]Turn{
				{Calls: []Call{{ID: "a", Name: "read_file", Args: []string{`{"path": "a`, `.go`}}, list}, Finish: providers.Calls},
			}, (*check).answer},
		{"calls finish", "Calls are delivered whatever the service says about the end.",
			[]Turn{{Calls: []Call{list}, Finish: providers.Stop}}, (*check).answer},
		{"calls cut by length", "Calls cut off by the output limit are delivered as they stand, and the finish is Length.",
			[]Turn{
				{Calls: []Call{{ID: "a", Name: "read_file", Args: []string{`{"pa`}}}, Finish: providers.Length},
			}, (*check).answer},
	}
}

// answer asks once for each turn and compares the answers.
func (c *check) answer() {
	for _, turn := range c.turns {
		got := c.ask(request())
		want := expected(turn, c.suite)
		if len(got.Message.Calls) == len(want.Message.Calls) {
			for i, call := range got.Message.Calls {
				if made := turn.Calls[i].ID; made == "" || i > 0 && made == turn.Calls[i-1].ID {
					want.Message.Calls[i].ID = call.ID // the model chooses the id; grammar checks it
				}
			}
		}
		got.Message.ProviderData = nil
		c.same("the answer", got, want)
	}
}

// expected returns the answer that a turn makes.
func expected(turn Turn, s Suite) *providers.Response {
	r := &providers.Response{Finish: turn.Finish, Usage: turn.Usage}
	r.Message = transcript.Message{Role: transcript.Assistant, Text: strings.Join(turn.Text, "")}
	if !s.NoReasoning {
		r.Reasoning = strings.Join(turn.Reasoning, "")
	}
	for _, call := range turn.Calls {
		text := strings.Join(call.Args, "")
		args := json.RawMessage(text)
		if text == "" {
			args = json.RawMessage("{}")
		} else if !json.Valid(args) {
			args, _ = json.Marshal(text)
		}
		r.Message.Calls = append(r.Message.Calls, transcript.ToolCall{ID: call.ID, Name: call.Name, Args: args})
	}
	if len(turn.Calls) > 0 && turn.Finish == providers.Stop {
		r.Finish = providers.Calls // by what the answer is, whatever the service calls it
	}
	return r
}

func (c *check) laterIDs() {
	req := request()
	first := c.ask(req).Message
	req.Messages = append(req.Messages, first, result(first.Calls[0], "a.go", false))
	second := c.ask(req).Message
	if first.Calls[0].ID == second.Calls[0].ID {
		c.Errorf("two calls of one conversation have the id %q", first.Calls[0].ID)
	}
}

// result returns the message that answers call.
func result(call transcript.ToolCall, text string, failed bool) transcript.Message {
	return transcript.Message{Role: transcript.Tool, CallID: call.ID, Name: call.Name, Text: text, Failed: failed}
}
