// Package traceline has the form of a line of a trace, for those who write traces and those who read them.
//
// Start with [Line]. Package agent/trace says what the lines mean.
package traceline

import (
	"time"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
)

// A Line is one line of a trace: one JSON object. Each field names the events that have it; see package agent/trace.
type Line struct {
	Seq   int    `json:"seq"`
	MS    int64  `json:"ms"`
	Event string `json:"event"`
	Agent string `json:"agent"`
	Step  int    `json:"step"` // as in the event; 0 for started and done

	Version int        `json:"version,omitempty"` // started: version
	Time    *time.Time `json:"time,omitempty"`    // started
	Budget  *Budget    `json:"budget,omitempty"`  // started

	Provider string `json:"provider,omitempty"` // started: of the model
	Model    string `json:"model,omitempty"`    // started, as the provider names it
	Input    string `json:"input,omitempty"`    // started: what the user said, if the prompt holds more

	Note       *contextwindow.Note `json:"note,omitempty"`       // noted
	Compaction *Compaction         `json:"compaction,omitempty"` // compacted

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
	Results  []ResultSize     `json:"results,omitempty"`     // stepped
	Window   *WindowSize      `json:"window,omitempty"`      // stepped
	Duration int64            `json:"duration_ms,omitempty"` // tool_ended, summarized, returned, stepped, done

	Stop    agent.Stop            `json:"stop,omitempty"`    // returned, done
	Steps   int                   `json:"steps,omitempty"`   // returned, done: answered requests
	Usage   *providers.Usage      `json:"usage,omitempty"`   // returned, done: of the run; else of that event
	Context *contextwindow.Report `json:"context,omitempty"` // done: the window at the end of the run
}

// A Budget is a [contextwindow.Budget], in tokens.
type Budget struct {
	Model   string                `json:"model,omitempty"`
	Window  int                   `json:"window,omitempty"`
	Limit   int                   `json:"limit"`
	Profile contextwindow.Profile `json:"profile,omitempty"`
	Source  string                `json:"source,omitempty"`
	Ratio   float64               `json:"ratio,omitempty"`
}

// A Compaction is a [contextwindow.Compaction].
type Compaction struct {
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

// A ResultSize is the size of one result, in tokens.
type ResultSize struct {
	Name     string `json:"name"`
	Received int    `json:"received"`
	Shown    int    `json:"shown"`
}

// A WindowSize is a [contextwindow.Usage], in tokens.
type WindowSize struct {
	Tokens  int `json:"tokens"`
	Limit   int `json:"limit"`
	Frame   int `json:"frame"`
	Prompt  int `json:"prompt"`
	Entries int `json:"entries"` // in the log
}
