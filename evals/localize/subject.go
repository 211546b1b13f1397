package localize

import (
	"context"
	"io/fs"
	"time"

	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
)

// A Subject is a named method to find code.
type Subject struct {
	Name   string
	Locate func(ctx context.Context, c *Checkout) (*Answer, error)
}

// A Checkout is an instance with its tree.
type Checkout struct {
	*Instance
	Mode  locate.Mode
	Index *locate.Index                     // of the tree
	Read  func(path string) ([]byte, error) // reads the tree as the tools do
	Tree  fs.FS
	Repo  *gitrepo.Repo
}

// An Answer is the result of a subject, best first.
type Answer struct {
	Files     []string
	Functions []string        // path:Class.method
	Ranking   *locate.Ranking // nil if the subject does not use locate

	// Citations counts the citations of a report, Resolved those that exist; both are 0 without a report.
	Citations, Resolved int
	// Confidence is how likely the first file is right, from 0 to 1; 0 if the subject does not say.
	Confidence float64
	// Cold is the time from the tree to the answer with nothing cached; 0 if not measured.
	Cold time.Duration
}
