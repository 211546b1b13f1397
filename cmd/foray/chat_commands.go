package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/forayhq/foray/agent/chat"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow/contextbuilder"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/task"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/evals"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/tools/recall"
)

// A chatCommand is a line that starts with /.
type chatCommand struct {
	name, args, help string
	anywhere         bool // allowed before the thread exists
	do               func(*session, context.Context, io.Writer, string) error
}

// chatCommands lists the commands in the order of /help, except those that end the session.
var chatCommands = []chatCommand{
	{"context", "", "show what the thread holds, and what the next request includes of it", false, (*session).showContext},
	{"inspect", "", "show the window of the last answer in a browser, and then of each", true, (*session).showPage},
	{"image", "[PATH|none]", "add a picture to your next message: a file or an https address (default: list them)", true,
		(*session).attachImage},
	{"compact", "", "summarize all turns but the last, and print the summary", false, (*session).compact},
	{"memory", "[WORDS]", "list your memories, or those about WORDS", true, (*session).showMemories},
	{"task", "[STATUS]", "show the task of the thread, or set its STATUS: active, waiting, done, dropped", false,
		(*session).task},
	{"pin", "[NUMBER]", "keep a message in every request (default: the last answer; see /history)", false, (*session).pin},
	{"unpin", "[NUMBER]", "unpin a message (default: all)", false, (*session).unpin},
	{"history", "[WORDS]", "print the last messages with their numbers, or what was said about WORDS", false,
		(*session).history},
	{"undo", "", "remove the last message and its answer", false, (*session).undo},
	{"agent", "[ID]", "list the agents of --agents, or let the agent ID answer from now on", true, (*session).agent},
	{"threads", "[ID]", "list threads, or resume the thread ID (its beginning is enough)", true, (*session).threads},
	{"new", "[ID]", "start a new thread with the next message, named ID", true, (*session).renew},
}

// quits are the commands that end a session.
var quits = map[string]bool{"quit": true, "exit": true, "q": true}

// commandOf splits a command from its arguments. A path such as /etc/hosts is a message, and so is a line that starts
// with //.
func commandOf(text string) (name, rest string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") {
		return "", "", false
	}
	name, rest, _ = strings.Cut(text[1:], " ")
	return name, strings.TrimSpace(rest), !strings.Contains(name, "/")
}

// command runs a command, and reports whether it ends the session.
func (s *session) command(ctx context.Context, name, rest string) bool {
	if quits[name] {
		return true
	}
	if name == "help" {
		s.help(s.out)
		return false
	}
	names := []string{"help", "quit"}
	for _, c := range chatCommands {
		if names = append(names, c.name); c.name != name {
			continue
		}
		if s.thread == "" && !c.anywhere {
			s.screen.Say("the thread has no messages yet")
			return false
		}
		var b strings.Builder
		err := c.do(s, ctx, &b, rest)
		fmt.Fprint(s.out, line.Printable(b.String()))
		if errors.Is(err, chat.ErrInvalid) {
			err = cli.Usage("/help", "%v", err)
		}
		if err != nil {
			cli.PrintError(s.err, storeError(err))
		}
		return false
	}
	hint := "/help; to send a message that starts with /, type //"
	if near := cli.Nearest(name, names); near != "" {
		hint = "/" + near + "; to send a message that starts with /, type //"
	}
	cli.PrintError(s.err, cli.Usage(hint, "unknown command /%s", name))
	return false
}

func (s *session) help(w io.Writer) {
	var rows [][]string
	for _, c := range chatCommands {
		rows = append(rows, []string{"/" + c.name + " " + c.args, c.help})
	}
	rows = append(rows, []string{"/help", "print this list"}, []string{"/quit", "end the chat; the thread is saved"})
	_ = ui.Table(w, "", rows) // a closed terminal ends the session by itself
	fmt.Fprint(w, "End a line with \\ to continue the message on the next line.\n")
}

func (s *session) showContext(ctx context.Context, w io.Writer, _ string) error {
	r, err := s.Inspect(ctx, s.thread)
	if err != nil {
		return err
	}
	summary := "none"
	if r.Summary.Text != "" {
		summary = fmt.Sprintf("of %s, up to number %d", line.Count(r.Summary.Messages, "message"), r.Summary.Last)
		if r.Summary.Extractive {
			summary += ", by rules"
		}
	}
	fmt.Fprintf(w, "thread %s: %s, %s; summary: %s; pinned: %d\n", r.Thread.ID, line.Count(r.Thread.Messages, "message"),
		line.Count(r.Tokens, "token"), summary, len(r.Pins))
	writeWorking(w, r.Working)
	writeRuns(w, r.Runs)
	if r.Stats.Room > 0 {
		writeIncluded(w, r)
	}
	if r.Window == nil {
		return nil
	}
	report := r.Window.String()
	if _, sections, _ := strings.Cut(report, "\n"); s.choice.rules { // they have no limit
		report = "context: " + line.Count(r.Window.Tokens, "token") + ", without a limit\n" + sections
	}
	fmt.Fprintf(w, "\nAfter the last answer, the window held:\n%s", report)
	return nil
}

// writeWorking writes how many texts of earlier turns working memory still holds.
func writeWorking(w io.Writer, entries []working.Entry) {
	there, size := 0, 0
	for _, e := range entries {
		if e.Gone == "" {
			there, size = there+1, size+e.Bytes
		}
	}
	if len(entries) > 0 {
		fmt.Fprintf(w, "working memory: %s of %s, %d expired\n", line.Count(there, "text"), line.Bytes(int64(size)),
			len(entries)-there)
	}
}

// writeRuns writes which tools and agents the thread called last.
func writeRuns(w io.Writer, runs []contextbuilder.AgentRun) {
	parts := make([]string, len(runs))
	for i, r := range runs {
		parts[i] = fmt.Sprintf("%s %s", line.Truncate(line.Single(r.Name), maxRunName), ui.Seconds(r.Duration))
		if r.Tokens > 0 {
			parts[i] += " " + line.Count(r.Tokens, "token")
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "last calls: %s\n", strings.Join(parts, "; "))
	}
}

const maxRunName = 60 // runes

// writeIncluded writes which messages of the thread the next request includes.
func writeIncluded(w io.Writer, r chat.ThreadContext) {
	stats := r.Stats
	fmt.Fprintf(w, "The next request includes %s of at most %s: %s, %d messages left out.\n\n",
		line.Count(stats.Tokens, "token"), line.Number(stats.Room),
		line.Count(stats.Window.Turns, "turn"), stats.Window.Excluded)
	t := evals.Table{Columns: []string{"section", "share", "tokens", "included", "cut", "dropped"}}
	for _, x := range stats.Sections {
		t.Rows = append(t.Rows,
			[]string{string(x.Section), line.Number(x.Share), line.Number(x.Tokens), line.Number(x.Included),
				line.Number(x.Cut), line.Number(x.Dropped)})
	}
	_ = evals.WriteMarkdown(w, t) // to a buffer
	for _, warning := range stats.Warnings {
		fmt.Fprintf(w, "warning: %s\n", ui.Line(warning))
	}
}

func (s *session) compact(ctx context.Context, w io.Writer, _ string) error {
	sum, err := s.Compact(ctx, s.thread)
	if err != nil {
		return err
	}
	if sum.Text == "" {
		fmt.Fprintln(w, "nothing to summarize yet")
		return nil
	}
	fmt.Fprintf(w, "summary of %s, up to number %d:\n%s\n", line.Count(sum.Messages, "message"), sum.Last,
		strings.TrimSpace(sum.Text))
	return nil
}

func (s *session) attachImage(_ context.Context, w io.Writer, asked string) error {
	said, err := s.tray.Command(asked, s.choice.name(), s.choice.model.Info().Vision)
	fmt.Fprint(w, said)
	return err
}

// showPage serves the page of the turns, until the chat ends.
func (s *session) showPage(ctx context.Context, w io.Writer, _ string) error {
	address, err := s.page.Open(context.WithoutCancel(ctx)) // a cancelled answer does not end it
	if err != nil {
		return &cli.Exit{Code: cli.ExitPartial, Err: fmt.Errorf("serving the page: %w", err)}
	}
	fmt.Fprintf(w, "open in a browser: %s\n", address)
	return nil
}

func (s *session) task(ctx context.Context, w io.Writer, status string) error {
	if status != "" {
		if err := s.SetTask(ctx, s.thread, task.Status(status)); err != nil {
			return err
		}
	}
	task, err := s.Task(ctx, s.thread)
	switch {
	case err != nil:
		return err
	case task.Status == "":
		fmt.Fprintln(w, "no task")
	default:
		fmt.Fprintln(w, strings.TrimSpace(task.Summary()))
	}
	return nil
}

func (s *session) agent(ctx context.Context, w io.Writer, id string) error {
	settings := s.Settings()
	all := append([]chat.Persona{{ID: chatAgent, Description: "the chat's own"}}, settings.Agents...)
	if id != "" && !slices.ContainsFunc(all, func(p chat.Persona) bool { return p.ID == id }) {
		return cli.Usage("/agent", "no agent %q", id)
	}
	now := cmp.Or(id, s.by, settings.Agent, chatAgent)
	if s.thread != "" && id == "" {
		r, err := s.As(s.by).Inspect(ctx, s.thread)
		if err != nil {
			return err
		}
		now = r.Agent
	}
	if id != "" {
		s.by = id
		fmt.Fprintf(w, "%s answers from now on\n", id)
		return nil
	}
	for _, p := range all {
		mark := " "
		if p.ID == now {
			mark = "*"
		}
		fmt.Fprintf(w, "%s %s  %s\n", mark, p.ID, ui.Line(p.Description))
	}
	return nil
}

func (s *session) undo(ctx context.Context, w io.Writer, _ string) error {
	gone, err := s.Undo(ctx, s.thread)
	if err != nil {
		return err
	}
	if len(gone) == 0 {
		fmt.Fprintln(w, "nothing to undo")
		return nil
	}
	fmt.Fprintf(w, "removed %s: %s\n", line.Count(len(gone), "message"), ui.Fit(ui.Line(gone[0].Text), historyColumns))
	return nil
}

func (s *session) threads(ctx context.Context, w io.Writer, id string) error {
	if id != "" {
		ids := []string{id}
		if err := threadsByID(ctx, s.store, ids...); errors.Is(err, chat.ErrNoThread) {
			return cli.Usage("/threads lists them; /new "+id+" starts it", "no thread %q", id)
		} else if err != nil {
			return err
		}
		return s.enter(ctx, ids[0])
	}
	threads, err := s.Threads(ctx, s.flags.user, 0, maxListed)
	if err != nil {
		return err
	}
	if len(threads) == 0 {
		fmt.Fprintln(w, "no threads")
		return nil
	}
	return writeThreads(w, threads)
}

func (s *session) renew(ctx context.Context, w io.Writer, id string) error {
	if id == "" {
		s.thread, s.last = "", 0
		fmt.Fprintln(w, "the next message starts a new thread")
		return nil
	}
	t, err := s.Create(ctx, chat.Thread{ID: id, User: s.flags.user})
	if errors.Is(err, chat.ErrThreadExists) {
		return cli.Usage("/threads "+id, "thread %q exists", id)
	}
	if err != nil {
		return err
	}
	s.thread, s.last = t.ID, 0
	fmt.Fprintf(w, "the next message starts thread %s\n", t.ID)
	return nil
}

// showMemories prints the memories of the user.
func (s *session) showMemories(ctx context.Context, w io.Writer, words string) error {
	var shown []memoryHit
	if words != "" {
		found, err := s.SearchMemories(ctx, longterm.Query{User: s.flags.user, Text: words, Limit: maxFoundMemories})
		if err != nil {
			return err
		}
		for _, m := range found {
			shown = append(shown, memoryHit{m.Memory, m.Similarity})
		}
	} else {
		f := recordFlags{user: s.flags.user}
		for m, err := range f.filter(s.store.Memories().All(ctx)) {
			if err != nil {
				return err
			}
			shown = append(shown, memoryHit{Memory: m})
		}
	}
	switch {
	case len(shown) > 0:
		return writeMemories(w, shown, words != "")
	case words != "":
		fmt.Fprintln(w, "no memories about that; /memory lists all")
	default:
		fmt.Fprintln(w, "no memories; add one with foray memory add")
	}
	return nil
}

// pin pins a message, by default the last answer.
func (s *session) pin(ctx context.Context, w io.Writer, text string) error {
	seq, err := numberOf(text)
	if err != nil {
		return err
	}
	if seq == 0 {
		said, err := s.said(ctx)
		if err != nil {
			return err
		}
		for _, m := range said {
			if m.Role == transcript.Assistant {
				seq = m.Seq
			}
		}
	}
	if err := s.Pin(ctx, s.thread, seq); err != nil {
		return err
	}
	return s.showPins(ctx, w)
}

func (s *session) unpin(ctx context.Context, w io.Writer, text string) error {
	seq, err := numberOf(text)
	if err != nil {
		return err
	}
	var seqs []int64
	if seq != 0 {
		seqs = []int64{seq}
	}
	if err := s.Unpin(ctx, s.thread, seqs...); err != nil {
		return err
	}
	return s.showPins(ctx, w)
}

func numberOf(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, cli.Usage("/history", "%q is not the number of a message", text)
	}
	return n, nil
}

func (s *session) showPins(ctx context.Context, w io.Writer) error {
	pins, err := s.Pins(ctx, s.thread)
	if len(pins) == 0 && err == nil {
		fmt.Fprintln(w, "no pinned messages")
	}
	for _, m := range pins {
		fmt.Fprintf(w, "pinned %d %s: %s\n", m.Seq, m.Role, ui.Fit(ui.Line(m.Text), historyColumns))
	}
	return err
}

// The messages that /history reads, those that it shows, and the columns of each.
const (
	historyRead    = 400
	historyShown   = 20
	historyColumns = 100
)

func (s *session) history(ctx context.Context, w io.Writer, words string) error {
	if words != "" {
		found, err := recall.FindSaid(ctx, s.store.After, s.thread, words)
		if err == nil {
			fmt.Fprint(w, line.Printable(found))
		}
		return err
	}
	said, err := s.said(ctx)
	for _, m := range said[max(0, len(said)-historyShown):] {
		who := string(m.Role)
		if m.Role == transcript.Assistant {
			who = cmp.Or(m.Name, who)
		}
		fmt.Fprintf(w, "%4d %s: %s\n", m.Seq, who, ui.Fit(ui.Line(m.Described()), historyColumns))
	}
	return err
}

// said returns the recent messages of the user and the model, without calls and results.
func (s *session) said(ctx context.Context) ([]contextbuilder.Message, error) {
	recent, err := s.store.Recent(ctx, s.thread, 0, historyRead)
	return slices.DeleteFunc(recent, func(m contextbuilder.Message) bool {
		return m.Role == transcript.Tool || strings.TrimSpace(m.Text) == ""
	}), err
}
