package providertest

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// says returns a turn that answers with pieces of text, and calls one that makes calls.
func says(pieces ...string) Turn { return Turn{Text: pieces, Finish: providers.Stop} }

func calls(calls ...Call) Turn { return Turn{Calls: calls, Finish: providers.Calls} }

// scattered returns t in writes of n bytes.
func (t Turn) scattered(n int) Turn {
	t.Scatter = n
	return t
}

// answerCases are about answers without calls.
func answerCases(s Suite) []testCase {
	greeting := says("It ", "holds ", "one ", "function.")
	scripts := says("数える", "関数 ", "🙂👩‍👩‍👧 ", "naïve", "\n\n\t\"quoted\\\" </b>")
	reasoned, cut, counted, plain := greeting, greeting, greeting, greeting
	reasoned.Reasoning = []string{"The user ", "wants a.go."}
	cut.Text, cut.Finish = greeting.Text[:2], providers.Length
	counted.Usage = providers.Usage{Input: 1200, Cached: 1024, Output: 90, Reasoning: 64}
	plain.Usage = providers.Usage{Input: 12, Output: 9}
	if s.Plain {
		counted.Usage.Cached, counted.Usage.Reasoning = 0, 0
	}
	if s.Uncounted {
		counted.Usage.Reasoning = 0
	}
	all := []testCase{
		{"text", "Text arrives in order, nothing added or lost, and the answer says why it ended.",
			[]Turn{greeting}, (*check).answer},
		{"unicode", "Text is the same however the wire splits it: inside runes, lines and events.",
			[]Turn{scripts.scattered(1), scripts.scattered(2), scripts.scattered(5), scripts.scattered(4096)}, (*check).answer},
		{"long text", "An answer may be long, in one piece or in many.",
			[]Turn{
				says(strings.Repeat("0123456789abcdef", 1<<16)),
				says(strings.SplitAfter(strings.Repeat("word ", 3000), " ")[:3000]...),
			}, (*check).answer},
		{"reasoning", "Reasoning arrives as reasoning, not as text.", []Turn{reasoned}, (*check).answer},
		{"empty", "An empty answer is an answer: a finish, no text, no error.", []Turn{says()}, (*check).answer},
		{"length", "An answer truncated at its output limit says so.", []Turn{cut}, (*check).answer},
		{"usage", "Usage is what the provider counted: input includes cached tokens, output includes reasoning.",
			[]Turn{counted, plain}, (*check).answer},
	}
	if s.Plain {
		return all
	}
	return append(all, testCase{"filtered", "An answer that the provider withheld says so.",
		[]Turn{{Finish: providers.Filtered}}, (*check).answer})
}

// callCases are about calls.
func callCases() []testCase {
	read := Call{ID: "r1", Name: "read_file", Args: []string{`{"pa`, `th":"`, `src/ünï/a.go"}`}}
	list := Call{ID: "l1", Name: "list_dir", Args: []string{`{"path":"."}`}}
	odd := Call{ID: "o1", Name: "read_file", Args: []string{`{"path":"日本`, `/👩‍👩‍👧\u00`, `e9\"\\ `, `b.go"}`}}
	third := Call{ID: "r2", Name: "read_file", Args: []string{`{"path":"b.go"}`}}
	broken := Call{ID: "a", Name: "read_file", Args: []string{`{"path": "a`, `.go`}}
	bare, twice := Call{Name: "list_dir"}, Call{ID: "x", Name: "list_dir"}
	late := func(c Call) Call { c.Late = true; return c }
	spoken, full, stopped := calls(list), calls(list, read), calls(list)
	spoken.Text = []string{"Let me look."}
	full.Reasoning, full.Text = []string{"first ", "a listing 🙂"}, []string{"Let ", "me look."}
	stopped.Finish = providers.Stop
	cut := Turn{Calls: []Call{{ID: "a", Name: "read_file", Args: []string{`{"pa`}}}, Finish: providers.Length}
	return []testCase{
		{"one call", "A call arrives whole, with the arguments as the model wrote them.", []Turn{spoken}, (*check).answer},
		{"arguments in pieces", "Arguments are joined, however they are split.",
			[]Turn{calls(read), calls(read).scattered(3)}, (*check).answer},
		{"parallel calls", "Parallel calls arrive in the order in which the model made them.",
			[]Turn{calls(read, list, third)}, (*check).answer},
		{"calls without ids", "Each call has a unique id, even if the service sends none, or one twice.",
			[]Turn{calls(bare, bare, twice, twice)}, (*check).answer},
		{"calls in a later step", "An id made for a call differs from all ids of the conversation.",
			[]Turn{calls(bare), calls(bare)}, (*check).laterIDs},
		{"late ids", "An id that arrives after the first arguments belongs to its call.",
			[]Turn{calls(late(read), late(list)), calls(list, late(read)).scattered(7)}, (*check).answer},
		{"unicode in arguments", "Arguments are the same however the wire splits them, even inside an escape.",
			[]Turn{calls(odd).scattered(1), calls(odd, list).scattered(2)}, (*check).answer},
		{"reasoning, text and calls", "Reasoning, text and calls of one answer are each whole, however the wire splits them.",
			[]Turn{full, full.scattered(3)}, (*check).answer},
		{"no arguments", "Absent arguments are an empty object.", []Turn{calls(twice)}, (*check).answer},
		{"bad arguments", "Arguments that do not parse are delivered as a JSON string, never dropped or repaired.",
			[]Turn{calls(broken, list)}, (*check).answer},
		{"calls finish", "Calls are delivered whatever finish the service names.", []Turn{stopped}, (*check).answer},
		{"calls cut by length", "Calls truncated at the output limit are delivered as they are, and the finish is Length.",
			[]Turn{cut}, (*check).answer},
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
