package cli

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
	ExitFound   = 0 // done
	ExitNothing = 1 // nothing was found, or a gate does not hold
	ExitUsage   = 2 // the command cannot work as typed
	ExitPartial = 3 // a limit, a signal or an error ended the command early
)

// ProblemExits are the exit codes for the refusals of tools, by [tools.Problem.Code]. Another code is ExitPartial.
var ProblemExits = map[string]int{
	"broken_link": ExitNothing, "expired": ExitNothing, "no_commit": ExitNothing, "no_memory": ExitNothing,
	"no_thread": ExitNothing, "not_found": ExitNothing, "past_end": ExitNothing, "unknown_id": ExitNothing,
	"unknown_message": ExitNothing,

	"bad_arguments": ExitUsage, "bad_path": ExitUsage, "bad_pattern": ExitUsage, "bad_revision": ExitUsage,
	"binary": ExitUsage, "is_directory": ExitUsage, "link": ExitUsage, "link_loop": ExitUsage,
	"not_a_directory": ExitUsage, "not_a_file": ExitUsage, "not_a_repository": ExitUsage, "no_query": ExitUsage,
	"outside": ExitUsage, "refused": ExitUsage, "secret": ExitUsage, "too_large": ExitUsage, "unknown_category": ExitUsage,
	"unknown_revision": ExitUsage, "no_picture": ExitUsage,

	"absent": ExitPartial, "deadline": ExitPartial, "failed": ExitPartial, "no_git": ExitPartial,
	"partial_clone": ExitPartial, "too_many": ExitPartial, "unavailable": ExitPartial, "unreadable": ExitPartial,
}

// An Exit is a command's end other than plain success. A nil err prints nothing, because the output said it.
type Exit struct {
	Code int
	Err  error
	Hint string // what to type or do instead; may be empty
}

// Error returns the cause.
func (e *Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *Exit) Unwrap() error { return e.Err }

// Usage refuses a command that cannot work as typed.
func Usage(hint, format string, args ...any) error {
	return &Exit{Code: ExitUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// PrintError prints an error with its hint and returns the exit code.
func PrintError(w io.Writer, err error) int {
	if err == nil {
		return ExitFound
	}
	var e *Exit
	if !errors.As(err, &e) {
		e = &Exit{Code: ExitUsage, Err: err, Hint: "foray --help"}
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) { // of standard output
			e = &Exit{Code: ExitPartial, Err: err}
		}
	}
	if e.Err != nil {
		said := e.Err.Error()
		if errors.Is(e.Err, context.Canceled) { // the signal did that
			said = strings.ReplaceAll(said, context.Canceled.Error(), "interrupted")
		}
		fmt.Fprintf(w, "foray: error: %s\n", line.Printable(said))
		if e.Hint != "" {
			fmt.Fprintf(w, "foray: hint: %s\n", line.Printable(e.Hint))
		}
	}
	return e.Code
}

// Refused returns how a tool's refusal ends the command: with its message, and its advice as the hint.
func Refused(err error) error {
	if problem := (*tools.Problem)(nil); errors.As(err, &problem) {
		code, known := ProblemExits[problem.Code]
		if !known {
			code = ExitPartial
		}
		return &Exit{Code: code, Err: errors.New(problem.Message), Hint: problem.Try}
	}
	return &Exit{Code: ExitPartial, Err: err}
}

// CommandExits say what the codes 0, 1 and 3 mean by command; a group speaks for the commands below it that are not
// listed. Without a nothing, a command never ends with 1.
var CommandExits = []struct{ Command, Done, Nothing, Partial string }{
	{"explore", "something was found", "nothing relevant was found", "the report is partial, or made without the model"},
	{"insight", "something was found", "nothing was found", "the findings are partial"},
	{"tools call", "the tool answered", "what the call names does not exist", "the result is partial, or an error"},
	{"tools list", "done", "", "an error"},
	{"memory search", "something was found", "nothing was found", "an error"},
	{"memory", "done", "", "an error"},
	{"sessions resume", "something was found", "nothing relevant was found", "the report is partial"},
	{"sessions", "done", "", "an error"},
	{"replay", "the policies were compared", "", "the session cannot be replayed"},
	{"inspect", "ended by a signal", "", "an error"},
	{"threads search", "something was found", "nothing was found", "an error"},
	{"threads", "done", "", "an error"},
	{"chat", "ended", "", "an answer is incomplete, or a signal"},
	{"serve", "ended by a signal", "", "an error"},
	{"mcp", "the client left, or a signal ended the server", "", "an error"},
	{"config", "done", "", "an error"},
	{"doctor", "a provider works", "", "none does"},
	{"models", "done", "", "an error"},
	{"eval run", "all trials ended", "", "unreadable tasks, failures of the harness, an error, or a signal"},
	{"eval ls", "runs were found", "there are no runs", "an error"},
	{"eval show", "done", "the run has no such trial", "an error"},
	{"eval gate", "all gates hold", "a gate does not hold", "an error, or a signal"},
	{"eval", "done", "", "an error, a broken invariant, or a signal"},
	{"version", "done", "", "an error"},
}

// exitTable writes CommandExits as lines for help.
func exitTable() string {
	var b strings.Builder
	for _, c := range CommandExits {
		fmt.Fprintf(&b, "\n%s\n  0  %s\n", c.Command, c.Done)
		if c.Nothing != "" {
			fmt.Fprintf(&b, "  1  %s\n", c.Nothing)
		}
		fmt.Fprintf(&b, "  3  %s\n", c.Partial)
	}
	return b.String()
}

// NewExitCodes returns the help topic of the exit codes.
func NewExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: `Exit code 1 means that nothing was found, or that a gate of eval gate does not
hold, and nothing else. 2 means that the command cannot work as typed. 3 means
that a limit, a signal or an error ended it early, so that its output, if any,
is partial. By command:
` + exitTable() + `
An empty directory, a clone without checked-out files and a repository
without a commit are 1, too. A second signal kills the process.`,
	}
}
