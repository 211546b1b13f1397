package rules

import (
	"encoding/json"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/rulemodel"
	"github.com/forayhq/foray/providers"
)

// An object is a JSON object of which every field may be missing, cut or of another type than expected. What cannot be
// read is the zero value.
type object map[string]json.RawMessage

// parse reads the first JSON value of text, behind which notes may stand; nil when it is no object.
func parse(text string) object {
	var o object
	if json.NewDecoder(strings.NewReader(text)).Decode(&o) != nil {
		return nil
	}
	return o
}

func read[T any](o object, key string) (v T) {
	if raw := o[key]; raw != nil && json.Unmarshal(raw, &v) != nil {
		return *new(T)
	}
	return v
}

func (o object) text(key string) string { return read[string](o, key) }
func (o object) flag(key string) bool   { return read[bool](o, key) }

// number is a whole number from 0 to a billion; 0 for anything else.
func (o object) number(key string) int {
	if n := read[float64](o, key); n >= 0 && n <= 1e9 {
		return int(n)
	}
	return 0
}

// objects are the elements of an array that are objects. A mark in place of elements that were cut is left out.
func (o object) objects(key string) []object {
	raw := read[[]json.RawMessage](o, key)
	all := make([]object, 0, len(raw))
	for _, r := range raw {
		var e object
		if json.Unmarshal(r, &e) == nil && e != nil {
			all = append(all, e)
		}
	}
	return all
}

// texts are the elements of an array that are strings.
func (o object) texts(key string) []string {
	raw := read[[]json.RawMessage](o, key)
	all := make([]string, 0, len(raw))
	for _, r := range raw {
		var s string
		if json.Unmarshal(r, &s) == nil {
			all = append(all, s)
		}
	}
	return all
}

// An exchange is a call and its result.
type exchange struct {
	name   string
	args   object
	key    string // name and arguments
	text   string // of the result
	result object // nil when the text is no JSON object
	failed bool
}

// A talk is what the messages of a request say.
type talk struct {
	question  string
	base      int // steps before the question
	next      int // the step that comes now, from 1
	exchanges []exchange
}

// listen walks through messages. A user message behind an answer in text opens a new question.
func listen(messages []transcript.Message) talk {
	at := opening(messages)
	t := talk{base: providers.NextStep(messages[:at]) - 1, next: 1}
	if at < len(messages) {
		t.question = withoutNotes(messages[at].Text)
	}
	for _, m := range messages[at:] {
		if len(m.Calls) > 0 {
			t.next = max(providers.NextStep(messages)-t.base, 1)
		}
	}
	for _, r := range rulemodel.Results(messages[at:]) {
		t.exchanges = append(t.exchanges, exchange{
			name: r.Name, args: parse(string(r.Args)), key: r.Key(), text: r.Text, result: parse(r.Text), failed: r.Failed,
		})
	}
	return t
}

// opening is the index of the message that asks the question: len(messages) when none does.
func opening(messages []transcript.Message) int {
	at, answered := len(messages), true
	for i, m := range messages {
		switch {
		case m.Role == transcript.Assistant:
			answered = len(m.Calls) == 0
		case m.Role != transcript.User || m.Origin == transcript.Runtime:
		case m.Origin == transcript.Prompt, answered:
			at, answered = i, false
		}
	}
	return at
}

// withoutNotes cuts off what the runtime wrote behind a message.
func withoutNotes(s string) string {
	s, _, _ = strings.Cut(s, "\n\n<note kind=\"")
	return s
}
