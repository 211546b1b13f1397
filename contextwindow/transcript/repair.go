package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/forayhq/foray/toollimit"
)

// Texts that replace what a transcript lacks.
const (
	interrupted = "interrupted"
	unprompted  = "[the transcript begins without its prompt]"
	unanswered  = "[the transcript ends here; go on]"
)

// Repair turns messages from elsewhere into ones that every provider accepts, as [Check] confirms for [AnyProvider].
// It also returns what it did, one sentence each, with indexes into ms. A valid transcript comes back unchanged, with
// nil. The messages of ms are not modified; the returned ones share their texts and arguments.
//
//   - A result moves after its call: the newest with its id before it, or else the first one after it. Of several
//     results of one call the last wins. Calls of one message that share an id take results in turn.
//   - A call without a result gets a failed one, with the text "interrupted".
//   - A result without a call, and a message of an unknown role, become user messages that quote them.
//   - An id that is empty, invalid UTF-8, or a duplicate in its message gets a number, as in call_2.
//   - Arguments that are not a JSON object become one, under "raw"; a JSON string of an object becomes that object.
//   - What a message of its role cannot have is dropped, and then every empty message.
//   - A transcript that begins with the assistant gets a user message before it, and one that ends
//     with the assistant gets one after it. If you have more messages, append them before the repair.
//   - Provider data is dropped after the first message that was repaired, since services bind it to the bytes before it,
//     and if its message would be merged with the one before it; see [Check].
func Repair(ms []Message) ([]Message, []string) {
	if Check(ms, AnyProvider) == nil {
		return ms[:len(ms):len(ms)], nil
	}
	n := len(ms)
	r := &repair{in: ms, asked: make([][]*question, n), answers: make([]bool, n), replaced: make([]bool, n)}
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
	r.providerData()
	return r.out, r.did
}

type repair struct {
	in       []Message
	asked    [][]*question // by message and call
	answers  []bool        // by message: it is the result of a call
	replaced []bool        // by message: a later result replaced it
	out      []Message
	did      []string
}

func (r *repair) didf(format string, args ...any) {
	r.did = append(r.did, fmt.Sprintf(format, args...))
}

func (r *repair) head(i int) {
	m := r.own(i)
	if m.empty() {
		r.didf("Message %d removed: it is empty.", i)
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
			r.didf("Call %q of message %d has no result: added one that says %q.", call.ID, i, interrupted)
			r.out = append(r.out, Message{Role: Tool, Text: interrupted, CallID: call.ID, Name: call.Name,
				Kind: toollimit.Error, Failed: true, Origin: m.Origin})
			continue
		}
		at := q.results[q.taken]
		q.taken++
		if !r.follows(last, at) {
			r.didf("Message %d, the result of call %q, moved after message %d.", at, call.ID, i)
		}
		last = at
		result := r.own(at)
		result.CallID = call.ID
		r.out = append(r.out, result)
	}
}

// follows reports whether only replaced results lie between a message and a later one.
func (r *repair) follows(before, at int) bool {
	if at < before {
		return false
	}
	return !slices.Contains(r.replaced[before+1:max(at, before+1)], false)
}

// own returns a message without what its role cannot have.
func (r *repair) own(i int) Message {
	m := r.in[i]
	if m.Role == Assistant {
		if len(m.Images) > 0 {
			r.didf("Pictures of message %d removed: the assistant shows none.", i)
			m.Images = nil
		}
		return m
	}
	if len(m.Calls) > 0 {
		r.didf("Calls of message %d removed: only the assistant calls tools.", i)
		m.Calls = nil
	}
	if m.ProviderData != nil {
		r.didf("Provider data of message %d removed: only the assistant has it.", i)
		m.ProviderData = nil
	}
	return m
}

// calls returns the calls of a message with valid ids and arguments.
func (r *repair) calls(i int) []ToolCall {
	calls := slices.Clone(r.in[i].Calls)
	known := make(map[string]bool, len(calls)) // ids in use, or kept by a later call
	for j := range calls {
		known[calls[j].ID] = true
	}
	used := make(map[string]bool, len(calls))
	for j := range calls {
		call := &calls[j]
		if id := valid(call.ID); id == "" || id != call.ID || used[id] {
			call.ID = freeID(id, j+1, known)
			r.didf("Call %d of message %d renamed %q: its id was empty, invalid UTF-8 or a duplicate.", j, i, call.ID)
		}
		known[call.ID], used[call.ID] = true, true
		if !validArguments(call.Args) {
			call.Args = objectOf(call.Args)
			r.didf("Arguments of call %q of message %d turned into a JSON object.", call.ID, i)
		}
	}
	return calls
}

// freeID returns an id that is not known, numbered from n on.
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

// objectOf returns a JSON object that holds arguments of another form.
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
	if err != nil { // never for a string
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
	r.didf("Message %d, a result without its call %q, quoted in a user message.", i, m.CallID)
}

// stranger quotes a message of an unknown role.
func (r *repair) stranger(i int) {
	m := r.own(i)
	if m.empty() {
		r.didf("Message %d, of role %q, removed: it is empty.", i, m.Role)
		return
	}
	r.quote(m, fmt.Sprintf("[message of role %q]\n", m.Role))
	r.didf("Message %d, of role %q, quoted in a user message.", i, m.Role)
}

func (r *repair) quote(m Message, heading string) {
	r.out = append(r.out, Message{Role: User, Text: heading + m.Text, Origin: historyOf(m), Images: m.Images})
}

func historyOf(m Message) Origin {
	if m.Origin == History {
		return History
	}
	return ""
}

func (r *repair) ends() {
	if len(r.out) == 0 || r.out[0].Role != User {
		prompt := Message{Role: User, Text: unprompted}
		if len(r.out) > 0 {
			prompt.Origin = historyOf(r.out[0])
		}
		r.out = slices.Insert(r.out, 0, prompt)
		r.did = append(r.did, "The transcript does not begin with a user message: added one that says so.")
	}
	if r.out[len(r.out)-1].Role == Assistant {
		r.out = append(r.out, Message{Role: User, Text: unanswered})
		r.did = append(r.did, "The transcript ends with an assistant message: added a user message that asks to continue.")
	}
}

// providerData drops provider data after the first message that was repaired, and, in the current loop, that of
// messages that would be merged with the one before them, and then empty messages.
func (r *repair) providerData() {
	loop := len(r.out)
	for loop > 0 && r.out[loop-1].Role != User {
		loop--
	}
	kept, changed, after := r.out[:0], false, 0
	for i, m := range r.out {
		changed = changed || i >= len(r.in) || !reflect.DeepEqual(m, r.in[i])
		if m.ProviderData != nil {
			merged := i >= loop && kept[len(kept)-1].Role == Assistant
			switch {
			case merged:
				r.did = append(r.did, "Provider data in the current loop removed: its message follows another assistant message.")
			case changed && !m.ProviderData.Unbound:
				after++
			}
			if merged || changed && !m.ProviderData.Unbound {
				m.ProviderData, changed = nil, true
			}
			if m.empty() {
				continue
			}
		}
		kept = append(kept, m)
	}
	if after > 0 {
		r.didf("Provider data after the first repair removed (%d): services bind it to every byte before it.", after)
	}
	r.out = kept
}
