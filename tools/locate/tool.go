package locate

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/tree"
)

const (
	defaultTimeout = 20 * time.Second
	defaultRoom    = 256 << 20
)

// Tool returns the tool locate over t. It only reads, may run concurrently, and keeps an index of the tree between
// calls. An invalid call returns a *tools.Problem; the result is a [*Result].
func Tool(t *tree.Tree, o *Options) tools.Tool {
	l := &locator{}
	if o != nil {
		l.o = *o
	}
	l.o.Timeout = cmp.Or(l.o.Timeout, defaultTimeout)
	l.o.Room = cmp.Or(l.o.Room, defaultRoom)
	l.treeCache = newTreeCache(t, l.o)
	const description = "Ranks the files of the tree and their definitions for a question or for the text of an issue."
	return tools.New("locate", description, l.locate)
}

type locator struct {
	o         Options
	treeCache *treeCache
}

type args struct {
	Query string `json:"query" doc:"the question, or the whole issue with its title on the first line"`
	K     *int   `json:"k,omitempty" jsonschema:"minimum=1" doc:"files to return; 1 to 50, default 10"`
	Mode  string `json:"mode,omitempty" jsonschema:"enum=issue,enum=question" doc:"issue: a change request, which ranks no tests; question: anything else; default question"`
}

const (
	defaultK = 10
	maxK     = 50
)

func (a *args) check() error {
	switch {
	case strings.TrimSpace(a.Query) == "":
		return tools.Problemf("bad_arguments", "a question or the text of an issue", "query is blank")
	case a.K != nil && *a.K < 1:
		try := fmt.Sprintf("k from 1 to %d; default %d", maxK, defaultK)
		return tools.Problemf("bad_arguments", try, "k=%d is out of range", *a.K)
	case a.Mode != "" && a.Mode != string(Issue) && a.Mode != string(Question):
		return tools.Problemf("bad_arguments", "issue or question", "unknown mode %.40q", a.Mode)
	}
	return nil
}

func (l *locator) locate(ctx context.Context, in args) (*Result, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	caller := ctx
	limit := l.o.Timeout
	if d, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(d)*9/10)
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, errLate)
	defer stop()
	ix, covered, err := l.treeCache.refresh(ctx)
	if err = cmp.Or(caller.Err(), err); err != nil {
		return nil, err
	}
	mode := cmp.Or(Mode(in.Mode), Question)
	k := defaultK
	if in.K != nil {
		k = min(*in.K, maxK)
	}
	r, err := ix.rank(in.Query, mode, k, l.treeCache.tree.Read, func(s *scoring, total []float64) error {
		if l.o.Similar == nil {
			return nil
		}
		return s.punish(ctx, in.Query, total, l.treeCache.tree.Read, l.o.Similar)
	})
	if caller.Err() != nil {
		return nil, caller.Err()
	}
	out := newResult(in.Query, mode, r)
	out.JSON, out.index = l.o.JSON, ix
	out.noteCoverage(covered)
	if err != nil {
		out.Note("ranked by words alone: %v", err)
	}
	out.NotePartial(l.treeCache.tree)
	if in.K != nil && *in.K > maxK {
		out.Note("k=%d was lowered to its maximum %d", *in.K, maxK)
	}
	return out, nil
}
