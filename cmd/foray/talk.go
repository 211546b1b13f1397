package main

import (
	"cmp"
	"context"
	_ "embed" // the prompt
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/otel"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/cli"
	"github.com/forayhq/foray/cmd/foray/internal/servers"
	"github.com/forayhq/foray/cmd/foray/internal/telemetry"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/catalog"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/recall"
)

//go:embed prompts/chat.md
var chatPrompt string

//go:embed prompts/chat_small.md
var smallChatPrompt string

//go:embed prompts/chat_weak.md
var weakChatPrompt string

// chatAgent is the name of the agent that answers if no other is chosen.
const chatAgent = "chat"

// threadWait is how long a command waits by default for another process that writes to a thread.
const threadWait = 5 * time.Second

// A talk is a chat with its model, tree and database.
type talk struct {
	*chat.Chat
	choice *choice
	root   *guide.Tree // nil without files
	store  *store.Store
	sender *telemetry.Sender // nil without --otel
	say    func(string)      // on standard error
	ended  context.Context   // of the command

	servers *servers.Servers // nil without --mcp
	bare    bool             // the model gets no tools

	embedder  *catalog.Embedder // nil: words alone compare memories
	fast      providers.Model   // nil: the model of choice does all
	embedding sync.WaitGroup    // embeds the memories that have no vectors yet
	stop      context.CancelFunc
}

// open opens the model, the tree and the database, and makes a chat of them.
func (f *talkFlags) open(cmd *cobra.Command, log *slog.Logger, say func(string)) (t *talk, err error) {
	if err := f.modelFlags.check(cmd); err != nil {
		return nil, err
	}
	t = &talk{say: cli.NoticesTo(cmd.ErrOrStderr()), ended: cmd.Context()}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if t.choice, err = chooseModel(cmd.Context(), &f.modelFlags, say); err != nil {
		return t, err
	}
	t.root, err = openTree(cmd.Context(), &f.repoFlags)
	if empty := (*cli.Exit)(nil); errors.As(err, &empty) && empty.Code == cli.ExitNothing && !t.choice.rules &&
		!cmd.Flags().Changed("repo") {
		t.root, err = nil, nil // a language model needs no files
	}
	if err != nil {
		return t, err
	}
	if t.store, err = f.databaseFlag.open(cmd); err != nil {
		return t, err
	}
	if err := t.choice.startRecording(f.record); err != nil {
		return t, err
	}
	if t.fast, err = f.openFast(t.choice, say); err != nil {
		return t, err
	}
	config := f.config(t)
	config.Log = log
	if t.sender, err = f.Flags.Start(cmd.Context(), say); err != nil {
		return t, err
	}
	config.Observe = t.observe
	if t.embedder, err = openEmbedder(f.embed); err != nil {
		return t, err
	}
	if config.Memory, err = openMemories(cmd.Context(), t.store, t.embedder); err != nil {
		return t, storeError(err)
	}
	t.embed(cmd.Context(), config.Memory, say)
	if !t.choice.rules && !t.bare {
		config.Agent.Tools = append(config.Agent.Tools, t.recall(config.Memory, config.Agent.Brief)...)
	}
	if err := f.openServers(cmd.Context(), t, &config.Agent, say); err != nil {
		return t, err
	}
	if t.Chat, err = chat.New(config); err != nil {
		return t, err
	}
	return t, f.apply(t)
}

// openServers connects to the servers of --mcp, and gives the agent their tools.
func (f *talkFlags) openServers(ctx context.Context, t *talk, c *agent.Config, say func(string)) (err error) {
	if t.choice.rules && f.mcp.Given() {
		return cli.Usage("--model PROVIDER/NAME", "--mcp needs a model: rules use foray's own tools only")
	}
	info := t.choice.model.Info()
	if t.servers, err = f.mcp.Open(ctx, c.Tools, info.Window, say); err != nil {
		return err
	}
	c.Tools, c.Approve = append(c.Tools, t.servers.Tools()...), t.servers.Approve(f.ask)
	return nil
}

// openFast opens the model of --fast; nil without one.
func (f *talkFlags) openFast(c *choice, say func(string)) (providers.Model, error) {
	if f.fast == "" {
		return nil, nil
	}
	if c.rules {
		return nil, cli.Usage("--model openai/gpt-4.1 --fast "+f.fast, "--fast needs --model")
	}
	name, at := atURL(f.fast)
	o := f.options(say)
	o.BaseURL, o.Fallbacks, o.Window, o.Meter = at.BaseURL, nil, 0, cmp.Or(c.meter, o.Meter)
	targets, err := catalog.Chain(name, o)
	if err != nil {
		return nil, cli.Usage("--fast openai/gpt-4.1-mini", "--fast: %w", err)
	}
	m, err := catalog.OpenChain(targets)
	if err != nil {
		return nil, cli.Usage("--fast openai/gpt-4.1-mini", "--fast: %w", err)
	}
	return m, nil
}

// embed gives vectors to the memories that have none of this embedder, while the conversation begins.
func (t *talk) embed(ctx context.Context, m *longterm.Memories, say func(string)) {
	if t.embedder == nil {
		return
	}
	ctx, t.stop = context.WithCancel(ctx)
	t.embedding.Go(func() {
		if _, err := m.Reembed(ctx); err != nil && ctx.Err() == nil {
			say(fmt.Sprintf("warning: the embedding model failed, so words alone compare memories: %v", err))
		}
	})
}

// answerer says who answers.
func (t *talk) answerer() string {
	if t.bare {
		return t.choice.name() + " answers without tools, because so small a model calls every tool it is offered"
	}
	return t.choice.name() + " answers"
}

// background says which models work beside the one that answers; empty if none do.
func (t *talk) background() string {
	var parts []string
	if t.fast != nil {
		parts = append(parts, (&choice{model: t.fast}).name()+" writes summaries and extracts memories")
	}
	if t.embedder != nil {
		parts = append(parts, t.embedder.Name+" compares memories")
	}
	return strings.Join(parts, "; ")
}

// What limits how long the end of a chat waits for background work. The next message makes a summary that came too
// late, and rules make memories in place of a model, but they find fewer: a model gets more time, which a signal ends.
// After a signal there is only the short one, because whoever sent it may kill the process soon.
const (
	closeTime     = 3 * time.Second
	modelTime     = 30 * time.Second
	closeNoticeAt = time.Second
)

// closing returns the context of the background work at the end of a chat.
func (t *talk) closing() (context.Context, context.CancelFunc) {
	if t.fast == nil || t.ended.Err() != nil {
		return context.WithTimeout(context.Background(), closeTime)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process
	ctx, cancel := context.WithTimeout(ctx, modelTime)
	notice := time.AfterFunc(closeNoticeAt, func() {
		t.say("reading the last messages for what to remember; Ctrl-C leaves that to rules")
	})
	return ctx, func() {
		notice.Stop()
		cancel()
		stop()
	}
}

// observe traces the run of a turn.
func (t *talk) observe(
	ctx context.Context, thread string, run func(context.Context) iter.Seq2[agent.Event, error],
) iter.Seq2[agent.Event, error] {
	return t.sender.Observe(ctx, otel.Run{Conversation: thread}, run)
}

// close closes what open has opened so far.
func (t *talk) close() error {
	var errs []error
	if t.stop != nil {
		t.stop()
		t.embedding.Wait()
	}
	if t.Chat != nil {
		ctx, cancel := t.closing()
		defer cancel()
		if err := t.Close(ctx); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			errs = append(errs, err)
		}
	}
	t.servers.Close()
	t.sender.Close()
	if t.choice != nil {
		errs = append(errs, t.choice.recorded.close())
	}
	if t.store != nil {
		errs = append(errs, t.store.Close())
	}
	if t.root != nil {
		errs = append(errs, t.root.Close())
	}
	return errors.Join(errs...)
}

// config wires the chat. Rules see no conversation, because they would take its words for the question's.
func (f *talkFlags) config(t *talk) chat.Config {
	c := chat.Config{Store: t.store, Wait: f.wait}
	if t.root != nil {
		c.Repository = t.root.Dir
	}
	c.Extraction.Off = f.noNew
	c.Agent = agent.Config{Name: chatAgent, Model: t.choice.model, Limits: agent.Limits{Steps: f.maxSteps}}
	if t.choice.rules {
		c.Agent.Budget = contextwindow.BudgetOf(t.choice.model.Info().Window, 0, contextwindow.Off)
		c.Agent.Tools = t.files(true)
		c.Builder.NoPin, c.Builder.NoMemories, c.Builder.NoSummary = true, true, true
		return c
	}
	working := working.New(&working.Options{Archive: t.store.Texts()})
	c.Agent.System, c.Agent.Memory = chatPrompt, working
	c.Agent.Tools = t.files(false)
	switch own := f.mcp.Given() || f.agents.file != ""; { // tools of the user's
	case guide.IsWeak(t.choice.model.Info()) && !own:
		c.Agent.System, c.Agent.Tools, c.Agent.NoTools, c.Agent.Window.PlainNotes = weakChatPrompt, nil, true, true
		t.bare = true
	case isSmall(t.choice.model):
		c.Agent.System, c.Agent.Brief, c.Agent.Window.PlainNotes = smallChatPrompt, true, true
		c.Agent.Tools = t.smallFiles()
	default:
		c.Summary.Ask = askOf(t.choice.model) // rules summarise better than a small model: docs/models.md
	}
	if t.fast != nil {
		c.Summary.Ask, c.Extraction.Ask = askOf(t.fast), askOf(t.fast)
	}
	if t.root != nil {
		c.Evidence = t.root.Evidence
	}
	return c
}

func isSmall(m providers.Model) bool {
	info := m.Info()
	return guide.IsSmall(info, contextwindow.BudgetOf(info.Window, info.MaxOutput, contextwindow.Wide))
}

// files returns the tools that read the tree. Only rules use the tool report.
func (t *talk) files(rules bool) []tools.Tool {
	if t.root == nil {
		return nil
	}
	all := t.root.Tools(rules)
	return slices.DeleteFunc(all, func(tool tools.Tool) bool { return !rules && tool.Name == "report" })
}

// smallFiles returns the tools that read the tree for a model with a small window. It answers in text, without a tool.
func (t *talk) smallFiles() []tools.Tool {
	if t.root == nil {
		return nil
	}
	return slices.DeleteFunc(t.root.SmallTools(), func(tool tools.Tool) bool { return tool.Name == "answer" })
}

// recall returns the tools that look back. A small window has room for two: the builder shows the memories that matter.
func (t *talk) recall(m *longterm.Memories, small bool) []tools.Tool {
	all := []tools.Tool{recall.SearchHistory(t.store.After), recall.Remember(m, nil)}
	if small {
		return all
	}
	return append(all, recall.SearchMemory(m, nil), recall.NoteFinding(), recall.Forget(m))
}

// maxAside is the longest answer to a question of the chat's own, in tokens; at most a quarter of the window.
const maxAside = 8_192

// askOf returns a func that asks a model for a text. A small model is asked for its most probable one.
func askOf(m providers.Model) memory.Ask {
	window := contextwindow.BudgetOf(m.Info().Window, 0, contextwindow.Off).Window
	var coldest *float64
	if isSmall(m) {
		coldest = new(float64)
	}
	return func(ctx context.Context, system, prompt string) (string, error) {
		req := &providers.Request{
			System: system, Messages: []transcript.Message{{Role: transcript.User, Text: prompt}},
			MaxOutput: min(maxAside, window/4), Temperature: coldest,
		}
		answer, err := providers.Ask(ctx, m, req)
		if providers.ClassOf(err) == providers.Invalid { // some services refuse to be asked for a length
			req.MaxOutput = 0
			answer, err = providers.Ask(ctx, m, req)
		}
		if err != nil {
			return "", err
		}
		return answer.Message.Text, nil
	}
}
