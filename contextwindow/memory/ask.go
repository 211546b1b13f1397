package memory

import "context"

// Ask asks a model once: a system prompt, a prompt, and the text that it answers. A nil Ask is no model.
type Ask func(ctx context.Context, system, prompt string) (string, error)
