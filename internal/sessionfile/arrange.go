package sessionfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// Replacements for what a recording lacks.
const (
	interrupted = "[interrupted: the recording has no result]"
	unprompted  = "[the recording begins without its prompt]"
)

// A unit is an atomic group of messages: one user message, or one assistant message with the results of its calls in
// the order of the calls.
type unit struct {
	messages  []transcript.Message
	reasoning string
}

// An arranger groups the messages of a draft into units. Results join their calls unless the assistant has spoken again
// in between: what it did not see then, no later reader may see.
type arranger struct {
	report *Report
	units  []unit
	taken  map[string]int // ids of all calls, with the number of calls that had them
	system []string
	spoken bool   // the assistant has
	next   string // reasoning that waits for an answer
	await

	// The outcome.
	messages  []transcript.Message
	reasoning map[int]string
}

// An await is the unit whose calls have no results yet.
type await struct {
	open    int                           // index of the unit; -1: none
	at      place                         // of the unit
	calls   map[string][]string           // ids of its calls, by the ids that the file has
	results map[string]transcript.Message // by id of the call
	order   []string                      // ids of calls as their results came
	passed  bool                          // another message followed the unit
}

func (a *arranger) add(m *said) {
	for _, k := range m.notes {
		a.report.add(k, m.at)
	}
	switch m.role {
	case "system", "developer":
		if !a.spoken {
			a.system = append(a.system, m.text)
			return
		}
		a.quote(lateSystem, m)
	case "user":
		a.user(m.text, m.at)
	case "assistant":
		a.assistant(m)
	case "tool":
		a.result(m)
	default:
		a.quote(unknownRole, m)
	}
}

// quote makes a message the user's.
func (a *arranger) quote(k kind, m *said) {
	a.report.add(k, m.at)
	if strings.TrimSpace(m.text) != "" {
		a.user(fmt.Sprintf("[message of role %q]\n%s", m.role, m.text), m.at)
	}
}

func (a *arranger) user(text string, at place) {
	if strings.TrimSpace(text) == "" {
		a.report.add(empty, at)
		return
	}
	a.passed = true
	a.units = append(a.units, unit{messages: []transcript.Message{{Role: transcript.User, Text: text}}})
}

func (a *arranger) assistant(m *said) {
	a.close()
	a.spoken = true
	a.next = joined(a.next, m.reasoning)
	if strings.TrimSpace(m.text) == "" && len(m.calls) == 0 {
		a.report.add(empty, m.at)
		return
	}
	u := unit{reasoning: a.next}
	head := transcript.Message{Role: transcript.Assistant, Text: m.text}
	recorded := make(map[string][]string)
	for _, call := range m.calls {
		id := a.callID(call.id, m.at)
		recorded[call.id] = append(recorded[call.id], id)
		head.Calls = append(head.Calls, transcript.ToolCall{ID: id, Name: call.name, Args: arguments(call.args)})
	}
	if last := len(a.units) - 1; last >= 0 && len(a.units[last].messages) == 1 &&
		a.units[last].messages[0].Role == transcript.Assistant {
		a.report.add(merged, m.at)
		head.Text = strings.TrimSpace(a.units[last].messages[0].Text + "\n\n" + head.Text)
		u.reasoning = joined(a.units[last].reasoning, u.reasoning)
		a.units = a.units[:last]
	}
	u.messages, a.next = []transcript.Message{head}, ""
	a.units = append(a.units, u)
	if len(head.Calls) > 0 {
		a.await = await{open: len(a.units) - 1, at: m.at, calls: recorded, results: make(map[string]transcript.Message)}
	}
}

// callID returns a unique id for a call. Results of a repeated id go to its newest call.
func (a *arranger) callID(id string, at place) string {
	if id != "" && a.taken[id] == 0 {
		a.taken[id] = 1
		return id
	}
	a.report.add(callID, at)
	unique := id
	for {
		n := a.taken[id]
		a.taken[id]++
		if unique = id + "'" + strconv.Itoa(n+1); n == 0 || n == 1 {
			unique = id + "'"
		}
		if a.taken[unique] == 0 {
			a.taken[unique] = 1
			return unique
		}
	}
}

// arguments returns the arguments of a call as a JSON object. It unwraps a string that holds an object, and puts any
// other value under "raw".
func arguments(recorded json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(recorded, &text) == nil && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		recorded = json.RawMessage(text)
	}
	var object bytes.Buffer
	if len(recorded) == 0 || string(recorded) == "null" || json.Compact(&object, recorded) != nil {
		return json.RawMessage("{}")
	}
	if object.Bytes()[0] != '{' {
		return json.RawMessage(`{"raw":` + object.String() + `}`)
	}
	return object.Bytes()
}

func (a *arranger) result(m *said) {
	id, twice := a.awaited(m.callID)
	if id == "" {
		what := Orphan
		if a.taken[m.callID] > 0 {
			what = Late
		}
		a.report.add(kind(what), m.at)
		if m.text != "" {
			a.user("["+strings.TrimSpace(m.name+" "+m.callID)+" answered] "+m.text, m.at)
		}
		return
	}
	if twice {
		a.report.add(Duplicate, m.at)
	} else {
		a.order = append(a.order, id)
	}
	if a.passed {
		a.report.add(disordered, m.at)
	}
	a.results[id] = transcript.Message{Role: transcript.Tool, CallID: id, Text: m.text, Kind: m.kind, Failed: m.failed}
}

// awaited returns the call of the open unit that a result answers, or "": calls of one id take results in turn. Twice
// says that all of them have one.
func (a *arranger) awaited(id string) (call string, twice bool) {
	if a.open < 0 {
		return "", false
	}
	ids := a.calls[id]
	for i, call := range ids {
		if _, answered := a.results[call]; !answered {
			a.calls[id] = ids[i:] // the calls before have results
			return call, false
		}
	}
	if len(ids) == 0 {
		return "", false
	}
	return ids[len(ids)-1], true
}

// close completes the open unit.
func (a *arranger) close() {
	if a.open < 0 {
		return
	}
	u := &a.units[a.open]
	came := make(map[string]int, len(a.order))
	for i, id := range a.order {
		came[id] = i
	}
	next := 0
	for _, call := range u.messages[0].Calls {
		result, ok := a.results[call.ID]
		if !ok {
			a.report.add(missing, a.at)
			result = transcript.Message{Role: transcript.Tool, CallID: call.ID, Text: interrupted}
		} else if at := came[call.ID]; at < next {
			a.report.add(disordered, a.at)
		} else {
			next = at
		}
		result.Name = call.Name
		if result.Kind == "" {
			kind, failed := kindOf(call, result.Text)
			result.Kind, result.Failed = kind, failed || result.Failed
		}
		u.messages = append(u.messages, result)
	}
	a.open = -1
}

// end completes the messages. Task is the prompt of a recording that begins without it.
func (a *arranger) end(task string) {
	a.close()
	if len(a.units) > 0 && a.units[0].messages[0].Role == transcript.Assistant {
		a.report.add(promptless, place{})
		if strings.TrimSpace(task) == "" {
			task = unprompted
		}
		prompt := transcript.Message{Role: transcript.User, Text: task}
		a.units = slices.Insert(a.units, 0, unit{messages: []transcript.Message{prompt}})
	}
	if a.next != "" {
		a.report.add(unspoken, place{})
	}
	a.reasoning = make(map[int]string)
	for _, u := range a.units {
		if u.reasoning != "" {
			a.reasoning[len(a.messages)] = u.reasoning
		}
		a.messages = append(a.messages, u.messages...)
	}
}
