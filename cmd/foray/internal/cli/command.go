package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/internal/line"
)

// InstallPath is the argument for go install.
const InstallPath = "github.com/forayhq/foray/cmd/foray@latest"

// Group runs a command that only holds other commands: it prints help, or refuses an unknown name.
func Group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	if strings.ContainsAny(args[0], " ?") {
		return Usage("foray explore "+Quote(strings.Join(args, " ")), "a question needs the command explore")
	}
	return UnknownCommand(cmd, args[0])
}

// UnknownCommand refuses a name below cmd, and suggests a similar command or flag.
func UnknownCommand(cmd *cobra.Command, name string) error {
	names := CommandNames(cmd)
	hint := cmd.CommandPath() + " --help"
	if near := Nearest(name, names); near != "" {
		hint = cmd.CommandPath() + " " + near
	} else if near := Nearest(name, CommandNames(cmd.Root())); near != "" {
		hint = "foray " + near
	}
	return Usage(hint, "unknown command %.80q for %s; available: %s", name, cmd.CommandPath(), strings.Join(names, ", "))
}

// CommandNames returns the names of the commands below cmd that help lists.
func CommandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage(cmd.CommandPath(), "%s takes no arguments, not even %.80q", cmd.CommandPath(), args[0])
	}
	return nil
}

// Must panics on an error that only a flag defined wrong can cause.
func Must(err error) {
	if err != nil {
		panic(err)
	}
}

// Nearest returns the name that is most similar to what was typed, "" if it would change half of the letters or more.
func Nearest(typed string, names []string) string {
	letters := []rune(typed)
	half := string(letters[:len(letters)/2]) // it differs from typed by just that many letters
	if near := line.Closest(typed, append([]string{half}, names...), 1)[0]; near != half {
		return near
	}
	return ""
}

// Suggest returns the word most similar to what was typed, or the first.
func Suggest(typed string, words []string) string { return cmp.Or(Nearest(typed, words), words[0]) }

// Quote writes an argument for a POSIX shell, in quotes if it needs them.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@+,", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// List writes names for help: separated by commas, in lines that are indented by two columns and have at most 80.
func List(names []string) string {
	var b strings.Builder
	b.WriteString("  ")
	used := 0
	for i, name := range names {
		switch {
		case i == 0:
		case used+len(name)+2 > 78:
			b.WriteString(",\n  ")
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

// Names returns constants as texts.
func Names[T ~string](all []T) []string {
	return NamesBy(all, func(one T) string { return string(one) })
}

// NamesBy returns the name of each element.
func NamesBy[T any](all []T, name func(T) string) []string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = name(one)
	}
	return texts
}

// Either lists words: "a, b or c".
func Either(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Notice prints a line on standard error.
func Notice(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "foray: %s\n", ui.Line(fmt.Sprintf(format, args...)))
}

// Arguments refuses a command with fewer or more arguments, and names those that it takes.
func Arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		_, takes, _ := strings.Cut(cmd.Use, " ")
		return Usage(cmd.CommandPath()+" --help", "%s takes %s, not %s", cmd.CommandPath(), takes,
			line.Count(len(args), "argument"))
	}
}

// Named refuses a command without an id.
func Named(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
			return Usage("foray "+what+" ls", "%s needs an id", cmd.CommandPath())
		}
		return nil
	}
}

// OneNamed refuses a command without exactly one id.
func OneNamed(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := Named(what)(cmd, args); err != nil {
			return err
		}
		if len(args) > 1 {
			return Usage(cmd.CommandPath()+" "+Quote(args[0]), "%s takes one id, not %d", cmd.CommandPath(), len(args))
		}
		return nil
	}
}

// NeedsYes ends a command that would remove something, without --yes. The command has printed what it would remove.
func NeedsYes(cmd *cobra.Command, args []string, what string) error {
	typed := cmd.CommandPath()
	for _, a := range args {
		typed += " " + Quote(a)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) { typed += " --" + f.Name + " " + Quote(f.Value.String()) })
	return Usage(typed+" --yes", "this would remove %s for good; nothing was removed", what)
}

// PrintAs prints v as JSON, or in the other form.
func PrintAs(cmd *cobra.Command, format string, v any, other func(io.Writer) error) error {
	if format == "json" {
		return line.WriteJSON(cmd.OutOrStdout(), v, jsonIndent)
	}
	var b bytes.Buffer
	err := other(&b)
	_, failed := io.WriteString(cmd.OutOrStdout(), line.Printable(b.String()))
	return cmp.Or(err, failed)
}

const jsonIndent = "  "

// JSONText writes v as indented JSON.
func JSONText(v any) string {
	var b strings.Builder
	if err := line.WriteJSON(&b, v, jsonIndent); err != nil {
		panic(err) // v is plain data
	}
	return b.String()
}

// NoticesTo returns a func that prints notices to w.
func NoticesTo(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintf(w, "foray: %s\n", ui.Line(text)) }
}
