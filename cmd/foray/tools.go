package main

import (
	"io/fs"

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

// toolSet is every tool that explore gives to a model, over a tree.
func toolSet(fsys fs.FS, o *codebase.Options) (*tools.Set, error) {
	return tools.NewSet(append(codebase.Tools(fsys, o), recall.ReadWorkingMemory(memory.NewWorking()))...)
}
