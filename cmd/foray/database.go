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

// databaseFlag is where the threads and the memories are.
type databaseFlag struct{ path string }

func (f *databaseFlag) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "db", "", "keep threads and memories in the database `FILE`; default: "+defaultDatabase())
	if err := cmd.MarkFlagFilename("db"); err != nil {
		panic(err) // a flag that is not defined above
	}
}

// defaultDatabase is how help names the default, without what differs from machine to machine.
func defaultDatabase() string { return "foray/foray.db in the user's folder for data" }

// open opens the database and makes one where there is none.
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

// openExisting opens the database for a command that needs what is in it. No database is no error where none was named:
// nothing was kept yet.
func (f *databaseFlag) openExisting(cmd *cobra.Command) (*store.Store, error) {
	path := f.path
	if path == "" {
		return f.open(cmd)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, usage("foray chat --db "+quote(path)+" makes one", "there is no database %q", path)
	}
	return f.open(cmd)
}

// within opens the database that there is, lets fn work on it, and closes it.
func (f *databaseFlag) within(cmd *cobra.Command, fn func(*store.Store) error) error {
	s, err := f.openExisting(cmd)
	if err != nil {
		return err
	}
	return storeError(errors.Join(fn(s), s.Close()))
}

// storeHints say what to try about an error of the database, and how the command ends with it.
var storeHints = []struct {
	err  error
	code int
	hint string
}{
	{store.ErrForeign, exitUsage, "--db with a FILE that foray made"},
	{store.ErrNewer, exitUsage, "update foray, or --db with another FILE"},
	{store.ErrReadOnly, exitUsage, "--db FILE in a directory that can be written"},
	{store.ErrDamaged, exitPartial, "foray threads export what can still be read, and go on with another --db FILE"},
	{store.ErrLocked, exitPartial, "wait until the other process is done, and try again"},
	{store.ErrFull, exitPartial, "make room on the disk; nothing of this was kept"},
	{store.ErrInvalid, exitUsage, "nothing was kept: mend that, or take another export"},
	{store.ErrTooLarge, exitUsage, "nothing was kept: shorten that"},
	{chat.ErrThreadExists, exitUsage, "--id with another name"},
	{chat.ErrNoThread, exitUsage, "foray threads ls"},
	{longterm.ErrNotFound, exitUsage, "foray memory ls"},
	{chat.ErrConflict, exitPartial, "somebody else writes to the thread: try again"},
}

// storeError is the end of a command by an error of the database.
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

// named refuses a command that needs names and got none.
func named(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
			return usage("foray "+what+" ls", "%s needs an id", cmd.CommandPath())
		}
		return nil
	}
}

// oneNamed refuses a command that needs exactly one name.
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

// unsure is the end of a command that removes something and was not told --yes. What would go is printed already.
func unsure(cmd *cobra.Command, args []string, what string) error {
	typed := cmd.CommandPath()
	for _, a := range args {
		typed += " " + quote(a)
	}
	return usage(typed+" --yes", "nothing was removed: %s would go for good", what)
}

// wrote says on standard error what a command has done.
func wrote(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "foray: %s\n", ui.Line(fmt.Sprintf(format, args...)))
}

// export writes what write gives to a file, whole or not at all, or to standard output.
func (f *databaseFlag) export(cmd *cobra.Command, path string, write func(*store.Store, io.Writer) error) error {
	out := sink{path: path, std: cmd.OutOrStdout()}
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

// importFrom lets read take the file that is named, or standard input.
func (f *databaseFlag) importFrom(cmd *cobra.Command, args []string, read func(*store.Store, io.Reader) error) error {
	if len(args) > 1 {
		return usage(cmd.CommandPath()+" "+quote(args[0]), "%s takes one file, not %d", cmd.CommandPath(), len(args))
	}
	in := cmd.InOrStdin()
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if errors.Is(err, fs.ErrNotExist) {
			return usage(cmd.CommandPath()+" FILE", "there is no file %q", args[0])
		}
		if err != nil {
			return usage(cmd.CommandPath()+" FILE", "the file cannot be read: %v", err)
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
