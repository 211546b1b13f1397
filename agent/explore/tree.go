package explore

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
	"github.com/forayhq/foray/tools/symbols"
	"github.com/forayhq/foray/tools/tree"
)

// A Tree is what an exploration looks at: a directory as it is now, or the files of a repository at a revision. Only
// Files is required.
type Tree struct {
	Files    fs.FS
	Dir      string         // absolute path of the directory, for messages and for git
	Revision string         // commit of the files; empty outside of a repository
	Repo     *gitrepo.Repo  // history of the files; nil: no git tools
	Symbols  *symbols.Cache // keeps the definitions found in files; nil: in memory, per run

	// AllowSecret are the files whose credentials the tools show. "**" is all of them.
	AllowSecret tree.Allowed
	// Similar compares a question with the best files, as an embedding model does; nil: words decide.
	Similar locate.Similarity

	release func() error
}

// Open opens a directory. Without a revision the tree has the files of the directory as they are now. With one, or in a
// bare repository, it has the files of that revision; "" means HEAD there. Close the tree when done.
func Open(ctx context.Context, dir, revision string) (*Tree, error) {
	root, err := tree.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	t := &Tree{Files: root.FS(), Dir: root.Dir(), release: root.Close}
	t.Repo, err = gitrepo.Open(ctx, dir)
	if err != nil {
		t.Repo = nil
	}
	if revision == "" && (t.Repo == nil || !t.Repo.Bare) && ctx.Err() == nil {
		t.Revision = headOf(dir)
		return t, nil
	}
	if closeErr := root.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	files, err := t.Repo.Tree(ctx, revision)
	if err != nil {
		return nil, err
	}
	t.Files, t.Revision, t.release = files, files.Commit(), files.Close
	return t, nil
}

// Partial says why Files is not the whole tree, as in a partial clone; nil if it is.
func (t *Tree) Partial() *tools.Problem { return t.source().Partial() }

// Close releases the files and stores the definitions found in them. It ignores an error of the store, which is only a
// cache.
func (t *Tree) Close() error {
	if t.Symbols != nil {
		_ = t.Symbols.Close()
	}
	if t.release == nil {
		return nil
	}
	return t.release()
}

// SmallTools returns the tools over the tree for a model with a small window: they read it, and answer takes the
// answer.
func (t *Tree) SmallTools() []tools.Tool {
	return codebase.Tools(t.source(), &codebase.Options{Small: true})
}

// Tools returns the tools over the tree: those that read it, its ranking and, inside a repository, its history. Their
// results render as text for a language model, or as JSON for the heuristic explorer.
func (t *Tree) Tools(json bool) []tools.Tool { return t.tools(t.source(), json) }

func (t *Tree) tools(source *tree.Tree, json bool) []tools.Tool {
	ranking := &locate.Options{JSON: json, Similar: t.Similar}
	if t.Repo != nil {
		ranking.History = t.history
		if t.Revision != "" && !t.Repo.Shallow { // a shallow clone may get more history later
			ranking.HistoryOf = t.Revision + " " + t.Dir // a directory in a repository has a history of its own
		}
	}
	all := append(codebase.Tools(source, &codebase.Options{JSON: json}), locate.Tool(source, ranking))
	if t.Repo == nil {
		return all
	}
	git := &gitrepo.Options{JSON: json, AllowSecret: t.AllowSecret, Dir: t.Dir}
	return append(all, gitrepo.Tools(t.Repo, t.Revision, git)...)
}

func (t *Tree) source() *tree.Tree {
	return tree.Open(t.Files, &tree.Options{Dir: t.Dir, Symbols: t.Symbols, AllowSecret: t.AllowSecret})
}

// history lists the commits that led to the tree, for its ranking.
func (t *Tree) history(ctx context.Context, commits, files int) ([]locate.Commit, error) {
	count := tools.CountProgress(ctx, "commits", 0)
	defer count.End()
	var all []locate.Commit
	for c, err := range t.Repo.Log(ctx, t.Revision, &gitrepo.LogOptions{Max: commits, Bodies: true, MaxFiles: files}) {
		if err != nil {
			return nil, err
		}
		count.Add(1)
		all = append(all, locate.NewCommit(c.Hash, c.Subject+"\n"+c.Body, c.Files))
	}
	return all, nil
}
