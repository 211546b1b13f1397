package locate

import (
	"context"
	"errors"
	"time"
)

// Options of Tool. The zero value of each field, like nil, is the default.
type Options struct {
	JSON    bool          // render the result as one JSON value instead of text
	Timeout time.Duration // how long one call may take before it answers with what it has; 0: 20 s
	Room    int64         // most bytes of text whose words are kept, and 2 KiB a file; they take twice that in memory; 0: 256 MiB
	// History returns at most so many commits of the tree, newest first, each with up to so many changed files; nil means
	// no history. It is called once. After an error the ranking works without commits.
	History func(ctx context.Context, commits, files int) ([]Commit, error)
}

// errLate ends a call whose time is up. What there is so far stands.
var errLate = errors.New("deadline")
