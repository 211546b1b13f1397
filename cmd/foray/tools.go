package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
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
func toolSet(t *tree, o codebase.Options) (*tools.Set, error) {
	all := t.tools(o)
	if t.repo == nil {
		all = append(all, t.gitTools(o)...)
	}
	return tools.NewSet(append(all, recall.ReadWorkingMemory(memory.NewWorking()))...)
}

// anyTree is a tree for those who only want to know which tools there are.
func anyTree() *tree { return &tree{files: os.DirFS(".")} }
