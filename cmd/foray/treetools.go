package main

import (
	"context"
	"io/fs"

	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/locate"
)

// treeTools are the tools over a tree: those that read it, its ranking, and, where it is of a repository, its history.
func treeTools(fsys fs.FS, o *codebase.Options, repo *gitrepo.Repo) []tools.Tool {
	ranking := &locate.Options{Codebase: o}
	all := codebase.Tools(fsys, o)
	if repo == nil {
		return append(all, locate.Tool(fsys, ranking))
	}
	ranking.History = historyOf(repo)
	all = append(all, locate.Tool(fsys, ranking))
	return append(all, gitrepo.Tools(repo, "", &gitrepo.Options{JSON: o.JSON, AllowSecrets: o.AllowSecrets, Dir: o.Dir})...)
}

// repositoryOf is the repository that a directory is in, nil where it is in none that git can read: the tools that read the
// directory work without one.
func repositoryOf(ctx context.Context, dir string) *gitrepo.Repo {
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		return nil
	}
	return repo
}

// mostTouched is how many files of a commit the ranking is told: it takes a commit that touches more than 20 for a sweep.
const mostTouched = 21

// historyOf gives the commits of a repository to the ranking of its tree.
func historyOf(repo *gitrepo.Repo) func(context.Context, int) ([]locate.Commit, error) {
	return func(ctx context.Context, most int) ([]locate.Commit, error) {
		var all []locate.Commit
		for c, err := range repo.Log(ctx, "", &gitrepo.LogOptions{Max: most, Bodies: true, MaxFiles: mostTouched}) {
			if err != nil {
				return nil, err
			}
			all = append(all, locate.Commit{Message: c.Subject + "\n" + c.Body, Files: c.Files})
		}
		return all, nil
	}
}
