package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools"
)

// The exit codes. The help of each command lists those it uses.
const (
	exitFound   = 0
	exitNothing = 1 // found nothing relevant
	exitUsage   = 2 // the command cannot work as typed
	exitPartial = 3 // a limit, a signal or an error ended the run early
)

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
	case errors.As(err, &problem) && strings.HasPrefix(problem.Code, "bad_"):
		return &exit{code: exitUsage, err: errors.New(problem.Message), hint: problem.Try}
	case errors.As(err, &problem):
		return &exit{code: exitNothing, err: errors.New(problem.Message), hint: problem.Try}
	case errors.Is(err, context.Canceled):
		return &exit{code: exitPartial, err: errors.New("cancelled")}
	}
	return &exit{code: exitNothing, err: err}
}
