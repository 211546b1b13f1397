package providers

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
)

// Arguments converts the arguments that a model wrote to the form of [transcript.ToolCall]: a JSON object without
// surrounding space, {} for a blank text, and a JSON string for any other text. So the result is always valid JSON that
// can be stored and sent again, it keeps what the model wrote, and [Unparsed] finds arguments that did not parse. Bytes
// that are not UTF-8 become U+FFFD.
func Arguments(text string) json.RawMessage {
	text = strings.ToValidUTF8(text, "\uFFFD")
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return json.RawMessage("{}")
	}
	if raw := json.RawMessage(trimmed); isObject(raw) {
		return raw
	}
	raw, err := line.JSON(text)
	if err != nil {
		return json.RawMessage(`""`) // a string always encodes
	}
	return raw
}

// Unparsed returns the text that a model wrote instead of a JSON object, and whether args holds such a text.
func Unparsed(args json.RawMessage) (text string, ok bool) {
	if len(args) == 0 || isObject(args) {
		return "", false
	}
	if err := json.Unmarshal(args, &text); err != nil {
		return string(args), true
	}
	return text, true
}

func isObject(raw json.RawMessage) bool {
	t := bytes.TrimLeft(raw, " \t\r\n")
	return len(t) > 0 && t[0] == '{' && json.Valid(t)
}

const callPrefix = "call_"

// CallID returns the id for a call without one, or with one that is taken: "call_<step>_<index>", both counted from 1.
// It depends only on the conversation, so that a run can be replayed.
func CallID(step, index int) string {
	return callPrefix + strconv.Itoa(step) + "_" + strconv.Itoa(index)
}

// NextStep returns the step that [CallID] needs for an answer to messages: one more than in the last id that CallID
// made, or 1. If the messages are in the order of the conversation, the new ids are unique.
func NextStep(messages []transcript.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		for _, c := range messages[i].Calls {
			if step, ok := stepOf(c.ID); ok {
				return step + 1
			}
		}
	}
	return 1
}

func stepOf(id string) (step int, ok bool) {
	rest, ours := strings.CutPrefix(id, callPrefix)
	first, second, _ := strings.Cut(rest, "_")
	step, err := strconv.Atoi(first)
	_, err2 := strconv.Atoi(second)
	return step, ours && err == nil && err2 == nil && step >= 1 && step <= 1_000_000_000
}

// Identify gives an id to each call of an answer to messages that has no id, or one that another call of the
// conversation has.
func Identify(messages []transcript.Message, calls []transcript.ToolCall) {
	used := map[string]bool{"": true}
	for _, m := range messages {
		for _, c := range m.Calls {
			used[c.ID] = true
		}
	}
	step := NextStep(messages)
	for i := range calls {
		c := &calls[i]
		// loops more than once only if a service numbers its calls as CallID does
		for n := i + 1; used[c.ID]; n += len(calls) {
			c.ID = CallID(step, n)
		}
		used[c.ID] = true
	}
}
