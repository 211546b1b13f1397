package memory

import "context"

// Ask sends a system prompt and a prompt to a model and returns the text of its answer. Where an Ask is optional, nil
// means that no model is used.
type Ask func(ctx context.Context, system, prompt string) (string, error)
