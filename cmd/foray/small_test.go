package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forayhq/foray/agent"
	guide "github.com/forayhq/foray/agent/explore"
	"github.com/forayhq/foray/agent/store"
	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/scripted"
	"github.com/forayhq/foray/toollimit"
)

// A windowed model has another window than the one that answers.
type windowed struct {
	providers.Model
	window int
}

func (m windowed) Info() providers.Info {
	i := m.Model.Info()
	i.Name, i.Window = "some-model", m.window
	return i
}

// TestAsidesEnd asks for a summary, a memory or a judgement of the chat's own from a service that ignores how long the
// answer may be: what arrived is not taken for an answer.
func TestAsidesEnd(t *testing.T) {
	var words strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&words, "%x ", uint32(i+1)*2654435761)
	}
	model := scripted.Options{Piece: 100}.New(scripted.Text(words.String()))
	text, err := askOf(windowed{providers.Bound(model), 8 << 10})(t.Context(), "summarise", "a conversation")
	if text != "" || providers.ClassOf(err) != providers.TooLong || len(model.Requests()) != 1 {
		t.Errorf("%d bytes, %v after %d requests", len(text), err, len(model.Requests()))
	}
}

// TestChatTokens prints what a window spends on the prompt and the schemas of a chat, and bounds it up to 16k.
func TestChatTokens(t *testing.T) {
	db, err := store.Open(t.Context(), t.TempDir()+"/a.db", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	t.Logf("%8s %8s %8s %8s", "window", "schemas", "prompt", "share")
	for _, window := range []int{4 << 10, 6 << 10, 8 << 10, 16 << 10, 32 << 10, 128 << 10} {
		talk := &talk{
			store:  db,
			choice: &choice{model: windowed{scripted.New(), window}},
			root:   &guide.Tree{Files: fstest.MapFS{"a.go": {Data: []byte("package a\n")}}},
		}
		c := (&talkFlags{}).config(talk)
		c.Agent.Tools = append(c.Agent.Tools, talk.recall(nil, c.Agent.Brief)...)
		c.Agent.Profile = contextwindow.Wide
		a, err := agent.New(c.Agent)
		if err != nil {
			t.Fatal(err)
		}
		schemas, prompt := a.ToolTokens(), toollimit.Tokens(c.Agent.System)
		share := float64(schemas+prompt) / float64(window)
		t.Logf("%8d %8d %8d %7.1f%%", window, schemas, prompt, 100*share)
		if share > .12 || window <= 16<<10 && (schemas > 600 || prompt > 250) {
			t.Errorf("window %d: schemas take %d tokens and the prompt %d, %.1f %%", window, schemas, prompt, 100*share)
		}
	}
}

// A model of up to two billion parameters, as its name says, converses without tools, unless the user brings some.
func TestWeakModelsGetNoTools(t *testing.T) {
	for name, want := range map[string]struct{ bare, mcp bool }{
		"qwen2.5-coder:1.5b": {bare: true}, "llama-3.2-3b": {}, "gpt-4.1": {}, "coder-1.5b": {mcp: true},
	} {
		files := fstest.MapFS{"a.go": {Data: []byte("package a\n")}}
		talk := &talk{choice: &choice{model: called{scripted.New(), name}}, root: &guide.Tree{Files: files}}
		f := &talkFlags{}
		if want.mcp {
			f.agents.file = "agents.json"
		}
		db, err := store.Open(t.Context(), t.TempDir()+"/a.db", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		talk.store = db
		c := f.config(talk)
		bare := len(c.Agent.Tools) == 0 && c.Agent.NoTools && strings.Contains(talk.answerer(), "without tools")
		if bare != want.bare || talk.bare != want.bare || c.Evidence == nil {
			t.Errorf("%s: %d tools, %q", name, len(c.Agent.Tools), talk.answerer())
		}
	}
}

// A called model has another name than the one that answers.
type called struct {
	providers.Model
	name string
}

func (m called) Info() providers.Info {
	i := m.Model.Info()
	i.Name, i.Window = m.name, 16<<10
	return i
}

// Who types foray alone at a terminal reads which models there are, and what to type next, and no key.
func TestWelcome(t *testing.T) {
	t.Setenv("FORAY_CONFIG", "off")
	t.Setenv("FORAY_MODEL", "deepseek/deepseek-chat")
	t.Setenv("OPENAI_API_KEY", "sk-secret-0123456789")
	var out, narrow strings.Builder
	if err := errors.Join(welcome(t.Context(), &out, 100), welcome(t.Context(), &narrow, 40)); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(narrow.String()) {
		if n := len([]rune(l)) - 1; n > 40 && strings.Contains(strings.TrimSpace(l), " ") {
			t.Errorf("%d columns: %q", n, l)
		}
	}
	if words := strings.Fields(narrow.String()); !slices.Equal(words, strings.Fields(out.String())) {
		t.Errorf("40 columns have other words:\n%s", &narrow)
	}
	for _, want := range []string{`--model openai/\S+ +\$OPENAI_API_KEY is set`, `deepseek/deepseek-chat +chosen by \$FORAY_MODEL`, `foray chat +talk`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s in:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "sk-secret") {
		t.Error("the key is shown")
	}
}
