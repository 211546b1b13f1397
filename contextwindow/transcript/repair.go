package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/toollimit"
)

// What stands for what a transcript does not have.
const (
	interrupted = "interrupted"
	unprompted  = "[the transcript begins without its prompt]"
	unanswered  = "[the transcript ends here; go on]"
)

// Repair returns messages of a transcript from outside in a form that every provider takes, which Check confirms for all
// Rules, and says what it did in a sentence each, with the index of the message in ms. A transcript that passes already
// comes back as it is, with nil. The messages of ms are not modified; those returned share their texts and arguments.
//
//   - A result goes behind the newest call with its id before it, or else the first one behind it, in the order of the
//     calls. Several results of one call: the last wins. Calls of one message with one id take results in turn.
//   - A call without a result gets one that failed, with the text "interrupted".
//   - A result without a call becomes a message of the user that quotes it, and so does a message of an unknown role.
//   - An id that is empty, not UTF-8, or another's in the same message gets a number, as in call_2.
//   - Arguments that are no JSON object become one, under "raw"; a JSON string that holds an object becomes that.
//   - What a message of its role cannot have goes, and then every message that says nothing.
//   - A message of the user goes before one of the assistant that begins the transcript, and behind one that ends it:
//     who has more to say appends it first, and repairs then.
//   - An opaque part goes if its message would be merged with the one before it, out of its place (see Check).
func Repair(ms []Message) ([]Message, []string) {
	if Check(ms, AnyProvider) == nil {
		return ms[:len(ms):len(ms)], nil
	}
	r := &repair{in: ms, asked: make([][]*question, len(ms)), answers: make([]bool, len(ms)), replaced: make([]bool, len(ms))}
	r.match()
	for i := range ms {
		switch ms[i].Role {
		case User, Assistant:
			r.head(i)
		case Tool:
			r.orphan(i)
		default:
			r.stranger(i)
		}
	}
	r.ends()
	r.neighbours()
	return r.out, r.did
}

// A repair is one pass of Repair.
type repair struct {
	in       []Message
	asked    [][]*question // by message and call: what the call waits for
	answers  []bool        // by message: it is the result of a call
	replaced []bool        // by message: it was, but there is a later one
	out      []Message
	did      []string
}

func (r *repair) didf(format string, args ...any) {
	r.did = append(r.did, fmt.Sprintf(format, args...))
}

// head writes a message of the user or the assistant, and the results of its calls.
func (r *repair) head(i int) {
	m := r.own(i)
	if len(m.Calls) == 0 && m.ProviderData == nil && strings.TrimSpace(m.Text) == "" {
		r.didf("Message %d went: it says nothing.", i)
		return
	}
	if len(m.Calls) > 0 {
		m.Calls = r.calls(i)
	}
	r.out = append(r.out, m)
	last := i
	for j, call := range m.Calls {
		q := r.asked[i][j]
		if q.taken == len(q.results) {
			r.didf("Call %q of message %d has no result: one that says %q stands for it.", call.ID, i, interrupted)
			r.out = append(r.out, Message{Role: Tool, Text: interrupted, CallID: call.ID, Name: call.Name, Kind: toollimit.Error, Failed: true, Origin: m.Origin})
			continue
		}
		at := q.results[q.taken]
		q.taken++
		if !r.follows(last, at) {
			r.didf("Message %d, the result of call %q, went to its place behind message %d.", at, call.ID, i)
		}
		last = at
		result := r.own(at)
		result.CallID = call.ID
		r.out = append(r.out, result)
	}
}

// follows reports whether nothing that stays stands between a message and a later one: only results that were replaced.
func (r *repair) follows(before, at int) bool {
	if at < before {
		return false
	}
	for i := before + 1; i < at; i++ {
		if !r.replaced[i] {
			return false
		}
	}
	return true
}

// own returns a message without what one of its role cannot have.
func (r *repair) own(i int) Message {
	m := r.in[i]
	if m.Role == Assistant {
		return m
	}
	if len(m.Calls) > 0 {
		r.didf("The calls of message %d went: only the assistant calls.", i)
		m.Calls = nil
	}
	if m.ProviderData != nil {
		r.didf("The opaque part of message %d went: only the assistant has one.", i)
		m.ProviderData = nil
	}
	return m
}

// calls returns the calls of a message with ids and arguments that can be sent.
func (r *repair) calls(i int) []ToolCall {
	calls := slices.Clone(r.in[i].Calls)
	known := make(map[string]bool, len(calls)) // ids that are taken now or will be by a call that keeps its own
	for j := range calls {
		known[calls[j].ID] = true
	}
	used := make(map[string]bool, len(calls))
	for j := range calls {
		call := &calls[j]
		if id := valid(call.ID); id == "" || id != call.ID || used[id] {
			call.ID = freeID(id, j+1, known)
			r.didf("Call %d of message %d is now %q: its id was empty, not UTF-8, or another's.", j, i, call.ID)
		}
		known[call.ID], used[call.ID] = true, true
		if !validArguments(call.Args) {
			call.Args = objectOf(call.Args)
			r.didf("The arguments of call %q of message %d are an object now.", call.ID, i)
		}
	}
	return calls
}

// freeID returns an id that no other call of the message has, from n on.
func freeID(id string, n int, known map[string]bool) string {
	if id == "" {
		id = "call"
	}
	free := id
	for known[free] {
		free = id + "_" + strconv.Itoa(n)
		n++
	}
	return free
}

// objectOf returns the JSON object that stands for arguments that are none.
func objectOf(args json.RawMessage) json.RawMessage {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}")
	}
	var text string
	if json.Unmarshal(args, &text) == nil && isObject([]byte(text)) {
		return json.RawMessage(text)
	}
	if raw := slices.Concat([]byte(`{"raw":`), args, []byte("}")); isObject(raw) {
		return raw
	}
	quoted, err := json.Marshal(string(args))
	if err != nil { // a string always can be
		return json.RawMessage("{}")
	}
	return slices.Concat([]byte(`{"raw":`), quoted, []byte("}"))
}

// orphan quotes a result without a call.
func (r *repair) orphan(i int) {
	if r.answers[i] {
		return
	}
	m := r.own(i)
	r.quote(m, fmt.Sprintf("[result of a call that is missing, name %q, id %q]\n", m.Name, m.CallID))
	r.didf("Message %d, a result without its call %q, is quoted by the user.", i, m.CallID)
}

// stranger quotes a message of a role that there is not.
func (r *repair) stranger(i int) {
	m := r.own(i)
	if strings.TrimSpace(m.Text) == "" {
		r.didf("Message %d, of role %q, went: it says nothing.", i, m.Role)
		return
	}
	r.quote(m, fmt.Sprintf("[message of role %q]\n", m.Role))
	r.didf("Message %d, of role %q, is quoted by the user.", i, m.Role)
}

func (r *repair) quote(m Message, heading string) {
	r.out = append(r.out, Message{Role: User, Text: heading + m.Text, Origin: historyOf(m)})
}

// historyOf is the origin of what is written in place of a message.
func historyOf(m Message) Origin {
	if m.Origin == History {
		return History
	}
	return ""
}

// ends has the user begin, and the user or a tool end.
func (r *repair) ends() {
	if len(r.out) == 0 || r.out[0].Role != User {
		prompt := Message{Role: User, Text: unprompted}
		if len(r.out) > 0 {
			prompt.Origin = historyOf(r.out[0])
		}
		r.out = slices.Insert(r.out, 0, prompt)
		r.did = append(r.did, "No message of the user begins the transcript: one that says so does now.")
	}
	if r.out[len(r.out)-1].Role == Assistant {
		r.out = append(r.out, Message{Role: User, Text: unanswered})
		r.did = append(r.did, "The assistant ends the transcript: a message of the user asks it to go on.")
	}
}

// neighbours drops the opaque parts, in the current loop, of messages that would be merged with one before them, and the
// messages that say nothing without.
func (r *repair) neighbours() {
	from := len(r.out)
	for from > 0 && r.out[from-1].Role != User {
		from--
	}
	kept := r.out[:from]
	for i := from; i < len(r.out); i++ {
		m := r.out[i]
		if m.Role == Assistant && m.ProviderData != nil && kept[len(kept)-1].Role == Assistant {
			m.ProviderData = nil
			r.did = append(r.did, "An opaque part of the current loop went: its message follows another of the assistant.")
			if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" {
				continue
			}
		}
		kept = append(kept, m)
	}
	r.out = kept
}
