package chat

import "errors"

// ErrOff says that a Chat was made without what is asked for.
var ErrOff = errors.New("the chat has no long-term memory")
