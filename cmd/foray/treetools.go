package main

import (
	"context"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
)

// tools are the tools over a tree: those that read it, its ranking, and, where it is of a repository, its history.
func (t *tree) tools(o codebase.Options) []tools.Tool {
	o.Dir, o.Symbols = t.dir, t.symbols
	ranking := &locate.Options{Codebase: &o}
	all := codebase.Tools(t.files, &o)
	if t.repo == nil {
		return append(all, locate.Tool(t.files, ranking))
	}
	ranking.History = t.history
	all = append(all, locate.Tool(t.files, ranking))
	return append(all, t.gitTools(o)...)
}

// gitTools are the tools over the history of the tree; where there is no repository they say so.
func (t *tree) gitTools(o codebase.Options) []tools.Tool {
	return gitrepo.Tools(t.repo, t.revision, &gitrepo.Options{JSON: o.JSON, AllowSecrets: o.AllowSecrets, Dir: t.dir})
}

// mostTouched is how many files of a commit the ranking is told: it takes a commit that touches more than 20 for a sweep.
const mostTouched = 21

// history gives the commits that led to the tree to its ranking.
func (t *tree) history(ctx context.Context, most int) ([]locate.Commit, error) {
	count := tools.Counting(ctx, "commits", 0)
	defer count.End()
	var all []locate.Commit
	for c, err := range t.repo.Log(ctx, t.revision, &gitrepo.LogOptions{Max: most, Bodies: true, MaxFiles: mostTouched}) {
		if err != nil {
			return nil, err
		}
		count.Add(1)
		all = append(all, locate.Commit{Hash: c.Hash, Message: c.Subject + "\n" + c.Body, Files: c.Files})
	}
	return all, nil
}
