package recording

import (
	"encoding/json"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
)

// A tracedRun is the log of one agent in a trace of package trace.
type tracedRun struct {
	agent string
	run   recordedRun
}

// trace adds a line of a trace: the entries of an agent's log. Other events say nothing more.
func (f *file) trace(line []byte) error {
	var l struct {
		Agent   string                `json:"agent"`
		From    int                   `json:"from"`
		Entries []contextwindow.Entry `json:"entries"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	if len(l.Entries) == 0 {
		return nil
	}
	at := len(f.traced) - 1
	for at >= 0 && f.traced[at].agent != l.Agent {
		at--
	}
	if l.From == 0 || at < 0 {
		f.traced = append(f.traced, &tracedRun{agent: l.Agent})
		at = len(f.traced) - 1
	}
	run := &f.traced[at].run
	for _, e := range l.Entries {
		if e.Prefix != nil && e.Prefix.System != "" && len(run.Messages) == 0 {
			run.Messages = append(run.Messages, recordedMessage{Role: "system", Content: e.Prefix.System})
		}
		if e.Unit != nil {
			for i := range e.Unit.Messages {
				run.Messages = append(run.Messages, traced(&e.Unit.Messages[i]))
			}
		}
	}
	return nil
}

// traced returns a message of a log as one of a recording.
func traced(m *transcript.Message) recordedMessage {
	one := recordedMessage{Role: string(m.Role), Content: m.Text, CallID: m.CallID, Name: m.Name,
		Kind: m.Kind, Failed: m.Failed}
	for _, call := range m.Calls {
		one.Calls = append(one.Calls, recordedCall{call.ID, call.Name, call.Args})
	}
	return one
}
