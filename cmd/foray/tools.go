package main

import (
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/gitrepo"
	"github.com/forayhq/foray/tools/recall"
)

func newTools() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that a model may call, or call one",
		Example: `  foray tools list
  foray tools call search '{"pattern":"func main"}'`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	cmd.AddCommand(newToolsList(), newToolsCall())
	return cmd
}

// toolSet is every tool that explore gives to a model, over a tree. Without a repository those of its history say so.
func toolSet(fsys fs.FS, o *codebase.Options, repo *gitrepo.Repo) (*tools.Set, error) {
	all := treeTools(fsys, o, repo)
	if repo == nil {
		all = append(all, gitrepo.Tools(nil, "", &gitrepo.Options{JSON: o.JSON})...)
	}
	return tools.NewSet(append(all, recall.ReadWorkingMemory(memory.NewWorking()))...)
}
