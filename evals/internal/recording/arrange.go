package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// Kinds of repairs that arrange counts.
const (
	repairMissing   = "missing results"
	repairLate      = "results after a later assistant message, treated as missing and orphaned"
	repairOrphan    = "results without a call"
	repairDuplicate = "duplicate results"
	repairOrder     = "results out of the order of their calls, or not directly after them"
	repairCallID    = "calls with a duplicate or empty id"
	repairMerged    = "assistant messages merged with the previous one"
	repairEmpty     = "messages without a text"
	repairPrompt    = "recordings without a prompt"
)

// Replacements for what a recording lacks.
const (
	interrupted = "[interrupted: the recording has no result]"
	unprompted  = "[the recording begins without its prompt]"
)

// An arranger groups the messages of a recording into units, in the order of feeding.
type arranger struct {
	repairs map[string]int
	units   []Unit
	open    int             // index of the unit that awaits results; -1: none
	ids     map[string]bool // of all calls
	results map[string]transcript.Message
	order   []string // call ids of results as received
	late    bool     // another message followed the open unit
}

// arrange fills the trajectory with units. Results join their calls unless the assistant has spoken again in between:
// what it did not see then, no policy may see.
func (t *Trajectory) arrange(run recordedRun, repairs map[string]int) {
	a := &arranger{repairs: repairs, open: -1, ids: make(map[string]bool)}
	var system []string
	for _, m := range run.Messages {
		switch m.Role {
		case "system", "developer":
			system = append(system, m.Content)
		case "user":
			a.user(m.Content)
		case "assistant":
			a.assistant(m)
		case "tool":
			a.result(m)
		}
	}
	a.close()
	t.System = strings.Join(system, "\n\n")
	if len(a.units) > 0 && a.units[0][0].Role == transcript.Assistant {
		a.repairs[repairPrompt]++
		prompt := transcript.Message{Role: transcript.User, Text: unprompted}
		if strings.TrimSpace(run.Task) != "" {
			prompt.Text = run.Task
		}
		a.units = slices.Insert(a.units, 0, Unit{prompt})
	}
	t.Units = a.units
}

func (a *arranger) user(text string) {
	if strings.TrimSpace(text) == "" {
		a.repairs[repairEmpty]++
		return
	}
	a.late = true
	a.units = append(a.units, Unit{{Role: transcript.User, Text: text}})
}

func (a *arranger) assistant(m recordedMessage) {
	a.close()
	if strings.TrimSpace(m.Content) == "" && len(m.Calls) == 0 {
		a.repairs[repairEmpty]++
		return
	}
	head := transcript.Message{Role: transcript.Assistant, Text: m.Content}
	for _, call := range m.Calls {
		head.Calls = append(head.Calls,
			transcript.ToolCall{ID: a.callID(call.ID), Name: call.Name, Args: arguments(call.Args)})
	}
	if last := len(a.units) - 1; last >= 0 && a.units[last][0].Role == transcript.Assistant && len(a.units[last]) == 1 {
		a.repairs[repairMerged]++
		head.Text = strings.TrimSpace(a.units[last][0].Text + "\n\n" + head.Text)
		a.units = a.units[:last]
	}
	a.units = append(a.units, Unit{head})
	if len(head.Calls) > 0 {
		a.open, a.results, a.order, a.late = len(a.units)-1, make(map[string]transcript.Message), nil, false
	}
}

// callID returns a unique id for a call. Results of a repeated id go to its newest call.
func (a *arranger) callID(id string) string {
	if id == "" || a.ids[id] {
		a.repairs[repairCallID]++
		for id += "'"; a.ids[id]; id += "'" {
		}
	}
	a.ids[id] = true
	return id
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

func (a *arranger) result(m recordedMessage) {
	id := a.awaited(m.CallID)
	if id == "" {
		kind := repairOrphan
		if a.ids[m.CallID] {
			kind = repairLate
		}
		a.repairs[kind]++
		if m.Content != "" {
			a.user("[" + m.Name + " " + m.CallID + " answered] " + m.Content)
		}
		return
	}
	if _, twice := a.results[id]; twice {
		a.repairs[repairDuplicate]++
	} else {
		a.order = append(a.order, id)
	}
	if a.late {
		a.repairs[repairOrder]++
	}
	a.results[id] = transcript.Message{Role: transcript.Tool, CallID: id, Text: m.Content, Kind: m.Kind, Failed: m.Failed}
}

// awaited returns the id under which the open unit awaits a result, or "".
func (a *arranger) awaited(id string) string {
	if a.open < 0 {
		return ""
	}
	for _, call := range a.units[a.open][0].Calls {
		if id != "" && strings.TrimRight(call.ID, "'") == strings.TrimRight(id, "'") {
			return call.ID
		}
	}
	return ""
}

// close completes the open unit.
func (a *arranger) close() {
	if a.open < 0 {
		return
	}
	unit := a.units[a.open]
	next := 0
	for i, call := range unit[0].Calls {
		result, ok := a.results[call.ID]
		if !ok {
			a.repairs[repairMissing]++
			result = transcript.Message{Role: transcript.Tool, CallID: call.ID, Text: interrupted}
		} else if at := slices.Index(a.order, call.ID); at < next {
			a.repairs[repairOrder]++
		} else {
			next = at
		}
		result.Name = unit[0].Calls[i].Name
		if result.Kind == "" {
			result.Kind, result.Failed = kindOf(call, result.Text)
		}
		unit = append(unit, result)
	}
	a.units[a.open], a.open = unit, -1
}
