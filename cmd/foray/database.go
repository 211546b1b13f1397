package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/chat"
	durable "github.com/forayhq/foray/agent/session"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers/catalog"
)

// databaseFlag is --db.
type databaseFlag struct{ path string }

func (f *databaseFlag) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "db", "",
		"store threads, memories and sessions in `FILE` (default: foray/foray.db in the user's data directory)")
	cli.Must(cmd.MarkFlagFilename("db"))
}

// command returns a command with the --db that was given, so that it finds the same records.
func (f *databaseFlag) command(words string) string {
	if f.path == "" {
		return words
	}
	return words + " --db " + cli.Quote(f.path)
}

// open opens the database, and creates it if necessary.
func (f *databaseFlag) open(cmd *cobra.Command) (*store.Store, error) {
	path := f.path
	if path == "" {
		if cmd.Flags().Changed("db") {
			return nil, cli.Usage("--db foray.db", "--db needs a file")
		}
		var err error
		if path, err = store.Path(); err != nil {
			return nil, cli.Usage("--db FILE", "%v", err)
		}
	}
	s, err := store.Open(cmd.Context(), path, &store.Options{Command: cmd.CommandPath()})
	if errors.Is(err, store.ErrDamaged) { // no command can read it
		return nil, &cli.Exit{Code: cli.ExitPartial, Err: err, Hint: "restore a backup of it, or --db with another FILE"}
	}
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
		return nil, cli.Usage("foray chat --db "+cli.Quote(path)+" creates it", "no database %q", path)
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
	{store.ErrForeign, cli.ExitUsage, "--db with a FILE that foray created"},
	{store.ErrNewer, cli.ExitUsage, "update foray, or --db with another FILE"},
	{store.ErrReadOnly, cli.ExitUsage, "--db FILE in a writable directory"},
	{store.ErrDamaged, cli.ExitPartial, "save what is readable with foray threads export, then use another --db FILE"},
	{store.ErrLocked, cli.ExitPartial, "try again when the other process is done"},
	{store.ErrFull, cli.ExitPartial, "free some disk space: the last change was not saved"},
	{store.ErrInvalid, cli.ExitUsage, "nothing was saved: repair the file, or use another export"},
	{store.ErrTooLarge, cli.ExitUsage, "nothing was saved: shorten the text"},
	{chat.ErrThreadExists, cli.ExitUsage, "--id with another name"},
	{chat.ErrNoThread, cli.ExitUsage, "foray threads ls"},
	{longterm.ErrNotFound, cli.ExitUsage, "foray memory ls"},
	{durable.ErrUnknown, cli.ExitUsage, "foray sessions ls"},
	{durable.ErrInUse, cli.ExitPartial, "try again when the other process is done"},
	{durable.ErrConflict, cli.ExitPartial, "look at it with foray sessions show, and try again"},
	{durable.ErrDamaged, cli.ExitPartial, "take what is whole into a new session: foray sessions fork, or export"},
	{chat.ErrConflict, cli.ExitPartial, "read what it wrote with foray threads show, and try again"},
}

// inUseHint suggests what to do about a thread that another process writes to.
func inUseHint(e *chat.InUseError) string {
	host, err := os.Hostname()
	if e.PID == 0 || err != nil || e.Host != host {
		return "try again when the other process is done"
	}
	return fmt.Sprintf("try again when process %d is done, or end it: kill %d", e.PID, e.PID)
}

// storeError returns how an error of the database ends a command.
func storeError(err error) error {
	if ended := (*cli.Exit)(nil); err == nil || errors.As(err, &ended) {
		return err
	}
	if used := (*chat.InUseError)(nil); errors.As(err, &used) {
		return &cli.Exit{Code: cli.ExitPartial, Err: err, Hint: inUseHint(used)}
	}
	for _, h := range storeHints {
		if errors.Is(err, h.err) {
			return &cli.Exit{Code: h.code, Err: err, Hint: h.hint}
		}
	}
	return &cli.Exit{Code: cli.ExitPartial, Err: err}
}

// openMemories opens the memories of a database, which an embedder compares by meaning too; nil: words alone do.
func openMemories(ctx context.Context, s *store.Store, e *catalog.Embedder) (*longterm.Memories, error) {
	o := embedding(e)
	if o == nil {
		o = &longterm.Options{}
	}
	o.Store = s.Memories()
	return longterm.Open(ctx, o)
}

// embedding returns the options of memories that an embedder compares; nil for nil.
func embedding(e *catalog.Embedder) *longterm.Options {
	if e == nil {
		return nil
	}
	return &longterm.Options{Embed: e.Passages, EmbedQuery: e.Queries, Embedder: e.Name}
}

// comparesMemories is how an embedding model helps where memories are searched.
const comparesMemories = "compare memories too; it gets them and the questions"

// idOf returns the one of ids that is meant by an id or by its beginning. The error is missing, or that of a beginning
// that several have.
func idOf(start string, ids []string, missing error) (string, error) {
	var begun []string
	for _, id := range ids {
		if id == start {
			return id, nil
		}
		if strings.HasPrefix(id, start) {
			begun = append(begun, id)
		}
	}
	switch len(begun) {
	case 0:
		return "", fmt.Errorf("%w: %q", missing, start)
	case 1:
		return begun[0], nil
	}
	shown := begun[:min(len(begun), maxBegun)]
	return "", cli.Usage("more of the id: "+shown[0], "id %q is %w: %d begin with it: %s", start, errAmbiguous, len(begun),
		strings.Join(shown, ", "))
}

// errAmbiguous says that several ids begin alike.
var errAmbiguous = errors.New("ambiguous")

// wholeIDs refuses beginnings of ids where records go for good: a second run would remove another record.
func wholeIDs(typed, ids []string) error {
	for i, id := range typed {
		if id != ids[i] {
			return cli.Usage("the whole id: "+ids[i], "--yes needs whole ids, not %q", id)
		}
	}
	return nil
}

// maxBegun is how many ids an error lists.
const maxBegun = 4

// threadsByID resolves ids of threads, or their beginnings, in place. Threads are listed only for beginnings, so that a
// damaged one keeps none of the others from being read.
func threadsByID(ctx context.Context, s *store.Store, ids ...string) error {
	if !slices.ContainsFunc(ids, func(id string) bool {
		_, err := s.Thread(ctx, id)
		return errors.Is(err, chat.ErrNoThread)
	}) {
		return nil
	}
	var all []string
	for page := range maxThreads / pageSize {
		threads, err := s.Threads(ctx, "", page*pageSize, pageSize)
		if err != nil {
			return err
		}
		for _, t := range threads {
			all = append(all, t.ID)
		}
		if len(threads) < pageSize {
			break
		}
	}
	for i, id := range ids {
		full, err := idOf(id, all, chat.ErrNoThread)
		if err != nil {
			return err
		}
		ids[i] = full
	}
	return nil
}

// maxThreads is how many threads, the last used first, are known by the beginning of their id.
const maxThreads = 100_000

// export writes the output of write to a file, atomically, or to standard output.
func (f *databaseFlag) export(cmd *cobra.Command, path string, write func(*store.Store, io.Writer) error) error {
	out := cli.Output{Path: path, Std: cmd.OutOrStdout()}
	if err := out.Check(); err != nil {
		return err
	}
	return f.within(cmd, func(s *store.Store) error {
		var b bytes.Buffer
		if err := write(s, &b); err != nil {
			return err
		}
		return out.Write(b.String())
	})
}

// importFrom calls read with the file that is named, or with standard input.
func (f *databaseFlag) importFrom(cmd *cobra.Command, args []string, read func(*store.Store, io.Reader) error) error {
	if len(args) > 1 {
		return cli.Usage(cmd.CommandPath()+" "+cli.Quote(args[0]), "%s takes one file, not %d", cmd.CommandPath(), len(args))
	}
	in := cmd.InOrStdin()
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if errors.Is(err, fs.ErrNotExist) {
			return cli.Usage(cmd.CommandPath()+" FILE", "no file %q", args[0])
		}
		if err != nil {
			return cli.Usage(cmd.CommandPath()+" FILE", "opening the file: %v", err)
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

// recordFlags are the flags of the commands that work on threads, memories and sessions. Each command defines those it
// needs.
type recordFlags struct {
	databaseFlag
	sessionsFlags
	user, format, category, out, id string
	embed                           string
	limit, last, importance         int
	similarity                      float64
	superseded, yes                 bool
}

// A verb is a command that works on the records of a family.
type verb struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	flags                     func(*cobra.Command, *recordFlags) // besides --db; nil: none
	run                       func(*cobra.Command, *recordFlags, []string) error
}

// family makes a command with its verbs.
func family(name, short, example string, verbs []verb) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Example: example, Args: cobra.ArbitraryArgs, RunE: cli.Group}
	for _, v := range verbs {
		f := &recordFlags{}
		sub := &cobra.Command{Use: v.use, Short: v.short, Long: v.long, Example: v.example, Args: v.args,
			RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd, f, args) }}
		f.databaseFlag.define(sub)
		if v.flags != nil {
			v.flags(sub, f)
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// listFlags defines the flags of a list.
func listFlags(limit int) func(*cobra.Command, *recordFlags) {
	return func(cmd *cobra.Command, f *recordFlags) {
		cmd.Flags().StringVar(&f.user, "user", "", "list those of `NAME` only (default: all users)")
		cli.NumberFlag(cmd, &f.limit, "limit", limit, 1, "list at most `N`")
		cli.FormatFlag(cmd, &f.format, cli.MarkdownOrJSON)
	}
}

// removeFlags defines --yes.
func removeFlags(cmd *cobra.Command, f *recordFlags) {
	cmd.Flags().BoolVar(&f.yes, "yes", false, "remove them")
}

// remove lists records, or removes them with --yes. It reads all of them first, so that a wrong id removes nothing.
func (f *recordFlags) remove(cmd *cobra.Command, ids []string, what string,
	describe func(*store.Store) ([]string, error), remove func(*store.Store) error) error {
	return f.within(cmd, func(s *store.Store) error {
		lines, err := describe(s)
		if err != nil {
			return err
		}
		switch {
		case len(lines) == 0:
			cli.Notice(cmd, "nothing to remove")
			return nil
		case f.yes:
			return remove(s)
		}
		for _, l := range lines {
			fmt.Fprintln(cmd.OutOrStdout(), l)
		}
		return cli.NeedsYes(cmd, ids, what)
	})
}

// maxListed is the default limit of a list of threads.
const maxListed = 50

func writeThreads(w io.Writer, threads []chat.Thread) error {
	t := evals.Table{Columns: []string{"id", "messages", "last used", "user", "title"}}
	for _, th := range threads {
		t.Rows = append(t.Rows,
			[]string{line.Printable(th.ID), line.Number(th.Messages), ui.Time(th.Updated), line.Printable(th.User),
				line.Printable(th.Title)})
	}
	return evals.WriteMarkdown(w, t)
}

// The default limit of a list, and the limit of a search.
const (
	maxListedMemories = 100
	maxFoundMemories  = 10
)

// filter yields the memories that the flags select.
func (f *recordFlags) filter(all iter.Seq2[longterm.Memory, error]) iter.Seq2[longterm.Memory, error] {
	return func(yield func(longterm.Memory, error) bool) {
		for m, err := range all {
			other := f.user != "" && m.User != f.user || f.category != "" && string(m.Category) != f.category
			if err == nil && (other || m.SupersededBy != "" && !f.superseded) {
				continue
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// memoryListFlags defines the flags of a list of memories.
func memoryListFlags(limit int) func(*cobra.Command, *recordFlags) {
	return func(cmd *cobra.Command, f *recordFlags) {
		listFlags(limit)(cmd, f)
		cli.ChoiceFlag(cmd, &f.category, "category", "", categories(),
			"list those of `CATEGORY` only: "+cli.Either(categories()))
		cmd.Flags().BoolVar(&f.superseded, "superseded", false, "list superseded memories too")
	}
}

func categories() []string { return cli.Names(longterm.Categories()) }

// A memoryHit is a memory in a list or a search result.
type memoryHit struct {
	longterm.Memory
	Similarity float64 `json:"similarity,omitempty"` // to the question of a search
}

// writeMemories writes a table, with similarities for a search.
func writeMemories(w io.Writer, shown []memoryHit, searched bool) error {
	t := evals.Table{Columns: []string{"id", "category", "importance", "user", "changed", "content"}}
	if searched {
		t.Columns = slices.Insert(t.Columns, 1, "similarity")
	}
	for _, m := range shown {
		content := line.Printable(m.Content)
		if m.SupersededBy != "" {
			content += " (superseded by " + line.Printable(m.SupersededBy) + ")"
		}
		row := []string{line.Printable(m.ID), string(m.Category), fmt.Sprint(m.Importance), line.Printable(m.User),
			ui.Time(m.Updated), content}
		if searched {
			row = slices.Insert(row, 1, fmt.Sprintf("%.2f", m.Similarity))
		}
		t.Rows = append(t.Rows, row)
	}
	return evals.WriteMarkdown(w, t)
}

// memories writes a number of memories.
func memories(n int) string { return ui.Entries(n, "memory", "memories") }
