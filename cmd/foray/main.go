// Command foray explores source trees: it answers a question about the code in a directory, with rules alone or with a
// language model.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is the whole command; it returns the exit code. The first signal cancels what is under way, the second ends the
// process at once.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	log.SetOutput(io.Discard) // libraries print warnings there about variables that foray does not let them read
	root := newRoot()
	root.SetArgs(args)
	return tell(os.Stderr, root.ExecuteContext(ctx))
}

// installPath is what go install takes.
const installPath = "github.com/forayhq/foray/cmd/foray@latest"

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "foray",
		Short: "Explore a source tree",
		Long: `foray answers questions about the code in a directory. It works without a network and a key, with rules; give it a
language model with --model. foray doctor says which are there.`,
		Example: `  foray explore "where are requests retried?"
  foray explore --repo ../service
  foray tools call search '{"pattern":"func main"}'`,
		Args:                  cobra.ArbitraryArgs,
		RunE:                  group,
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newExplore(), newInsight(), newTools(), newModels(), newDoctor(), newEval(), newThreads(), newMemory(), newChat(), newServe(), newVersion())
	return root
}

// group is what a command does that only holds others: it prints its help, and says what is near to an unknown name.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	if strings.ContainsAny(args[0], " ?") {
		return usage("foray explore "+quote(strings.Join(args, " ")), "a question needs the command explore")
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usage(cmd.CommandPath()+" "+nearest(args[0], names), "there is no command %q; there are %s", args[0], strings.Join(names, ", "))
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of foray, its revision and Go's version",
		Example: "  foray version",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{}
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine(info))
			return err
		},
	}
}

// versionLine says what this program was built from: "foray v1.2.3 (revision 0123abc, modified) go1.26 linux/amd64".
func versionLine(info *debug.BuildInfo) string {
	version, revision, modified := info.Main.Version, "", ""
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if revision == "" {
		revision = "not recorded"
	}
	return fmt.Sprintf("foray %s (revision %s%s) %s %s/%s", version, revision, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
