package agent

import (
	"time"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// TraceVersion is the version of the form of a trace. A field that is added does not change it.
const TraceVersion = 1

// A TraceLine is one line of a trace: a JSON object with the fields of its event and no others. Event names are part of
// the format and stay as they are when a Go type is renamed: "stepped" is [StepFinished], "entries" is [EntriesAppended].
// Bytes that are not UTF-8 become U+FFFD in texts; entries keep every byte.
type TraceLine struct {
	Seq   int    `json:"seq"`   // from 1, without a gap
	MS    int64  `json:"ms"`    // milliseconds since the first line
	Event string `json:"event"` // started, noted, compacted, entries, request, text, reasoning, retried, tool_started, tool_ended, warned, summarized, joined, returned, stepped, done
	Agent string `json:"agent"` // the name of the agent that it happened to
	Step  int    `json:"step"`  // as in the event; 0 for started and done

	Version int          `json:"version,omitempty"` // started: TraceVersion
	Time    *time.Time   `json:"time,omitempty"`    // started
	Budget  *TraceBudget `json:"budget,omitempty"`  // started

	Note       *contextwindow.Note `json:"note,omitempty"`       // noted
	Compaction *TraceCompaction    `json:"compaction,omitempty"` // compacted

	From    int                   `json:"from,omitempty"`    // entries: number of the first of them in the log, from 0
	Entries []contextwindow.Entry `json:"entries,omitempty"` // entries

	ViewOf     int                  `json:"view_of,omitempty"`     // request: so many entries of the log give its messages
	Repaired   bool                 `json:"repaired,omitempty"`    // request: transcript.Repair was applied to them
	Choice     providers.ToolChoice `json:"choice,omitempty"`      // request
	MaxOutput  int                  `json:"max_output,omitempty"`  // request, in tokens
	Schema     string               `json:"schema,omitempty"`      // request: of the answer
	SchemaName string               `json:"schema_name,omitempty"` // request
	Messages   int                  `json:"messages,omitempty"`    // request: how many there are
	SHA256     string               `json:"sha256,omitempty"`      // request: of the messages as a JSON array of transcript.Message, in hex

	Text    string `json:"text,omitempty"`    // text, reasoning, joined, returned, done
	Attempt int    `json:"attempt,omitempty"` // retried: 1 for the first retry
	Reason  string `json:"reason,omitempty"`  // retried
	Warning string `json:"warning,omitempty"` // warned

	Call      *transcript.ToolCall `json:"call,omitempty"`      // tool_started, tool_ended; arguments are a string
	Abandoned bool                 `json:"abandoned,omitempty"` // tool_ended
	Error     string               `json:"error,omitempty"`     // tool_ended, summarized, returned, done

	Units  int `json:"units,omitempty"`  // summarized: units of the log that the summary is of
	Tokens int `json:"tokens,omitempty"` // summarized: that they take

	Finish   providers.Finish `json:"finish,omitempty"`      // stepped
	Calls    int              `json:"calls,omitempty"`       // stepped
	Window   *TraceWindow     `json:"window,omitempty"`      // stepped
	Duration int64            `json:"duration_ms,omitempty"` // tool_ended, summarized, returned, stepped, done

	Stop    Stop                  `json:"stop,omitempty"`    // returned, done
	Steps   int                   `json:"steps,omitempty"`   // returned, done: requests that the model answered
	Usage   *providers.Usage      `json:"usage,omitempty"`   // returned, done: tokens, summed; stepped: of the step; summarized
	Context *contextwindow.Report `json:"context,omitempty"` // done: what the window holds at the end
}

// A TraceBudget is the budget of a window in a trace, in tokens.
type TraceBudget struct {
	Model   string                `json:"model,omitempty"`
	Window  int                   `json:"window,omitempty"`
	Limit   int                   `json:"limit"`
	Profile contextwindow.Profile `json:"profile,omitempty"`
	Source  string                `json:"source,omitempty"`
	Ratio   float64               `json:"ratio,omitempty"`
}

// A TraceCompaction is a contextwindow.Compaction in a trace.
type TraceCompaction struct {
	Level       int      `json:"level"`
	Steps       []string `json:"steps,omitempty"`
	Before      int      `json:"before"`
	After       int      `json:"after"`
	Invalidated int      `json:"invalidated,omitempty"`
	Opaque      int      `json:"opaque,omitempty"`
	Thrash      bool     `json:"thrash,omitempty"`
	Pointers    []string `json:"pointers,omitempty"`
}

// A TraceWindow is a contextwindow.Usage in a trace, in tokens.
type TraceWindow struct {
	Tokens  int `json:"tokens"`
	Limit   int `json:"limit"`
	Frame   int `json:"frame"`
	Prompt  int `json:"prompt"`
	Entries int `json:"entries"` // in the log
}

// traceLine is the line of an event, without its number and time; one without an Event is not written. err is the error
// beside Done.
func traceLine(e Event, err error) TraceLine {
	switch e := e.(type) {
	case RunStarted:
		b := e.Budget
		return TraceLine{Event: eventStarted, Agent: e.Agent, Version: TraceVersion,
			Budget: &TraceBudget{b.Model, b.Window, b.Limit, b.Profile, b.Source, b.Ratio}}
	case Text:
		return TraceLine{Event: "text", Agent: e.Agent, Step: e.Step, Text: e.Text}
	case Reasoning:
		return TraceLine{Event: "reasoning", Agent: e.Agent, Step: e.Step, Text: e.Text}
	case ToolStarted:
		return TraceLine{Event: "tool_started", Agent: e.Agent, Step: e.Step, Call: &e.Call}
	case ToolProgressed:
		return TraceLine{} // equal runs give equal traces, but for the times
	case ToolFinished:
		r := e.Record
		return TraceLine{Event: "tool_ended", Agent: e.Agent, Step: e.Step, Call: &r.Call, Abandoned: r.Abandoned,
			Error: errorText(r.Err), Duration: r.Duration.Milliseconds()}
	case NoteWritten:
		return TraceLine{Event: "noted", Agent: e.Agent, Step: e.Step, Note: &e.Note}
	case WindowCompacted:
		c := e.Compaction
		return TraceLine{Event: "compacted", Agent: e.Agent, Step: e.Step,
			Compaction: &TraceCompaction{c.Level, c.Steps, c.Before, c.After, c.Invalidated, c.ProviderData, c.Thrash, c.Pointers}}
	case EntriesAppended:
		return TraceLine{Event: eventEntries, Agent: e.Agent, Step: e.Step, From: e.From, Entries: e.Entries}
	case RequestSent:
		return requestLine(e)
	case RequestRetried:
		return TraceLine{Event: "retried", Agent: e.Agent, Step: e.Step, Attempt: e.Attempt, Reason: e.Reason}
	case StepFinished:
		u := e.Usage
		return TraceLine{Event: "stepped", Agent: e.Agent, Step: e.Step.Number, Finish: e.Step.Finish, Calls: len(e.Step.Calls),
			Window: &TraceWindow{u.Tokens, u.Limit, u.Prefix, u.Prompt, u.Entries}, Usage: &e.Tokens, Duration: e.Duration.Milliseconds()}
	case SummaryFinished:
		return TraceLine{Event: "summarized", Agent: e.Agent, Step: e.Step, Units: e.Units, Tokens: e.Tokens, Usage: &e.Usage,
			Error: errorText(e.Err), Duration: e.Duration.Milliseconds()}
	case WarningRaised:
		return TraceLine{Event: "warned", Agent: e.Agent, Step: e.Step, Warning: e.Warning}
	case MessageInjected:
		return TraceLine{Event: "joined", Agent: e.Agent, Step: e.Step, Text: e.Text}
	case SubagentFinished:
		return resultLine("returned", e.Agent, e.Result, e.Err)
	case RunFinished:
		line := resultLine(eventDone, e.Agent, e.Result, err)
		line.Context = &e.Result.Context
		return line
	}
	panic("agent: an event that is not in event.go") // the interface is sealed
}

// resultLine is the line of a run that is over.
func resultLine(event, agent string, r *Result, err error) TraceLine {
	return TraceLine{Event: event, Agent: agent, Text: r.Text, Stop: r.Stop, Steps: r.Steps, Usage: &r.Usage,
		Error: errorText(err), Duration: r.Duration.Milliseconds()}
}

// requestLine is the line of a request: its messages are not in it, for the log gives them.
func requestLine(e RequestSent) TraceLine {
	r := e.Request
	return TraceLine{
		Event: eventRequest, Agent: e.Agent, Step: e.Step, ViewOf: e.Entries, Repaired: e.Repaired,
		Choice: r.Choice, MaxOutput: r.MaxOutput, Schema: string(r.Schema), SchemaName: r.SchemaName,
		Messages: len(r.Messages), SHA256: hashOf(r.Messages),
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
