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
	Room    int64         // bytes of text to index, plus 2 KiB per file; the index takes about half (default 256 MiB)
	// History returns at most so many commits of the tree, newest first, each with up to so many changed files; nil means
	// no history. It is called once. After an error the ranking works without commits.
	History func(ctx context.Context, commits, files int) ([]Commit, error)
	// HistoryOf identifies the history, such as a commit: equal values must mean equal histories. The history is then
	// kept in the cache of the tree's definitions; with "" it is not.
	HistoryOf string
	// Similar compares the query with the best files, whose order it may change a little; nil: words decide. After an
	// error they decide too, and the result says so.
	Similar Similarity
}

// errLate is the cause when a call runs out of time.
var errLate = errors.New("deadline")
