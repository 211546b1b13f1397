package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/tui"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/internal/line"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/toollimit"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/codebase"
	"github.com/forayhq/foray/tools/picture"
	"github.com/forayhq/foray/tools/tree"
)

// drawn reports whether the chat is drawn on the whole screen: by default, if a person reads and types on a terminal
// that can.
func (f *chatFlags) drawn(cmd *cobra.Command) bool {
	return !f.plain && !f.quiet && !f.verbose && tui.CanDraw(cmd.InOrStdin(), cmd.OutOrStdout())
}

// onScreen draws the chat. When the person chooses another model, it opens the chat with that one again; with the one
// before, if that fails.
func (f *chatFlags) onScreen(cmd *cobra.Command) error {
	before, notice := (*modelFlags)(nil), ""
	for {
		was := f.modelFlags
		model, thread, err := f.drawOnce(cmd, notice)
		notice = ""
		unopened := (*unopenedError)(nil)
		switch {
		case errors.As(err, &unopened) && before != nil:
			notice = was.model + " cannot be used: " + err.Error()
			f.modelFlags, before = *before, nil
		case err != nil || model == "":
			if thread != "" && unopened == nil {
				cli.Notice(cmd, "to resume: %s", f.command("foray chat --thread "+thread))
			}
			return err
		default:
			was.maxCost, before = f.maxCost, &was
			f.thread, f.resume = thread, false
		}
	}
}

// An unopenedError says why a chat could not begin.
type unopenedError struct{ error }

func (e *unopenedError) Unwrap() error { return e.error }

// use continues with another model than c. What was said of that one does not hold for it: a server gets no key of
// another provider.
func (f *chatFlags) use(model string, c *choice) {
	if c.meter != nil && f.maxCost > 0 {
		f.maxCost = max(f.maxCost-c.meter.Total().Cost, math.SmallestNonzeroFloat64)
	}
	if model == c.name() {
		return
	}
	f.model, f.window, f.calls, f.compaction, f.fallbacks = model, 0, "", compactForay, nil
	before, _, _ := strings.Cut(c.name(), "/")
	provider, _, _ := strings.Cut(model, "/")
	if provider != before {
		f.baseURL, f.allowHTTP = "", false
	}
}

// drawOnce draws the chat with one model, and returns the one to continue with, which the flags name then; "" at the
// end.
func (f *chatFlags) drawOnce(cmd *cobra.Command, notice string) (model, thread string, err error) {
	screen := &tui.Screen{}
	f.ask = screen.Ask
	if notice != "" {
		screen.Notice(notice)
	}
	t, err := f.open(cmd, nil, screen.Notice)
	if err != nil {
		return "", f.thread, &unopenedError{err}
	}
	defer func() { err = errors.Join(err, t.close()) }()
	s := &session{
		talk: t, flags: f, screen: screen, out: screen.Out(), err: screen.Err(), person: true, by: f.agents.agent,
	}
	s.recordTurns()
	defer s.page.Close()
	if err := s.begin(cmd.Context()); err != nil {
		return "", f.thread, storeError(err)
	}
	model, err = tui.Run(cmd.Context(), drawnSession{s}.host(), screen,
		tui.Terminal{In: cmd.InOrStdin(), Out: cmd.OutOrStdout()})
	switch {
	case model != "":
		f.use(model, t.choice)
	case err == nil:
		err = s.failed
	}
	return model, s.thread, err
}

// A drawnSession is a session as the screen uses it.
type drawnSession struct{ *session }

// host returns what the screen asks for.
func (s drawnSession) host() *tui.Host {
	h := &tui.Host{
		Handle:   s.handle,
		Rules:    s.choice.rules,
		Status:   s.status,
		Thread:   func() string { return s.thread },
		Messages: s.messages,
		Threads:  s.threadChoices,
		Enter:    func(ctx context.Context, id string) error { return s.enter(ctx, id) },
		Branch:   s.branch,
		Models:   func() []tui.Choice { return modelChoices(context.Background(), s.flags, s.choice) },
		Said:     s.saidBefore,
		Editor:   editor(),
	}
	for _, c := range chatCommands {
		h.Commands = append(h.Commands, tui.Command{Name: c.name, Args: c.args, Help: c.help,
			Rewrites: c.name == "undo"})
	}
	h.Commands = append(h.Commands, tui.Command{Name: "model", Help: "choose another model, and continue with it"},
		tui.Command{Name: "help", Help: "list the commands and the keys"},
		tui.Command{Name: "quit", Help: "end the chat; the thread is saved"})
	if s.root != nil {
		files := tree.Open(s.root.Files, &tree.Options{Dir: s.root.Dir, AllowSecret: s.root.AllowSecret})
		h.Files = func(ctx context.Context) []string { return paths(ctx, files) }
		h.Read = func(ctx context.Context, path string) (string, error) { return s.read(ctx, files, path) }
		h.Unlisted = func(ctx context.Context, path string) string { return unlisted(ctx, files, path) }
		h.Locate = placesIn(s.root)
	}
	return h
}

// editor is the person's editor with its arguments; vi, if it is installed, for a person who has not set one.
func editor() []string {
	chosen := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR")))
	if _, err := exec.LookPath("vi"); len(chosen) == 0 && err == nil {
		return []string{"vi"}
	}
	return chosen
}

// status says who answers, and what it has cost.
func (s drawnSession) status() (name, cost string) {
	if s.choice.rules {
		return "rules, no model", ""
	}
	return s.choice.status()
}

// status is the name of the model, and what its answers have cost; "" before the first one.
func (c *choice) status() (name, cost string) {
	if c.meter != nil && c.meter.Total().Answers > 0 {
		cost = costText(c.meter.Total())
	}
	return c.name(), cost
}

// maxLoaded is how many messages of a thread the screen shows.
const maxLoaded = 2000

// messages returns the last messages of the thread.
func (s drawnSession) messages(ctx context.Context) ([]chat.Message, error) {
	if s.thread == "" {
		return nil, nil
	}
	var all []chat.Message
	for after := int64(0); ; {
		page, err := s.Messages(ctx, s.thread, after, 1000)
		if err != nil {
			return nil, storeError(err)
		}
		all = append(all, page...)
		all = all[max(0, len(all)-maxLoaded):]
		if len(page) < 1000 {
			return all, nil
		}
		after = page[len(page)-1].Seq
	}
}

// branch continues in a new thread that has the messages before one.
func (s drawnSession) branch(ctx context.Context, before int64) error {
	t, err := s.Branch(ctx, s.thread, before)
	if err != nil {
		return storeError(err)
	}
	s.screen.Notice("thread " + t.ID + " branches off " + s.thread)
	s.thread, s.last = t.ID, 0
	return nil
}

func (s drawnSession) threadChoices(ctx context.Context) ([]tui.Choice, error) {
	threads, err := s.Threads(ctx, s.flags.user, 0, maxListed)
	if err != nil {
		return nil, storeError(err)
	}
	rows := make([]tui.Choice, len(threads))
	for i, t := range threads {
		title := cmp.Or(t.Title, t.ID)
		if title != t.ID && len(t.ID) != generated {
			title = t.ID + ": " + title
		}
		rows[i] = tui.Choice{ID: t.ID, Title: title,
			Detail: t.Updated.Local().Format("2006-01-02 15:04") + ", " + line.Count(t.Messages, "message")}
	}
	return rows, nil
}

// recentThreads is how many threads the history of messages is made of.
const recentThreads = 10

// saidBefore returns the person's messages of recent threads, oldest first.
func (s drawnSession) saidBefore(ctx context.Context) []string {
	threads, err := s.Threads(ctx, s.flags.user, 0, recentThreads)
	if err != nil {
		return nil // a history is a convenience
	}
	var all []string
	for _, t := range slices.Backward(threads) {
		recent, _ := s.store.Recent(ctx, t.ID, 0, historyRead)
		for _, m := range recent {
			if m.Role == transcript.User {
				all = append(all, m.Text)
			}
		}
	}
	return all
}

// maxPaths is how many files @ completes.
const maxPaths = 50_000

// paths lists the files that can join a message.
func paths(ctx context.Context, files *tree.Tree) []string {
	all := []string{}
	for f, err := range files.Files(ctx, ".") {
		if err != nil || len(all) == maxPaths {
			break
		}
		if f.Skip == "" {
			all = append(all, f.Path)
		}
	}
	return all
}

// mentionShare is the part of the model's window that a file in a message may take.
const mentionShare = .1

// read returns the text of a file, without its credentials and truncated, as it joins a message.
func (s drawnSession) read(ctx context.Context, files *tree.Tree, path string) (string, error) {
	if picture.IsName(path) {
		im, err := codebase.Picture(ctx, files, path)
		if err == nil {
			err = s.tray.Attach(im, s.choice.name(), s.choice.model.Info().Vision)
		}
		return "(a picture, which is attached)", err
	}
	_, content, err := files.File(ctx, path)
	if err != nil {
		return "", err
	}
	window := contextwindow.BudgetOf(s.choice.model.Info().Window, 0, contextwindow.Wide).Limit
	text, _ := toollimit.Truncate(toollimit.File, string(files.Shown(content)),
		toollimit.Quota{MaxTokens: int(mentionShare * float64(window))})
	return text, nil
}

// unlisted says why a file cannot join a message; "" if it does not exist.
func unlisted(ctx context.Context, files *tree.Tree, path string) string {
	_, _, err := files.File(ctx, path)
	problem := (*tools.Problem)(nil)
	switch {
	case err == nil:
		return "it is hidden or ignored"
	case errors.As(err, &problem) && problem.Code != "not_found":
		return line.Truncate(problem.Message, 100)
	}
	return ""
}

// placesIn returns a function that finds where a citation is on this machine. It remembers what it found.
func placesIn(root *guide.Tree) func(string) (string, int, bool) {
	known := make(map[string]bool)
	return func(citation string) (string, int, bool) {
		ok, seen := known[citation]
		if !seen {
			_, err := root.Resolve(citation)
			ok = err == nil
			known[citation] = ok
		}
		path, lines, _ := strings.Cut(citation, ":")
		first, _, _ := strings.Cut(lines, "-")
		n, _ := strconv.Atoi(first)
		return filepath.Join(root.Dir, filepath.FromSlash(path)), n, ok
	}
}

// modelChoices lists the models that can be used now: those at --base-url, those of servers on this machine, those
// whose key is set, and rules.
func modelChoices(ctx context.Context, f *chatFlags, c *choice) []tui.Choice {
	var rows []tui.Choice
	add := func(t catalog.Target, where string) {
		names := []string{t.Model}
		for _, name := range t.List(ctx) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if name = t.Name + "/" + name; name != t.Name+"/" {
				rows = append(rows, tui.Choice{ID: name, Title: name, Detail: where})
			}
		}
	}
	chosen := "" // provider of the models at --base-url
	if t, err := catalog.Resolve(c.name(), f.options(nil)); f.baseURL != "" && err == nil {
		chosen = t.Name
		add(t, "at "+t.SafeURL())
	}
	elsewhere := f.options(nil)
	elsewhere.BaseURL = ""
	for _, t := range catalog.FindLocal(ctx, elsewhere) {
		if t.Name != chosen {
			add(t, "on this machine")
		}
	}
	for _, e := range catalog.Endpoints() {
		set := func(name string) bool { return os.Getenv(name) != "" }
		if e.NoKey || e.Name == chosen || !slices.ContainsFunc(e.Keys, set) {
			continue
		}
		for _, name := range slices.Compact(slices.Sorted(slices.Values(e.Models()))) {
			window := catalog.BudgetFor(name, contextwindow.Wide).Window
			rows = append(rows, tui.Choice{ID: e.Name + "/" + name, Title: e.Name + "/" + name,
				Detail: "window " + line.Number(window)})
		}
	}
	return append(rows, tui.Choice{ID: rulesProvider, Title: "rules", Detail: "the heuristic explorer, no model"})
}

// watchAfter is for how long one line shows a run before it is drawn: one that fails at once draws nothing.
const watchAfter = time.Second

// watched reports whether the run is drawn while it is in progress: by default, if a language model answers and a
// person looks at a terminal that can draw. A pipe on standard output may lead to a program that draws there, such as a
// pager.
func (x *exploration) watched(cmd *cobra.Command) bool {
	f := x.flags
	return !x.choice.rules && x.choice.played == nil && !f.plain && !f.quiet && !f.verbose &&
		!leadsOn(cmd.OutOrStdout()) && tui.CanDraw(cmd.InOrStdin(), cmd.ErrOrStderr())
}

// leadsOn reports whether what is written to w goes to another program.
func leadsOn(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// watch explores while a person watches, who may cancel the command and send messages to the run.
func (x *exploration) watch(cmd *cobra.Command, p *ui.Progress) (result *agent.Result, err error) {
	began, done := time.Now(), make(chan struct{})
	x.screen, x.inbox = &tui.Screen{}, &agent.Inbox{}
	go func() {
		defer close(done)
		result, err = x.run(cmd.Context(), p)
	}()
	select {
	case <-done:
		return result, err
	case <-time.After(watchAfter):
	}
	p.Yield(x.screen.Notice)
	drawing := tui.Watch(&tui.Watched{
		Question: x.question, Began: began, Steps: x.flags.maxSteps, Inbox: x.inbox, Cancel: x.cancel, Done: done,
		Status: x.choice.status, Editor: editor(), Locate: placesIn(x.root),
	}, x.screen, tui.Terminal{In: cmd.InOrStdin(), Out: cmd.ErrOrStderr()})
	switch {
	case errors.Is(drawing, tui.ErrLeft):
		endAtOnce()
	case drawing != nil:
		p.Say(fmt.Sprintf("cannot draw the run, which continues: %v", drawing))
	}
	<-done
	for _, text := range result.Unread {
		p.Say(fmt.Sprintf("the model did not read your message, which came too late: %q", text))
	}
	return result, err
}

// endAtOnce ends the process as a second Ctrl-C does outside of the drawn run. Where that cannot be, the run ends soon:
// it is cancelled.
func endAtOnce() {
	signal.Reset(os.Interrupt)
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}
