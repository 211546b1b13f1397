package tui

import (
	"context"

	"github.com/forayhq/foray/agent/chat"
)

// A Host is the conversation behind the screen. Only Handle is required; what is nil is not offered. Handle is called
// by a goroutine of its own, by one at a time, and the others never while it runs, but for Files, Read and Status.
type Host struct {
	// Handle takes a message, or a command if it begins with "/", and reports whether the conversation ends. It returns
	// when the answer is complete, or soon after ctx ends.
	Handle func(ctx context.Context, text string) (end bool)

	Rules    bool                           // answer, and no model
	Commands []Command                      // that Handle knows
	Status   func() (name, cost string)     // of who answers, and of the conversation so far; also while Handle runs
	Editor   []string                       // the person's editor with its arguments
	Models   func() []Choice                // to choose from; Run returns the ID
	Said     func(context.Context) []string // what the person wrote earlier, oldest first

	Thread   func() string                                 // the thread that is shown; "" before its first message
	Messages func(context.Context) ([]chat.Message, error) // of that thread
	Threads  func(context.Context) ([]Choice, error)       // to choose from; the ID is given to Enter
	Enter    func(ctx context.Context, id string) error    // shows another thread
	Branch   func(ctx context.Context, before int64) error // shows a new thread with the messages before that number

	Files func(context.Context) []string                         // paths that @ completes
	Read  func(ctx context.Context, path string) (string, error) // the text of such a file, for a message
	// Unlisted says why a file is not among Files; "" if it does not exist.
	Unlisted func(ctx context.Context, path string) string
	Locate   func(citation string) (path string, line int, ok bool) // where path:line is on this machine
}

// A Command is a line that begins with "/".
type Command struct {
	Name, Args, Help string
	Rewrites         bool // it removes messages of the thread
}

// A Choice is a row of a list to choose from.
type Choice struct{ ID, Title, Detail string }
