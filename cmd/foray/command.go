package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/internal/line"
)

// installPath is the argument for go install.
const installPath = "github.com/forayhq/foray/cmd/foray@latest"

// group runs a command that only holds other commands: it prints help, or refuses an unknown name.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	if strings.ContainsAny(args[0], " ?") {
		return usage("foray explore "+quote(strings.Join(args, " ")), "a question needs the command explore")
	}
	return unknownCommand(cmd, args[0])
}

// unknownCommand refuses a name below cmd, and suggests a similar command or flag.
func unknownCommand(cmd *cobra.Command, name string) error {
	names := commandNames(cmd)
	hint := cmd.CommandPath() + " --help"
	if near := nearest(name, names); near != "" {
		hint = cmd.CommandPath() + " " + near
	} else if near := nearest(name, commandNames(cmd.Root())); near != "" {
		hint = "foray " + near
	}
	return usage(hint, "unknown command %.80q for %s; available: %s", name, cmd.CommandPath(), strings.Join(names, ", "))
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd.CommandPath(), "%s takes no arguments, not even %.80q", cmd.CommandPath(), args[0])
	}
	return nil
}

// must panics on an error that only a flag defined wrong can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// nearest returns the name that is most similar to what was typed, "" if it would change half of the letters or more.
func nearest(typed string, names []string) string {
	letters := []rune(typed)
	half := string(letters[:len(letters)/2]) // it differs from typed by just that many letters
	if near := line.Closest(typed, append([]string{half}, names...), 1)[0]; near != half {
		return near
	}
	return ""
}

// suggest returns the word most similar to what was typed, or the first.
func suggest(typed string, words []string) string { return cmp.Or(nearest(typed, words), words[0]) }

// quote writes an argument for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// wrap joins names with commas into lines of at most so many columns.
func wrap(names []string, columns int) string {
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

// indent indents every line by two columns.
func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// names returns constants as texts.
func names[T ~string](all []T) []string {
	return namesBy(all, func(one T) string { return string(one) })
}

// namesBy returns the name of each element.
func namesBy[T any](all []T, name func(T) string) []string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = name(one)
	}
	return texts
}

// either lists words: "a, b or c".
func either(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// notice prints a line on standard error.
func notice(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "foray: %s\n", ui.Line(fmt.Sprintf(format, args...)))
}

// named refuses a command without an id.
func named(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
			return usage("foray "+what+" ls", "%s needs an id", cmd.CommandPath())
		}
		return nil
	}
}

// oneNamed refuses a command without exactly one id.
func oneNamed(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := named(what)(cmd, args); err != nil {
			return err
		}
		if len(args) > 1 {
			return usage(cmd.CommandPath()+" "+quote(args[0]), "%s takes one id, not %d", cmd.CommandPath(), len(args))
		}
		return nil
	}
}

// needsYes ends a command that would remove something, without --yes. The command has printed what it would remove.
func needsYes(cmd *cobra.Command, args []string, what string) error {
	typed := cmd.CommandPath()
	for _, a := range args {
		typed += " " + quote(a)
	}
	return usage(typed+" --yes", "this would remove %s for good; nothing was removed", what)
}

// printAs prints v as JSON, or in the other form.
func printAs(cmd *cobra.Command, format string, v any, other func(io.Writer) error) error {
	if format == "json" {
		return line.WriteJSON(cmd.OutOrStdout(), v, jsonIndent)
	}
	var b bytes.Buffer
	err := other(&b)
	_, failed := io.WriteString(cmd.OutOrStdout(), line.Printable(b.String()))
	return cmp.Or(err, failed)
}

const jsonIndent = "  "

// jsonText writes v as indented JSON.
func jsonText(v any) string {
	var b strings.Builder
	if err := line.WriteJSON(&b, v, jsonIndent); err != nil {
		panic(err) // v is plain data
	}
	return b.String()
}

// noticesTo returns a func that prints notices to w.
func noticesTo(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintf(w, "foray: %s\n", ui.Line(text)) }
}
