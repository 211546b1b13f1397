package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/forayhq/foray/cmd/foray/internal/ui"
)

// What the process returns. The table is part of the help of explore.
const (
	exitFound   = 0
	exitNothing = 1 // nothing relevant was found
	exitUsage   = 2 // the command cannot work as it was typed
	exitPartial = 3 // a limit, a signal or an error came before the end
)

// An exit is the end of a command that did not simply succeed. A nil err prints nothing: the output has said it.
type exit struct {
	code int
	err  error
	hint string // what to type or do instead; "": nothing
}

// Error says the cause.
func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *exit) Unwrap() error { return e.err }

// usage is the end of a command that was typed wrong.
func usage(hint, format string, args ...any) error {
	return &exit{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// tell prints an error with its hint and returns the exit code.
func tell(w io.Writer, err error) int {
	if err == nil {
		return exitFound
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{code: exitUsage, err: err, hint: "foray --help"}
	}
	if e.err != nil {
		fmt.Fprintf(w, "foray: error: %s\n", ui.Printable(e.err.Error()))
		if e.hint != "" {
			fmt.Fprintf(w, "foray: hint: %s\n", ui.Printable(e.hint))
		}
	}
	return e.code
}
