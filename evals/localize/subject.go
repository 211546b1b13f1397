package localize

import (
	"context"
	"io/fs"
	"time"

	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
)

// A Subject is a way to find code, under a name.
type Subject struct {
	Name   string
	Locate func(ctx context.Context, c *Checkout) (*Answer, error)
}

// A Checkout is an instance and the tree that it is about.
type Checkout struct {
	*Instance
	Mode  locate.Mode
	Index *locate.Index                     // of the tree, made from contents that other commits may have shared
	Read  func(path string) ([]byte, error) // of the tree, as the tools see it
	Tree  fs.FS
	Repo  *gitrepo.Repo
}

// An Answer is what a subject found, the best first.
type Answer struct {
	Files     []string
	Functions []string        // path:Class.method
	Ranking   *locate.Ranking // nil: the subject does not rank with locate

	// Citations are the lines that a report points at, and Resolved those of them that are there; both 0 without a report.
	Citations, Resolved int
	// Cold is how long the subject took from the tree to the answer, with nothing kept; 0: that was not measured.
	Cold time.Duration
}
