package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Tool is a function that a model may call. [New] makes one from a typed function; a literal works as well.
type Tool struct {
	Name        string          // letters, digits, "_" and "-", at most 64
	Description string          // what it does, for the model
	Schema      json.RawMessage // JSON schema of the arguments object
	Effects     bool            // changes something outside the run, so that it is called alone and in order
	Polls       bool            // reports on work in progress, so that asking again is right also if nothing changed
	Timeout     time.Duration   // limit of one call; 0: the agent's default
	Brief       Brief           // what a model with a small window sees instead; zero: the same
	// Done reports whether a call was done that a dead process began, by the Key of its [Run], and what it returned. nil:
	// nobody can say, so that a person is asked. It is for tools with Effects.
	Done func(ctx context.Context, key string) (result any, done bool, err error)
	// Decode is the inverse of encoding the result as JSON, so that a run resumed in another process has it again; nil: it
	// has the text alone.
	Decode func(json.RawMessage) (any, error)
	// Call runs the tool with arguments that satisfy Schema. The agent renders the result with [Render]. It must be safe
	// for concurrent use: the calls of one answer run side by side, and so do runs. With Effects, it is alone in its run.
	Call func(ctx context.Context, args json.RawMessage) (any, error)
}

// A Brief is the short form of a tool, for a model with a small window. [Tool.Schema] still says which calls are valid,
// so that the fields that Schema leaves out here work as well.
type Brief struct {
	Description string
	Schema      json.RawMessage
}

// A Problem explains to a model why a call failed, and what to try instead.
type Problem struct {
	Code    string // a stable word for programs, as "not_found"
	Message string // one sentence; no host path, no Go error text
	Try     string // what to call instead; may be empty
}

// Problemf returns a [Problem] with a formatted message.
func Problemf(code, try, format string, args ...any) error {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...), Try: try}
}

// Error writes "code: message; try: what".
func (p *Problem) Error() string {
	s := p.Code + ": " + p.Message
	if p.Try != "" {
		s += "; try: " + p.Try
	}
	return s
}
