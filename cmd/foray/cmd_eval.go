package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/harness"
	"github.com/forayhq/foray/cmd/foray/internal/suites"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/evals/live"
	"github.com/forayhq/foray/evals/recall"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/textcalls"
)

func newEval() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Run and compare agents on task sets; measure foray",
		Long: `Run task sets with foray, models, or your own program, and compare the results;
or run the suites that measure foray. Most suites need recordings, which are not
part of foray: name them with --data, or their directory with ` + suites.DataVariable + `.
Without recordings a suite prints a notice and ends.`,
		Example: `  foray eval run smoke
  foray eval run mytasks.jsonl --subject "rules,exec:./agent" --out results
  foray eval compare results
  foray eval canaries --policy lean,ladder
  foray eval compaction --data recordings/ --budget 16000
  foray eval answers --data answers.jsonl.gz --repos mirrors/
  foray eval live --model llamacpp/NAME --window 16384`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.Group,
	}
	cmd.AddGroup(&cobra.Group{ID: "tasks", Title: "Task sets"}, &cobra.Group{ID: "suites", Title: "Suites"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
		}
		cmd.AddCommand(commands...)
	}
	add("tasks", harness.Commands(harnessModels)...)
	add("suites", suites.Commands()...)
	add("suites", newEvalCanaries(), newEvalRecall(), newEvalLocalize(), newEvalAnswers(), newEvalLive())
	return cmd
}

// harnessModels defines the flags of the models of a command, and returns what opens them.
func harnessModels(cmd *cobra.Command) harness.Opener {
	var f modelFlags
	flags := cmd.Flags()
	flags.StringVar(&f.baseURL, "base-url", "",
		"ask the server at `URL` (default: the provider's own; $OPENAI_BASE_URL for openai/)")
	flags.BoolVar(&f.allowHTTP, "allow-http", false, "allow plain HTTP to remote hosts (exposes the API key)")
	cli.InGroup(cmd, cli.ModelGroup, "base-url", "allow-http")
	return func(ctx context.Context, name string, window int, say func(string)) (providers.Model, error) {
		one := f
		one.model, one.window = name, window
		c, err := chooseModel(ctx, &one, say)
		if err != nil {
			return nil, err
		}
		return c.model, nil
	}
}

// recallFlags are the flags of eval recall.
type recallFlags struct {
	suites.Flags
	k     []int
	split string
	embed string
}

// recallData is the default recording.
const recallData = "locomo.jsonl.gz"

func newEvalRecall() *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:   "recall",
		Short: "Find the turns of conversations that answer questions",
		Long: `Ask questions about recorded conversations, and print how much of the evidence
is in the first K places found without a model, by speaker and by category. The
row foray is what search_history and /history find; in a chat with an assistant
its places are exchanges. The other rows are foray with the speakers renamed,
which must be equal; turns alone; memory search with each turn as a memory (10
at most), with --embed also by an embedding model; and BM25 on stems and on
words. Some conversations in Chinese are part of foray and always included. A
date of unknown form is ignored and counted.

The data are JSON lines, one conversation a line, plain or compressed:
  {"id","sessions":[{"date","turns":[{"dia_id","speaker","text","caption"}]}],
   "qa":[{"question","category_name","evidence"}]}`,
		Example: `  foray eval recall --data locomo.jsonl.gz --data mychats.jsonl --k 5,10,25
  foray eval recall --data locomo.jsonl.gz --split test --format json
  foray eval recall --data mychats.jsonl --embed ollama/nomic-embed-text`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	cli.NumbersFlag(cmd, &f.k, "k", []int{5, 10, 25}, 1, "measure recall in these `NUMBERS` of places")
	cli.ChoiceFlag(cmd, &f.split, "split", "all", suites.Splits,
		"use `PART` of the conversations: dev (the first half of each file), test (the rest) or all")
	embedFlag(cmd, &f.embed, comparesTurns)
	f.Define(cmd, recallData, "conversations")
	f.DefineOut(cmd)
	return cmd
}

func (f *recallFlags) run(cmd *cobra.Command) error {
	slices.Sort(f.k)
	embedder, err := openEmbedder(f.embed)
	if err != nil {
		return err
	}
	// Some conversations are part of foray, so a run without recordings is not an error.
	sources, skipped, err := recall.Load(cmd.Context(), f.Recordings(cmd.ErrOrStderr(), recallData)...)
	if err != nil {
		return cli.Usage("foray eval recall --help", "%w", err)
	}
	options, clear := f.Options(cmd.ErrOrStderr(), "asking")
	report, err := recall.Run(cmd.Context(), sources, recall.Config{
		K: slices.Compact(f.k), Split: f.split, Options: options, Now: time.Now, Embedder: embedding(embedder),
	})
	clear()
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: err}
	}
	report.Skipped = skipped
	return f.Print(cmd, report)
}

// comparesTurns is how an embedding model helps where turns are searched.
const comparesTurns = "compare turns as memories too; it gets them and the questions"

// liveFlags are the flags of eval live.
type liveFlags struct {
	suites.Flags
	modelFlags
	timeout           time.Duration
	parts             []string
	questions         string
	checked           int
	whole             bool
	rows, transcripts string
}

// liveParts are the parts of eval live.
var liveParts = []string{"questions", "chat", "memory", "sittings", "forms"}

// liveTime is the default of --timeout.
const liveTime = 5 * time.Minute

func newEvalLive() *cobra.Command {
	var f liveFlags
	cmd := &cobra.Command{
		Use:   "live",
		Short: "Ask a real model questions with known answers",
		Long: `Ask a real model questions about the sources of the modules that go.mod names,
hold a conversation of forty turns with it, have it extract memories and write
summaries, hold conversations of three sittings that only its memories connect,
and let it call tools in each form. Print what was right, beside a run without a
model, and what it took. Run it in a checkout of foray: the go command downloads
the modules.

An answer is right if it cites the lines that decide and says what they do.
Questions of your own are a JSON array:
  [{"id","module","ask","places":["FILE#SYMBOL"],"words":["regexp"],
    "not":["regexp"]}]
The module may be a directory, by its absolute path, and a place FILE:12-30.

Without a server at the model's address it prints a notice and ends.`,
		Example: `  foray eval live --model llamacpp/coder-1.5b --window 16384
  foray eval live --model ollama/qwen3 --parts questions --questions 1-5
  foray eval live --model openai/gpt-4.1-mini --transcripts live.txt`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	f.defineOne(cmd, "measure the model `PROVIDER/NAME` (default: $FORAY_MODEL)")
	cli.ChoicesFlag(cmd, &f.parts, "parts", liveParts, "run `PARTS`: "+cli.Either(liveParts)+" (repeatable; default: all)")
	flags.StringVar(&f.questions, "questions", "", "ask the questions `LIST` only, such as 1-5 or 2,7 (default: all)")
	cli.NumberFlag(cmd, &f.checked, "checked", 8, 1, "let the model answer the last `N` turns that are checked")
	flags.BoolVar(&f.whole, "whole-chat", false, "let the model answer every turn, not only those that are checked")
	cli.TimeoutFlag(cmd, &f.timeout, liveTime, "stop a question or a turn after `DURATION`")
	flags.StringVar(&f.rows, "rows", "", "append each row to `FILE` as a JSON line; "+
		"rows that it holds of the same model and window "+
		"are not measured again")
	flags.StringVar(&f.transcripts, "transcripts", "", "write each request and its answer to `FILE`")
	flags.StringSliceVar(&f.Data, "data", nil, "ask the questions in the JSON files `PATHS` (default: those of foray)")
	f.Flags.Define(cmd, "", "")
	f.DefineOut(cmd)
	return cmd
}

func (f *liveFlags) run(cmd *cobra.Command) (err error) {
	say := cli.NoticesTo(cmd.ErrOrStderr())
	choice, err := chooseModel(cmd.Context(), &f.modelFlags, say)
	if err != nil {
		return err
	}
	if choice.rules {
		return cli.Usage("--model llamacpp/NAME", "eval live needs a language model, not the heuristic explorer")
	}
	c, err := f.config(cmd, choice, say)
	if err != nil {
		return err
	}
	if t := choice.chain[0]; t.Local() && !t.listens(cmd.Context()) {
		say("no model server at " + t.SafeURL() + ": skipped; start one, such as llama-server or ollama serve")
		return nil
	}
	file, err := (cli.SideFile{Flag: "transcripts", Path: f.transcripts, What: "transcripts",
		Suggested: "live.txt"}).Open()
	if err != nil {
		return err
	}
	if file != nil {
		c.Transcripts = file
		defer func() { err = errors.Join(err, file.Close()) }()
	}
	if f.rows != "" {
		rows, err := os.OpenFile(f.rows, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return cli.Usage("--rows FILE in a writable directory", "opening the rows: %v", err)
		}
		defer rows.Close()
		if c.Earlier, err = io.ReadAll(rows); err != nil {
			return cli.Usage("--rows live.jsonl", "reading the rows: %v", err)
		}
		c.Rows = rows
	}
	report, runErr := live.Run(cmd.Context(), c)
	if report != nil {
		if err := f.Print(cmd, report); err != nil {
			return err
		}
	}
	if runErr != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: runErr}
	}
	return nil
}

// config makes the configuration of the suite.
func (f *liveFlags) config(cmd *cobra.Command, choice *choice, say func(string)) (live.Config, error) {
	c := live.Config{
		Model: choice.model, Dir: ".", Timeout: f.timeout, Checked: f.checked, Whole: f.whole, Say: say, Now: time.Now,
	}
	runs := func(part string) bool { return len(f.parts) == 0 || slices.Contains(f.parts, part) }
	if runs("questions") {
		if err := c.Load(f.questions, f.Data...); err != nil {
			return c, cli.Usage("--questions 1-5", "%w", err)
		}
	}
	if runs("chat") {
		c.Chat = f.chat
	}
	if runs("sittings") {
		c.Sit = f.sit
	}
	if runs("memory") {
		c.Ask = askOf
	}
	if runs("forms") {
		c.Forms = textcalls.Modes()
		c.Open = func(form string) (providers.Model, error) {
			flags := f.modelFlags
			flags.calls = form
			opened, err := chooseModel(cmd.Context(), &flags, say)
			if err != nil {
				return nil, err
			}
			return opened.model, nil
		}
	}
	return c, nil
}

// chat opens a conversation as foray chat does, with a database of its own.
func (f *liveFlags) chat(ctx context.Context, dir string,
	wrap func(providers.Model) providers.Model) (*chat.Chat, func() error, error) {
	scratch, err := os.MkdirTemp("", "foray-live-")
	if err != nil {
		return nil, nil, err
	}
	t, err := f.talk(ctx, dir, scratch, wrap, false)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(scratch))
	}
	return t.Chat, func() error { return errors.Join(t.close(), os.RemoveAll(scratch)) }, nil
}

// talk opens a chat with its database in a directory. If fast, the model also extracts memories.
func (f *liveFlags) talk(ctx context.Context, dir, scratch string, wrap func(providers.Model) providers.Model,
	fast bool) (*talk, error) {
	var talking talkFlags
	cmd := &cobra.Command{}
	talking.define(cmd)
	cmd.SetContext(ctx)
	talking.modelFlags, talking.wrap = f.modelFlags, wrap
	talking.path, talking.repo = filepath.Join(scratch, "live.db"), dir
	if _, name, _ := strings.Cut(f.model, "/"); fast && f.baseURL != "" {
		talking.fast = f.baseURL + "#" + name
	} else if fast {
		talking.fast = f.model
	}
	return talking.open(cmd, nil, func(string) {})
}

// sit opens a conversation as foray chat --fast does, with a database in a directory.
func (f *liveFlags) sit(ctx context.Context, dir, scratch string, wrap func(providers.Model) providers.Model) (
	*chat.Chat, func() ([]longterm.Memory, error), error) {
	t, err := f.talk(ctx, dir, scratch, wrap, true)
	if err != nil {
		return nil, nil, err
	}
	return t.Chat, func() ([]longterm.Memory, error) {
		wait, cancel := context.WithTimeout(ctx, f.timeout)
		defer cancel()
		if err := t.Close(wait); err != nil {
			return nil, errors.Join(err, t.close())
		}
		memories, err := openMemories(ctx, t.store, nil)
		if err != nil {
			return nil, errors.Join(err, t.close())
		}
		return memories.List("live", "", true), t.close()
	}, nil
}

// listens reports whether something accepts connections at the address of a target.
func (t target) listens(ctx context.Context) bool {
	u, err := url.Parse(t.URL)
	if err != nil {
		return false
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	d := net.Dialer{Timeout: 3 * time.Second}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return false
	}
	return conn.Close() == nil
}
