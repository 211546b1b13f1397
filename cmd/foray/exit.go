package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

// The exit codes of all commands. The help of each command says what they mean there.
const (
	exitFound   = 0 // done
	exitNothing = 1 // nothing was found, and nothing else
	exitUsage   = 2 // the command cannot work as typed
	exitPartial = 3 // a limit, a signal or an error ended the command early
)

// problemExits are the exit codes for the refusals of tools, by [tools.Problem.Code]. Another code is exitPartial.
var problemExits = map[string]int{
	"broken_link": exitNothing, "expired": exitNothing, "no_commit": exitNothing, "no_memory": exitNothing,
	"no_thread": exitNothing, "not_found": exitNothing, "past_end": exitNothing, "unknown_id": exitNothing,
	"unknown_message": exitNothing,

	"bad_arguments": exitUsage, "bad_path": exitUsage, "bad_pattern": exitUsage, "bad_revision": exitUsage,
	"binary": exitUsage, "is_directory": exitUsage, "link": exitUsage, "link_loop": exitUsage,
	"not_a_directory": exitUsage, "not_a_file": exitUsage, "not_a_repository": exitUsage, "no_query": exitUsage, "outside": exitUsage,
	"refused": exitUsage, "secret": exitUsage, "too_large": exitUsage, "unknown_category": exitUsage,
	"unknown_revision": exitUsage,

	"absent": exitPartial, "deadline": exitPartial, "no_git": exitPartial, "partial_clone": exitPartial,
	"too_many": exitPartial, "unreadable": exitPartial,
}

// An exit is a command's end other than plain success. A nil err prints nothing, because the output said it.
type exit struct {
	code int
	err  error
	hint string // what to type or do instead; may be empty
}

// Error returns the cause.
func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *exit) Unwrap() error { return e.err }

// usage refuses a command that cannot work as typed.
func usage(hint, format string, args ...any) error {
	return &exit{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// printError prints an error with its hint and returns the exit code.
func printError(w io.Writer, err error) int {
	if err == nil {
		return exitFound
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{code: exitUsage, err: err, hint: "foray --help"}
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) { // of standard output
			e = &exit{code: exitPartial, err: err}
		}
	}
	if e.err != nil {
		fmt.Fprintf(w, "foray: error: %s\n", line.Printable(e.err.Error()))
		if e.hint != "" {
			fmt.Fprintf(w, "foray: hint: %s\n", line.Printable(e.hint))
		}
	}
	return e.code
}

// refused returns how a tool's refusal ends the command: with its message, and its advice as the hint.
func refused(err error) error {
	problem := (*tools.Problem)(nil)
	switch {
	case errors.As(err, &problem):
		code, known := problemExits[problem.Code]
		if !known {
			code = exitPartial
		}
		return &exit{code: code, err: errors.New(problem.Message), hint: problem.Try}
	case errors.Is(err, context.Canceled):
		return &exit{code: exitPartial, err: errors.New("cancelled")}
	}
	return &exit{code: exitPartial, err: err}
}

// commandExits say what the codes 0, 1 and 3 mean by command; a group speaks for the commands below it that are not
// listed. Without a nothing, a command never ends with 1.
var commandExits = []struct{ command, done, nothing, partial string }{
	{"explore", "something was found", "nothing relevant was found", "the report is partial, or made without the model"},
	{"insight", "something was found", "nothing was found", "the findings are partial"},
	{"tools call", "the tool answered", "what the call names does not exist", "the result is partial, or an error"},
	{"tools list", "done", "", "an error"},
	{"memory search", "something was found", "nothing was found", "an error"},
	{"memory", "done", "", "an error"},
	{"threads search", "something was found", "nothing was found", "an error"},
	{"threads", "done", "", "an error"},
	{"chat", "ended", "", "an answer is incomplete, or a signal"},
	{"serve", "ended by a signal", "", "an error"},
	{"doctor", "a provider works", "", "none does"},
	{"models", "done", "", "an error"},
	{"eval", "done", "", "an error, a broken invariant, or a signal"},
	{"version", "done", "", "an error"},
}

// exitTable writes commandExits as lines for help.
func exitTable() string {
	var b strings.Builder
	for _, c := range commandExits {
		fmt.Fprintf(&b, "\n%s\n  0  %s\n", c.command, c.done)
		if c.nothing != "" {
			fmt.Fprintf(&b, "  1  %s\n", c.nothing)
		}
		fmt.Fprintf(&b, "  3  %s\n", c.partial)
	}
	return b.String()
}

// newExitCodes returns the help topic of the exit codes.
func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: `Exit code 1 means that nothing was found, and nothing else. 2 means that the
command cannot work as typed. 3 means that a limit, a signal or an error ended
it early, so that its output, if any, is partial. By command:
` + exitTable() + `
An empty directory, a clone without checked-out files and a repository
without a commit are 1, too. A second signal kills the process.`,
	}
}
