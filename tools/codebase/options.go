package codebase

import (
	"time"

	"github.com/forayhq/foray/tools/symbols"
)

// Options of Tools. The zero value, like nil, is the default.
type Options struct {
	JSON         bool           // results render as one JSON value instead of text, for a caller that decodes them
	AllowSecrets bool           // read files with a secret's name, and do not redact tokens
	Dir          string         // absolute path of the root: an absolute path below it is taken as relative; "": that of the Root
	Timeout      time.Duration  // how long one call may walk and read before it answers with what it has; 0: 20 s
	MaxFile      int64          // largest file that is read, in bytes; 0: 10 MiB
	Symbols      *symbols.Cache // of definitions, which the caller closes; nil: one in memory
	Workers      int            // files read side by side in a search; 0: one a processor
}
