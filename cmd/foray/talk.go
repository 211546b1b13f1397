package main

import (
	"context"
	_ "embed" // the prompt
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/memory"
	"github.com/forayhq/foray/contextwindow/memory/longterm"
	"github.com/forayhq/foray/contextwindow/memory/working"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/tools"
	"github.com/forayhq/foray/tools/recall"
)

//go:embed prompts/chat.md
var chatPrompt string

// talkFlags are the flags of chat and serve.
type talkFlags struct {
	modelFlags
	databaseFlag
	repoFlags
	maxSteps int
}

func (f *talkFlags) define(cmd *cobra.Command) {
	f.modelFlags.define(cmd)
	f.databaseFlag.define(cmd)
	f.repoFlags.define(cmd, false)
	numberFlag(cmd, &f.maxSteps, "max-steps", defaultSteps, 1, "ask the model at most `N` times for an answer")
	inGroup(cmd, runGroup, "db", "max-steps")
}

// A talk is a chat with its model, tree and database.
type talk struct {
	*chat.Chat
	choice *choice
	root   *guide.Tree // nil without files
	store  *store.Store
}

// open opens the model, the tree and the database, and makes a chat of them.
func (f *talkFlags) open(cmd *cobra.Command, log *slog.Logger, say func(string)) (t *talk, err error) {
	if err := f.modelFlags.check(cmd); err != nil {
		return nil, err
	}
	t = &talk{}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if t.choice, err = chooseModel(&f.modelFlags, say); err != nil {
		return t, err
	}
	t.root, err = openTree(cmd.Context(), &f.repoFlags)
	if empty := (*exit)(nil); errors.As(err, &empty) && empty.code == exitNothing && !t.choice.rules &&
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
	config, err := f.config(t)
	if err != nil {
		return t, err
	}
	config.Log = log
	if config.Memory, err = longterm.Open(cmd.Context(), &longterm.Options{Store: t.store.Memories()}); err != nil {
		return t, storeError(err)
	}
	if !t.choice.rules {
		config.Agent.Tools = append(config.Agent.Tools, recall.SearchMemory(config.Memory, nil),
			recall.SearchHistory(t.store.After), recall.NoteFinding(), recall.Remember(config.Memory, nil),
			recall.Forget(config.Memory))
	}
	t.Chat, err = chat.New(config)
	return t, err
}

// closeTime limits how long the end of a chat waits for background work. The next message makes a summary that came too
// late.
const closeTime = 3 * time.Second

// close closes what open has opened so far.
func (t *talk) close() error {
	var errs []error
	if t.Chat != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if err := t.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			errs = append(errs, err)
		}
	}
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
func (f *talkFlags) config(t *talk) (chat.Config, error) {
	c := chat.Config{Store: t.store}
	c.Agent = agent.Config{Name: "chat", Model: t.choice.model, Limits: agent.Limits{Steps: f.maxSteps}}
	if t.choice.rules {
		c.Agent.Budget = contextwindow.BudgetOf(t.choice.model.Info().Window, 0, contextwindow.Off)
		c.Agent.Tools = t.files(true)
		c.Builder.NoPin, c.Builder.NoMemories, c.Builder.NoSummary = true, true, true
		return c, nil
	}
	working := working.New(&working.Options{Archive: t.store.Sessions()})
	c.Agent.System, c.Agent.Memory = chatPrompt, working
	c.Agent.Tools = append(t.files(false), recall.ReadWorkingMemory(working))
	c.Summary.Ask = askOf(t.choice.model)
	return c, nil
}

// files returns the tools that read the tree. Only rules use the tool report.
func (t *talk) files(rules bool) []tools.Tool {
	if t.root == nil {
		return nil
	}
	all := t.root.Tools(rules)
	return slices.DeleteFunc(all, func(tool tools.Tool) bool { return !rules && tool.Name == "report" })
}

// askOf returns a func that asks a model for a text.
func askOf(m providers.Model) memory.Ask {
	return func(ctx context.Context, system, prompt string) (string, error) {
		answer, err := providers.Ask(ctx, m, &providers.Request{
			System: system, Messages: []transcript.Message{{Role: transcript.User, Text: prompt}},
		})
		if err != nil {
			return "", err
		}
		return answer.Message.Text, nil
	}
}
