package main

import (
	"context"
	_ "embed" // the prompt
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/forayhq/foray/agent"
	"github.com/forayhq/foray/agent/chat"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/cmd/foray/internal/ui"
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

// talkFlags are the flags of everything that converses.
type talkFlags struct {
	modelFlags
	databaseFlag
	repo         string
	maxSteps     int
	allowSecrets bool
}

func (f *talkFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	f.modelFlags.define(cmd)
	flags.Lookup("model").Usage = "answer with `PROVIDER/NAME`; default: $FORAY_MODEL, else the offline planner"
	f.databaseFlag.define(cmd)
	flags.StringVar(&f.repo, "repo", ".", "let the model look into `DIR`")
	flags.IntVar(&f.maxSteps, "max-steps", defaultSteps, "ask the model at most `N` times for an answer")
	flags.BoolVar(&f.allowSecrets, "allow-secrets", false, "read files with a secret's name, and do not redact tokens")
	inGroup(cmd, runGroup, "db", "repo", "max-steps", "allow-secrets")
	cmd.SetUsageFunc(groupedUsage)
	if err := cmd.MarkFlagDirname("repo"); err != nil {
		panic(err) // a flag that is not defined above
	}
}

func (f *talkFlags) check(cmd *cobra.Command) error {
	if f.maxSteps < 1 {
		return usage("--max-steps 12", "--max-steps %d is below 1", f.maxSteps)
	}
	return f.modelFlags.check(cmd)
}

// A talk is a chat with all that stands around it.
type talk struct {
	*chat.Chat
	choice *choice
	root   *guide.Tree // nil: no files
	store  *store.Store
}

// open opens the tree, the model and the database, and makes the chat of them.
func (f *talkFlags) open(cmd *cobra.Command, log *slog.Logger, say func(string)) (t *talk, err error) {
	if err := f.check(cmd); err != nil {
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
	t.root, err = openTree(cmd.Context(), f.repo, "", f.allowSecrets)
	if empty := (*exit)(nil); errors.As(err, &empty) && empty.code == exitNothing && !t.choice.rules && !cmd.Flags().Changed("repo") {
		t.root, err = nil, nil // a language model can talk without files
	}
	if err != nil {
		return t, err
	}
	if t.store, err = f.databaseFlag.open(cmd); err != nil {
		return t, err
	}
	recording, err := ownFile{"record", f.record, "recording", "run.rec"}.open()
	if err != nil {
		return t, err
	}
	t.choice.record(recording)
	config, err := f.config(t)
	if err != nil {
		return t, err
	}
	config.Log = log
	if config.Memory, err = longterm.Open(cmd.Context(), &longterm.Options{Store: t.store.Memories()}); err != nil {
		return t, storeError(err)
	}
	if !t.choice.rules {
		config.Agent.Tools = append(config.Agent.Tools, recall.SearchMemory(config.Memory, nil), recall.SearchHistory(t.store.After),
			recall.NoteFinding(), recall.Remember(config.Memory, nil), recall.Forget(config.Memory))
	}
	t.Chat, err = chat.New(config)
	return t, err
}

// patience is how long a chat that ends waits for what is done behind its answers; a summary that is late is made anew
// with the next message.
const patience = 3 * time.Second

// close ends what open has opened, also when it came to a half only.
func (t *talk) close() error {
	var errs []error
	if t.Chat != nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
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

// config wires the chat. The planner is told of no conversation: rules would take its words for those of the question.
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

// files are the tools that read the tree. Only rules report before they answer.
func (t *talk) files(rules bool) []tools.Tool {
	if t.root == nil {
		return nil
	}
	all := t.root.Tools(rules)
	return slices.DeleteFunc(all, func(tool tools.Tool) bool { return !rules && tool.Name == "report" })
}

// askOf asks a model once for a text.
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

// tellTo returns how notices reach a person.
func tellTo(w io.Writer) func(string) {
	return func(text string) { fmt.Fprintf(w, "foray: %s\n", ui.Line(text)) }
}
