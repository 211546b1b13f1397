package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/traceline"
)

// The events that [Read] looks at.
const (
	eventStarted = "started"
	eventEntries = "entries"
	eventRequest = "request"
	eventDone    = "done"
)

// version of the format. A new field does not change it.
const version = 1

// A line is a line of the trace. Its types are in a package of their own for the readers of the whole trace.
type line = traceline.Line

// lineOf returns the line of an event without its number and time. A line without an Event is not written. err belongs
// to [agent.RunFinished].
func lineOf(e agent.Event, err error) line {
	switch e := e.(type) {
	case agent.RunStarted:
		b := e.Budget
		return line{Event: eventStarted, Agent: e.Agent, Version: version, Provider: e.Model.Provider, Model: e.Model.Name,
			Input: e.Input, Budget: &traceline.Budget{Model: b.Model, Window: b.Window, Limit: b.Limit, Profile: b.Profile,
				Source: b.Source, Ratio: b.Ratio}}
	case agent.Text:
		return line{Event: "text", Agent: e.Agent, Step: e.Step, Text: e.Text}
	case agent.Reasoning:
		return line{Event: "reasoning", Agent: e.Agent, Step: e.Step, Text: e.Text}
	case agent.ToolStarted:
		return line{Event: "tool_started", Agent: e.Agent, Step: e.Step, Call: &e.Call}
	case agent.ToolProgressed, agent.ReadingProgressed:
		return line{} // depends on the speed of the machine
	case agent.RunResumed, agent.RequestFinished:
		return line{} // the lines of the step and of the session say the same
	case agent.ToolFinished:
		r := e.Record
		return line{Event: "tool_ended", Agent: e.Agent, Step: e.Step, Call: &r.Made, Abandoned: r.Abandoned,
			Error: errorText(r.Err), Duration: r.Duration.Milliseconds()}
	case agent.NoteWritten:
		return line{Event: "noted", Agent: e.Agent, Step: e.Step, Note: &e.Note}
	case agent.WindowCompacted:
		return line{Event: "compacted", Agent: e.Agent, Step: e.Step, Compaction: compactionOf(e.Compaction)}
	case agent.EntriesAppended:
		return line{Event: eventEntries, Agent: e.Agent, Step: e.Step, From: e.From, Entries: e.Entries}
	case agent.RequestSent:
		return requestLine(e)
	case agent.RequestRetried:
		return line{Event: "retried", Agent: e.Agent, Step: e.Step, Attempt: e.Attempt, Reason: e.Reason}
	case agent.StepFinished:
		return line{Event: "stepped", Agent: e.Agent, Step: e.Step.Number, Finish: e.Step.Finish, Calls: len(e.Step.Calls),
			Results: resultSizes(e.Step.Calls), Window: windowOf(e.Usage), Usage: &e.Tokens,
			Duration: e.Duration.Milliseconds()}
	case agent.SummaryFinished:
		return line{Event: "summarized", Agent: e.Agent, Step: e.Step, Units: e.Units, Tokens: e.Tokens, Usage: &e.Usage,
			Error: errorText(e.Err), Duration: e.Duration.Milliseconds()}
	case agent.WarningRaised:
		return line{Event: "warned", Agent: e.Agent, Step: e.Step, Warning: e.Warning}
	case agent.MessageInjected:
		return line{Event: "joined", Agent: e.Agent, Step: e.Step, Text: e.Text}
	case agent.SubagentFinished:
		return resultLine("returned", e.Agent, e.Result, e.Err)
	case agent.RunFinished:
		line := resultLine(eventDone, e.Agent, e.Result, err)
		line.Context = &e.Result.Context
		return line
	}
	panic("trace: unknown event") // the interface is sealed
}

func resultSizes(calls []agent.StepCall) []traceline.ResultSize {
	sizes := make([]traceline.ResultSize, len(calls))
	for i, c := range calls {
		sizes[i] = traceline.ResultSize{Name: c.Name, Received: c.Received, Shown: c.Shown}
	}
	return sizes
}

func compactionOf(c contextwindow.Compaction) *traceline.Compaction {
	return &traceline.Compaction{
		Level: c.Level, Steps: c.Steps, Before: c.Before, After: c.After, Invalidated: c.Invalidated, Opaque: c.ProviderData,
		Thrash: c.Thrash, Pointers: c.Pointers, Evicted: c.Evicted, Removed: c.Removed, Reread: c.Reread,
	}
}

func windowOf(u contextwindow.Usage) *traceline.WindowSize {
	return &traceline.WindowSize{Tokens: u.Tokens, Limit: u.Limit, Frame: u.Prefix, Prompt: u.Prompt, Entries: u.Entries}
}

// resultLine returns the line of a finished run.
func resultLine(event, agent string, r *agent.Result, err error) line {
	return line{Event: event, Agent: agent, Text: r.Text, Stop: r.Stop, Steps: r.Steps, Usage: &r.Usage,
		Error: errorText(err), Duration: r.Duration.Milliseconds()}
}

// requestLine returns the line of a request, with a hash in place of its messages: the entries hold them already.
func requestLine(e agent.RequestSent) line {
	r := e.Request
	return line{
		Event: eventRequest, Agent: e.Agent, Step: e.Step, ViewOf: e.Entries, Repaired: e.Repaired,
		Bare:   e.Bare,
		Choice: r.Choice, MaxOutput: r.MaxOutput, Schema: string(r.Schema), SchemaName: r.SchemaName,
		Temperature: r.Temperature, TopP: r.TopP, StopTexts: r.Stop, Seed: r.Seed, Reasoning: r.ReasoningEffort,
		Messages: len(r.Messages), SHA256: hashOf(r.Messages),
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// hashOf returns the SHA-256 of the JSON of messages, in hex.
func hashOf(messages []transcript.Message) string {
	raw, err := json.Marshal(messages)
	if err != nil {
		return err.Error() // a message always encodes
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
