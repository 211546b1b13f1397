package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
)

// databaseFlag is --db.
type databaseFlag struct{ path string }

func (f *databaseFlag) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "db", "",
		"store threads and memories in `FILE` (default: foray/foray.db in the user's data directory)")
	must(cmd.MarkFlagFilename("db"))
}

// open opens the database, and creates it if necessary.
func (f *databaseFlag) open(cmd *cobra.Command) (*store.Store, error) {
	path := f.path
	if path == "" {
		if cmd.Flags().Changed("db") {
			return nil, usage("--db foray.db", "--db needs a file")
		}
		var err error
		if path, err = store.Path(); err != nil {
			return nil, usage("--db FILE", "%v", err)
		}
	}
	s, err := store.Open(cmd.Context(), path, nil)
	if err != nil {
		return nil, storeError(err)
	}
	return s, nil
}

// openExisting opens the database for a command that reads it. A missing database is an error only if --db names it.
func (f *databaseFlag) openExisting(cmd *cobra.Command) (*store.Store, error) {
	path := f.path
	if path == "" {
		return f.open(cmd)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, usage("foray chat --db "+quote(path)+" creates it", "no database %q", path)
	}
	return f.open(cmd)
}

// within opens the existing database, calls fn, and closes the database.
func (f *databaseFlag) within(cmd *cobra.Command, fn func(*store.Store) error) error {
	s, err := f.openExisting(cmd)
	if err != nil {
		return err
	}
	return storeError(errors.Join(fn(s), s.Close()))
}

// storeHints are the exit code and the hint for each error of the database.
var storeHints = []struct {
	err  error
	code int
	hint string
}{
	{store.ErrForeign, exitUsage, "--db with a FILE that foray created"},
	{store.ErrNewer, exitUsage, "update foray, or --db with another FILE"},
	{store.ErrReadOnly, exitUsage, "--db FILE in a writable directory"},
	{store.ErrDamaged, exitPartial, "save what is readable with foray threads export, then use another --db FILE"},
	{store.ErrLocked, exitPartial, "try again when the other process is done"},
	{store.ErrFull, exitPartial, "free some disk space; nothing was saved"},
	{store.ErrInvalid, exitUsage, "nothing was saved: repair the file, or use another export"},
	{store.ErrTooLarge, exitUsage, "nothing was saved: shorten the text"},
	{chat.ErrThreadExists, exitUsage, "--id with another name"},
	{chat.ErrNoThread, exitUsage, "foray threads ls"},
	{longterm.ErrNotFound, exitUsage, "foray memory ls"},
	{chat.ErrConflict, exitPartial, "another process writes to the thread: try again"},
}

// storeError returns how an error of the database ends a command.
func storeError(err error) error {
	if ended := (*exit)(nil); err == nil || errors.As(err, &ended) {
		return err
	}
	for _, h := range storeHints {
		if errors.Is(err, h.err) {
			return &exit{code: h.code, err: err, hint: h.hint}
		}
	}
	return &exit{code: exitPartial, err: err}
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

// notice prints a line on standard error.
func notice(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "foray: %s\n", ui.Line(fmt.Sprintf(format, args...)))
}

// export writes the output of write to a file, atomically, or to standard output.
func (f *databaseFlag) export(cmd *cobra.Command, path string, write func(*store.Store, io.Writer) error) error {
	out := output{path: path, std: cmd.OutOrStdout()}
	if err := out.check(); err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		var b bytes.Buffer
		if err := write(s, &b); err != nil {
			return err
		}
		return out.write(b.String())
	})
}

// importFrom calls read with the file that is named, or with standard input.
func (f *databaseFlag) importFrom(cmd *cobra.Command, args []string, read func(*store.Store, io.Reader) error) error {
	if len(args) > 1 {
		return usage(cmd.CommandPath()+" "+quote(args[0]), "%s takes one file, not %d", cmd.CommandPath(), len(args))
	}
	in := cmd.InOrStdin()
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if errors.Is(err, fs.ErrNotExist) {
			return usage(cmd.CommandPath()+" FILE", "no file %q", args[0])
		}
		if err != nil {
			return usage(cmd.CommandPath()+" FILE", "opening the file: %v", err)
		}
		defer file.Close()
		in = file
	}
	s, err := f.open(cmd)
	if err != nil {
		return err
	}
	return storeError(errors.Join(read(s, in), s.Close()))
}
