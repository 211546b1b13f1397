package sessionfile

import (
	"cmp"
	"encoding/json"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A tracedRun is the log of one agent in a trace of package trace.
type tracedRun struct {
	agent string
	draft
}

// trace adds a line of a trace: the entries of an agent's log. Other events say little more.
func (r *Reader) trace(raw []byte) error {
	var l struct {
		Agent   string                `json:"agent"`
		From    int                   `json:"from"`
		Entries []contextwindow.Entry `json:"entries"`
		Model   json.RawMessage       `json:"model"`
		Time    json.RawMessage       `json:"time"`
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	if r.started.IsZero() {
		r.started = created(l.Time)
	}
	if len(l.Entries) == 0 {
		return nil
	}
	at := len(r.traced) - 1
	for at >= 0 && r.traced[at].agent != l.Agent {
		at--
	}
	if l.From == 0 || at < 0 {
		r.traced = append(r.traced, &tracedRun{agent: l.Agent})
		at = len(r.traced) - 1
	}
	t := r.traced[at]
	var model string
	_ = json.Unmarshal(l.Model, &model) // anything else names none
	t.Model = cmp.Or(model, t.Model)
	for _, e := range l.Entries {
		if e.Prefix != nil && e.Prefix.System != "" && len(t.said) == 0 {
			t.said = append(t.said, said{role: "system", text: e.Prefix.System, at: place{line: r.n}})
		}
		if e.Unit != nil {
			for i := range e.Unit.Messages {
				t.said = append(t.said, traced(&e.Unit.Messages[i], place{line: r.n}))
			}
		}
	}
	return nil
}

// traced returns a message of a log as one of a recording.
func traced(m *transcript.Message, at place) said {
	one := said{role: string(m.Role), text: m.Text, callID: m.CallID, name: m.Name, kind: m.Kind, failed: m.Failed, at: at}
	if m.ProviderData != nil && !m.ProviderData.Unbound {
		one.notes = append(one.notes, encrypted)
	}
	for _, call := range m.Calls {
		one.calls = append(one.calls, called{call.ID, call.Name, call.Args})
	}
	return one
}
