package locate

import (
	"context"
	"errors"
	"time"
)

// Options configures [Tool]. Nil and the zero value of each field mean the default.
type Options struct {
	JSON    bool          // render the result as one JSON value instead of text
	Timeout time.Duration // time limit of a call, after which it ranks what it has read (default 20 s)
	Room    int64         // bytes of text to index, plus 2 KiB per file; the index takes twice that (default 256 MiB)
	// History returns at most so many commits of the tree, newest first, each with up to so many changed files; nil means
	// no history. It is called once. After an error the ranking works without commits.
	History func(ctx context.Context, commits, files int) ([]Commit, error)
}

// errLate is the cause when a call runs out of time.
var errLate = errors.New("deadline")
