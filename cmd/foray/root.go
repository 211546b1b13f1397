package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forayhq/foray/tools"
)

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

// flagError names the flag that is near to one that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help"
	unknown := (*pflag.NotExistError)(nil)
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		hint = "--" + nearest(unknown.GetSpecifiedName(), names) + "; all flags: " + hint
	}
	return &exit{code: exitUsage, err: err, hint: hint}
}

func nearest(name string, names []string) string {
	if near := tools.Closest(name, names, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// quote writes an argument as a POSIX shell takes it.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// oneOf checks the value of a flag that is one of a few words.
func oneOf(flag, value string, words []string) error {
	for _, w := range words {
		if value == w {
			return nil
		}
	}
	return usage("--"+flag+" "+nearest(value, words), "--%s %q is not one of %s", flag, value, strings.Join(words, ", "))
}

// words completes a flag that is one of a few words.
func words(all []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// complete sets how the value of a flag is completed.
func complete(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic(err) // a flag that is not defined
	}
}
