package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
