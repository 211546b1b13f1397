package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forayhq/foray/toollimit/line"
)

// The groups of flags in a help, and the annotation that says which one a flag is in.
const (
	modelGroup  = "Model"
	runGroup    = "Run"
	outputGroup = "Output"
	groupKey    = "foray_group"
)

var groups = []string{modelGroup, runGroup, outputGroup, ""}

// inGroup puts flags that are defined into a group of the help.
func inGroup(cmd *cobra.Command, group string, names ...string) {
	for _, name := range names {
		if err := cmd.Flags().SetAnnotation(name, groupKey, []string{group}); err != nil {
			panic(err) // a flag that is not defined
		}
	}
}

// groupedUsage prints a command's usage with its flags by group, in the order of their definition.
func groupedUsage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	_, err := fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
	for _, group := range groups {
		flags := pflag.NewFlagSet(group, pflag.ContinueOnError)
		flags.SortFlags = false
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if named := f.Annotations[groupKey]; len(named) == 0 && group == "" || len(named) == 1 && named[0] == group {
				flags.AddFlag(f)
			}
		})
		if flags.HasFlags() && err == nil {
			_, err = fmt.Fprintf(w, "\n%s:\n%s", group+map[bool]string{true: "Flags"}[group == ""], flags.FlagUsages())
		}
	}
	return err
}

// wrapped joins names with commas into lines of so many columns.
func wrapped(names []string, columns int) string {
	var b strings.Builder
	used := 0
	for i, name := range names {
		switch {
		case i == 0:
		case used+len(name)+2 > columns:
			b.WriteString(",\n")
			used = 0
		default:
			b.WriteString(", ")
			used += 2
		}
		b.WriteString(name)
		used += len(name)
	}
	return b.String()
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
	if near := line.Closest(name, names, 1); len(near) > 0 {
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

// noArgs refuses arguments in the words of this command.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd.CommandPath(), "%s takes no arguments, not even %q", cmd.CommandPath(), args[0])
	}
	return nil
}

var textOrJSON = []string{"text", "json"}

var markdownOrJSON = []string{"md", "json"}
