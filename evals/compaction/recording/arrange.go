package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forayhq/foray/contextwindow/transcript"
)

// What arrange counts as repaired.
const (
	repairMissing   = "results that were missing"
	repairLate      = "results behind a later message of the assistant, taken as missing and orphaned"
	repairOrphan    = "results without a call"
	repairDuplicate = "results that came twice"
	repairOrder     = "results that were not in the order of their calls, or not right behind them"
	repairCallID    = "calls with an id that was taken or empty"
	repairMerged    = "messages of the assistant that went on with the one before"
	repairEmpty     = "messages without a text"
	repairPrompt    = "recordings that begin without a prompt"
)

// What stands for what a recording lost.
const (
	interrupted = "[interrupted: the recording has no result]"
	unprompted  = "[the recording begins without its prompt]"
)

// An arranger puts the messages of a recording in order as units.
type arranger struct {
	repairs map[string]int
	units   []Unit
	open    int             // index of the unit whose results are awaited; -1: none
	ids     map[string]bool // of all calls
	results map[string]transcript.Message
	order   []string // call ids of results as they came
	behind  bool     // another message stands behind the open unit
}

// arrange fills the trajectory with units. Results go behind their calls as long as the assistant has not spoken again:
// what it did not see then, no policy may see either.
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
	a.behind = true
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
		head.Calls = append(head.Calls, transcript.ToolCall{ID: a.callID(call.ID), Name: call.Name, Args: arguments(call.Args)})
	}
	if last := len(a.units) - 1; last >= 0 && a.units[last][0].Role == transcript.Assistant && len(a.units[last]) == 1 {
		a.repairs[repairMerged]++
		head.Text = strings.TrimSpace(a.units[last][0].Text + "\n\n" + head.Text)
		a.units = a.units[:last]
	}
	a.units = append(a.units, Unit{head})
	if len(head.Calls) > 0 {
		a.open, a.results, a.order, a.behind = len(a.units)-1, make(map[string]transcript.Message), nil, false
	}
}

// callID returns an id that no other call of the recording has. Results of a repeated id go to its newest call.
func (a *arranger) callID(id string) string {
	if id == "" || a.ids[id] {
		a.repairs[repairCallID]++
		for id += "'"; a.ids[id]; id += "'" {
		}
	}
	a.ids[id] = true
	return id
}

// arguments is the JSON object of a call's arguments. What was recorded as a string that holds an object is that
// object; anything else stands under "raw".
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
	if a.behind {
		a.repairs[repairOrder]++
	}
	a.results[id] = transcript.Message{Role: transcript.Tool, CallID: id, Text: m.Content}
}

// awaited returns the id under which the open unit asks for a result, "" if it does not.
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

// close ends the open unit: nothing that comes later belongs to it.
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
		result.Kind, result.Failed = kindOf(call, result.Text)
		unit = append(unit, result)
	}
	a.units[a.open], a.open = unit, -1
}
