package tools

import (
	"context"
	"encoding/json"
	"time"
)

// A Tool is a function that a model may call. New makes one from a typed function; a literal works as well.
type Tool struct {
	Name        string          // what the model calls it: letters, digits, "_" and "-", at most 64
	Description string          // what it is for, for the model
	Schema      json.RawMessage // JSON schema of the arguments object
	Effects     bool            // changes something outside the run: called alone and in order
	Timeout     time.Duration   // how long one call may take; 0: the agent's default
	// Call runs the tool with arguments that satisfy Schema. A result is rendered by Render; an error is told to the model.
	Call func(ctx context.Context, args json.RawMessage) (any, error)
}
