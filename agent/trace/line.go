package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
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

// A line is one line of a trace: one JSON object. Each field names the events that have it; see the package comment.
type line struct {
	Seq   int    `json:"seq"`
	MS    int64  `json:"ms"`
	Event string `json:"event"`
	Agent string `json:"agent"`
	Step  int    `json:"step"` // as in the event; 0 for started and done

	Version int        `json:"version,omitempty"` // started: version
	Time    *time.Time `json:"time,omitempty"`    // started
	Budget  *budget    `json:"budget,omitempty"`  // started

	Provider string `json:"provider,omitempty"` // started: of the model
	Model    string `json:"model,omitempty"`    // started, as the provider names it
	Input    string `json:"input,omitempty"`    // started: what the user said, if the prompt holds more

	Note       *contextwindow.Note `json:"note,omitempty"`       // noted
	Compaction *compaction         `json:"compaction,omitempty"` // compacted

	From    int                   `json:"from,omitempty"`    // entries: index of the first one in the log
	Entries []contextwindow.Entry `json:"entries,omitempty"` // entries

	ViewOf      int                  `json:"view_of,omitempty"`          // request: of so many entries
	Repaired    bool                 `json:"repaired,omitempty"`         // request: the view was repaired
	Bare        bool                 `json:"bare,omitempty"`             // request: without tools and calls
	Choice      providers.ToolChoice `json:"choice,omitempty"`           // request
	MaxOutput   int                  `json:"max_output,omitempty"`       // request, in tokens
	Temperature *float64             `json:"temperature,omitempty"`      // request
	TopP        *float64             `json:"top_p,omitempty"`            // request
	StopTexts   []string             `json:"stop_texts,omitempty"`       // request
	Seed        *int64               `json:"seed,omitempty"`             // request
	Reasoning   string               `json:"reasoning_effort,omitempty"` // request

	Schema     string `json:"schema,omitempty"`      // request: of a structured answer
	SchemaName string `json:"schema_name,omitempty"` // request
	Messages   int    `json:"messages,omitempty"`    // request: their number
	SHA256     string `json:"sha256,omitempty"`      // request: of the messages as a JSON array, in hex

	Text    string `json:"text,omitempty"`    // text, reasoning, joined, returned, done
	Attempt int    `json:"attempt,omitempty"` // retried: 1 for the first retry
	Reason  string `json:"reason,omitempty"`  // retried
	Warning string `json:"warning,omitempty"` // warned

	Call      *transcript.ToolCall `json:"call,omitempty"`      // tool_started, tool_ended; arguments are a string
	Abandoned bool                 `json:"abandoned,omitempty"` // tool_ended
	Error     string               `json:"error,omitempty"`     // tool_ended, summarized, returned, done

	Units  int `json:"units,omitempty"`  // summarized: units of the log that it covers
	Tokens int `json:"tokens,omitempty"` // summarized: tokens of these units

	Finish   providers.Finish `json:"finish,omitempty"`      // stepped
	Calls    int              `json:"calls,omitempty"`       // stepped
	Results  []resultSize     `json:"results,omitempty"`     // stepped
	Window   *windowSize      `json:"window,omitempty"`      // stepped
	Duration int64            `json:"duration_ms,omitempty"` // tool_ended, summarized, returned, stepped, done

	Stop    agent.Stop            `json:"stop,omitempty"`    // returned, done
	Steps   int                   `json:"steps,omitempty"`   // returned, done: answered requests
	Usage   *providers.Usage      `json:"usage,omitempty"`   // returned, done: of the run; else of that event
	Context *contextwindow.Report `json:"context,omitempty"` // done: the window at the end of the run
}

// A budget is a [contextwindow.Budget], in tokens.
type budget struct {
	Model   string                `json:"model,omitempty"`
	Window  int                   `json:"window,omitempty"`
	Limit   int                   `json:"limit"`
	Profile contextwindow.Profile `json:"profile,omitempty"`
	Source  string                `json:"source,omitempty"`
	Ratio   float64               `json:"ratio,omitempty"`
}

// A compaction is a [contextwindow.Compaction].
type compaction struct {
	Level       int      `json:"level"`
	Steps       []string `json:"steps,omitempty"`
	Before      int      `json:"before"`
	After       int      `json:"after"`
	Invalidated int      `json:"invalidated,omitempty"`
	Opaque      int      `json:"opaque,omitempty"`
	Thrash      bool     `json:"thrash,omitempty"`
	Pointers    []string `json:"pointers,omitempty"`
	Evicted     int      `json:"evicted,omitempty"`
	Removed     int      `json:"removed,omitempty"`
	Reread      int      `json:"reread,omitempty"`
}

// A resultSize is the size of one result, in tokens.
type resultSize struct {
	Name     string `json:"name"`
	Received int    `json:"received"`
	Shown    int    `json:"shown"`
}

// A windowSize is a [contextwindow.Usage], in tokens.
type windowSize struct {
	Tokens  int `json:"tokens"`
	Limit   int `json:"limit"`
	Frame   int `json:"frame"`
	Prompt  int `json:"prompt"`
	Entries int `json:"entries"` // in the log
}

// lineOf returns the line of an event without its number and time. A line without an Event is not written. err belongs
// to [agent.RunFinished].
func lineOf(e agent.Event, err error) line {
	switch e := e.(type) {
	case agent.RunStarted:
		b := e.Budget
		return line{Event: eventStarted, Agent: e.Agent, Version: version, Provider: e.Model.Provider, Model: e.Model.Name,
			Input: e.Input, Budget: &budget{b.Model, b.Window, b.Limit, b.Profile, b.Source, b.Ratio}}
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
		c := e.Compaction
		return line{Event: "compacted", Agent: e.Agent, Step: e.Step,
			Compaction: &compaction{c.Level, c.Steps, c.Before, c.After, c.Invalidated, c.ProviderData, c.Thrash, c.Pointers,
				c.Evicted, c.Removed, c.Reread}}
	case agent.EntriesAppended:
		return line{Event: eventEntries, Agent: e.Agent, Step: e.Step, From: e.From, Entries: e.Entries}
	case agent.RequestSent:
		return requestLine(e)
	case agent.RequestRetried:
		return line{Event: "retried", Agent: e.Agent, Step: e.Step, Attempt: e.Attempt, Reason: e.Reason}
	case agent.StepFinished:
		u := e.Usage
		return line{Event: "stepped", Agent: e.Agent, Step: e.Step.Number, Finish: e.Step.Finish, Calls: len(e.Step.Calls),
			Results: resultSizes(e.Step.Calls), Window: &windowSize{u.Tokens, u.Limit, u.Prefix, u.Prompt, u.Entries}, Usage: &e.Tokens,
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

func resultSizes(calls []agent.StepCall) []resultSize {
	sizes := make([]resultSize, len(calls))
	for i, c := range calls {
		sizes[i] = resultSize{c.Name, c.Received, c.Shown}
	}
	return sizes
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
