// Command foray explores source trees: it answers a question about the code in a directory, with rules alone or with a
// language model. Each command has a file of its own, cmd_NAME.go.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/config"
	"github.com/forayhq/foray/cmd/foray/internal/tui"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/providers/catalog"
)

func main() {
	os.Exit(runCommandLine(os.Args[1:]))
}

// oneSignal is within which time signals count as one: timeout(1) signals the process and then its group, which is the
// process again.
const oneSignal = 250 * time.Millisecond

// runCommandLine executes the command line and returns the exit code. The first signal cancels the command, the second
// kills the process.
func runCommandLine(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { time.AfterFunc(oneSignal, stop) })
	log.SetOutput(io.Discard) // some libraries warn there about variables that foray keeps from them
	root := newRoot()
	root.SetArgs(withQuestion(args))
	return cli.PrintError(os.Stderr, root.ExecuteContext(ctx))
}

// withQuestion returns the arguments with "--" before a last one that is a question and begins like a flag, such as
// "--trace vs --verbose": the name of a flag has no blank.
func withQuestion(args []string) []string {
	last := len(args) - 1
	if last < 1 || slices.Contains(args, "--") || strings.HasPrefix(args[last-1], "-") {
		return args
	}
	if name, _, _ := strings.Cut(args[last], "="); !strings.HasPrefix(name, "-") || !strings.Contains(name, " ") {
		return args
	}
	return slices.Insert(slices.Clone(args), last, "--")
}

func newRoot() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "foray",
		Short: "Explore a source tree",
		Long: `foray answers questions about the code in a directory. By default it explores
with rules: no language model, no network, no key. Choose a language model with
--model; foray doctor lists the providers that are ready.

To update foray, run:
  go install ` + cli.InstallPath,
		Example: `  foray explore "where are requests retried?"
  foray explore --repo ../service
  foray tools call search '{"pattern":"func main"}'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				return printVersion(cmd)
			}
			if columns := ui.Columns(cmd.OutOrStdout()); len(args) == 0 && columns != nil {
				return welcome(cmd.Context(), cmd.OutOrStdout(), columns())
			}
			return cli.Group(cmd, args)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return config.Apply(cmd) },
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetUsageFunc(printUsage)
	root.SetHelpCommand(newHelp())
	root.AddCommand(newExplore(), newInsight(), newTools(), newModels(), newDoctor(), newEval(), newReplay(),
		newInspect(), newSessions(), newThreads(), newMemory(), newChat(), newServe(), newMCP(), config.New(),
		newVersion(), cli.NewExitCodes())
	cli.AddCompletion(root)
	return root
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND...]",
		Short:   "Print help for a command",
		Example: "  foray help explore\n  foray help threads ls",
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return cli.CommandNames(c), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0 && c.HasAvailableSubCommands():
				return cli.UnknownCommand(c, rest[0])
			case len(rest) > 0:
				return cli.Usage("foray help "+strings.TrimPrefix(c.CommandPath(), "foray "), "%s has no subcommand %q",
					c.CommandPath(), rest[0])
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of foray and Go",
		Example: "  foray version",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

func printVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), cli.Version())
	return err
}

// helpColumns is the width of help.
const helpColumns = 80

// printUsage prints how to call a command: examples, commands, and flags by group in the order of their definition.
func printUsage(cmd *cobra.Command) error {
	var b strings.Builder
	line := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		line = cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n", line)
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Commands"}) {
		title := "\n" + g.Title + ":\n"
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.GroupID == g.ID {
				fmt.Fprintf(&b, "%s  %-11s %s\n", title, c.Name(), c.Short)
				title = ""
			}
		}
	}
	cmd.Flags().SortFlags = false
	if help := cmd.Flags().Lookup("help"); help != nil {
		help.Usage = "print this help"
	}
	for _, group := range cli.FlagGroups {
		flags := pflag.NewFlagSet(group, pflag.ContinueOnError)
		flags.SortFlags = false
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if named := f.Annotations[cli.GroupKey]; len(named) == 0 && group == cli.OtherGroup ||
				len(named) == 1 && named[0] == group {
				flags.AddFlag(f)
			}
		})
		if flags.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", group, flags.FlagUsagesWrapped(helpColumns))
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nRun %s COMMAND --help for the help of a command.\n", cmd.CommandPath())
	}
	if !cmd.HasParent() {
		b.WriteString("Run foray help exit-codes for what the exit codes mean.\n")
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// welcome says which models a person without a command can use, and how to begin, on a terminal of some columns.
func welcome(ctx context.Context, w io.Writer, columns int) error {
	var found [][]string
	for _, t := range catalog.FindLocal(ctx, nil) {
		if t.Model != "" {
			found = append(found, []string{"--model local", t.Model + " at " + t.SafeURL()})
			break
		}
	}
	for _, e := range catalog.Endpoints() {
		if t, err := e.Target("", nil); err == nil && !t.NoKey && t.HasKey() {
			name := t.Name + "/" + cmp.Or(t.SmallModel, "NAME")
			found = append(found, []string{"--model " + name, "$" + t.KeyVariable + " is set"})
		}
	}
	if chosen, from := config.Model("."); chosen != "" {
		found = append(found, []string{chosen, "chosen by " + from + ", so that no flag is needed"})
	}
	if len(found) == 0 {
		found = [][]string{{"no model server on this machine and no key: rules answer, which need neither"}}
	}
	var b strings.Builder
	const what = "foray answers questions about the code in a directory, and cites its lines."
	b.WriteString(strings.Join(tui.Wrap(what, columns), "\n") + "\n\n")
	b.WriteString("Found here:\n")
	err := narrowTable(&b, columns, found)
	b.WriteString("\nBegin with:\n")
	err = errors.Join(err, narrowTable(&b, columns, [][]string{
		{"foray chat", "talk about the code here"},
		{"foray explore 'where are requests retried?'", "ask one question"},
		{"foray doctor", "check which models answer"},
		{"foray completion install", "complete commands in your shell"},
		{"foray --help", "list all commands"},
	}))
	_, failed := io.WriteString(w, b.String())
	return errors.Join(err, failed)
}

// narrowTable writes rows of one or two cells as a table, or the cells below each other if that is wider than the
// terminal.
func narrowTable(w io.Writer, columns int, rows [][]string) error {
	var table strings.Builder
	err := ui.Table(&table, "  ", rows)
	widest := 0
	for l := range strings.Lines(table.String()) {
		widest = max(widest, utf8.RuneCountInString(l)-1)
	}
	if widest <= columns {
		_, failed := io.WriteString(w, table.String())
		return errors.Join(err, failed)
	}
	for _, row := range rows {
		for i, cell := range row {
			indent := strings.Repeat("  ", i+1)
			lines := tui.Wrap(ui.Line(cell), columns-len(indent))
			_, failed := fmt.Fprintln(w, indent+strings.Join(lines, "\n"+indent))
			err = errors.Join(err, failed)
		}
	}
	return err
}
