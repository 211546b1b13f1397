package contextwindow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/forayhq/foray/contextwindow"
	"github.com/forayhq/foray/contextwindow/transcript"
	"github.com/forayhq/foray/providers"
	"github.com/forayhq/foray/providers/providertest/strict"
	"github.com/forayhq/foray/providers/scripted"
)

// A conversation is a window whose requests go to a strict service.
type conversation struct {
	*testing.T
	*contextwindow.Window
	service *strict.Service
	budget  contextwindow.Budget
	options *contextwindow.Options
	rounds  int
}

func converse(t *testing.T, limit int, o *contextwindow.Options) *conversation {
	c := &conversation{T: t, budget: contextwindow.Budget{Limit: limit, Profile: contextwindow.Lean}, options: o}
	c.service = strict.New(scripted.New(scripted.Repeat(-1, scripted.Calls(scripted.Call{Name: "read"}))))
	c.Window = contextwindow.New(c.budget, o)
	c.Open(contextwindow.Prefix{System: "system"})
	c.user("prompt")
	return c
}

func (c *conversation) user(text string) {
	c.Helper()
	appendAll(c, c.Window, transcript.Message{Role: transcript.User, Text: text})
}

// ask fits the window and returns the service's answer to its view.
func (c *conversation) ask() transcript.Message {
	c.Helper()
	if _, err := c.Fit(); err != nil && !errors.Is(err, contextwindow.ErrThrash) {
		c.Fatal(err)
	}
	req := &providers.Request{System: c.Prefix().System, Tools: c.Prefix().Tools, Messages: c.View()}
	r, err := providers.Ask(context.Background(), c.service, req)
	if err != nil {
		c.Fatal(err)
	}
	return r.Message
}

// add appends an answer with the result of its call.
func (c *conversation) add(m transcript.Message) {
	c.Helper()
	c.rounds++
	text := strings.Repeat(fmt.Sprintf("line %d of what was read\n", c.rounds), 40)
	appendAll(c, c.Window, m, transcript.Message{Role: transcript.Tool, CallID: m.Calls[0].ID, Text: text})
}

// play plays so many rounds.
func (c *conversation) play(rounds int) {
	c.Helper()
	for range rounds {
		c.add(c.ask())
	}
}

// parts returns how many messages of the next request carry provider data.
func (c *conversation) parts() int {
	n := 0
	for _, m := range c.View() {
		if m.ProviderData != nil {
			n++
		}
	}
	return n
}

func (c *conversation) wantParts(when string, want int) {
	c.Helper()
	if got := c.parts(); got != want {
		c.Errorf("%s: %d parts, want %d", when, got, want)
	}
	if kept, due := c.service.Kept(); kept != due {
		c.Errorf("%s: the service saw %d of %d parts", when, kept, due)
	}
}

// reload saves and loads the window, which must show the same.
func (c *conversation) reload() {
	c.Helper()
	saved, err := json.Marshal(c.Entries(0))
	if err != nil {
		c.Fatal(err)
	}
	var entries []contextwindow.Entry
	if err := json.Unmarshal(saved, &entries); err != nil {
		c.Fatal(err)
	}
	loaded, err := contextwindow.Load(entries, c.budget, c.options)
	if err != nil {
		c.Fatal(err)
	}
	if !reflect.DeepEqual(loaded.View(), c.View()) {
		c.Error("the loaded view differs")
	}
	c.Window = loaded
}

func TestAppendOnlyRunKeepsAllProviderData(t *testing.T) {
	c := converse(t, 200_000, nil)
	for i := range 60 {
		if i%5 == 0 {
			c.Note("status", fmt.Sprintf("round %d", i))
		}
		c.play(1)
		if i%20 == 10 {
			c.reload()
		}
	}
	c.wantParts("after 60 rounds", 60)
}

// TestProviderDataFollowsItsPrefix plays what changes a prefix, on both sides of it.
func TestProviderDataFollowsItsPrefix(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*conversation) // after 6 rounds
		parts  int                 // after the change
		after  int                 // two rounds later
		lost   int                 // that the change or the next Fit reports
	}{
		"nothing":       {func(*conversation) {}, 6, 8, 0},
		"a note":        {func(c *conversation) { c.Note("status", "x") }, 6, 8, 0},
		"a second Open": {func(c *conversation) { c.Open(c.Prefix()) }, 6, 8, 0},
		"another Open":  {func(c *conversation) { c.Open(contextwindow.Prefix{System: "other"}) }, 0, 2, 6},
		"a tool": {func(c *conversation) {
			c.Open(contextwindow.Prefix{System: "system", Tools: []transcript.ToolSchema{{Name: "read"}}})
		}, 0, 2, 6},
		"Open, and back": {func(c *conversation) { c.Open(contextwindow.Prefix{}); c.Open(contextwindow.Prefix{System: "system"}) }, 6, 8, 6},
		"Open, ask, back": {func(c *conversation) {
			c.Open(contextwindow.Prefix{})
			c.play(1)
			c.Open(contextwindow.Prefix{System: "system"})
		}, 6, 8, 7},
		"Pin in place":       {func(c *conversation) { c.Pin(2, 3) }, 6, 8, 0},
		"Compact":            {func(c *conversation) { c.Compact("") }, 0, 2, 6},
		"Compact, Undo":      {func(c *conversation) { c.Compact(""); c.Undo(1) }, 6, 8, 6},
		"Compact, ask, Undo": {func(c *conversation) { c.Compact(""); c.play(1); c.Undo(1) }, 6, 8, 7},
		"Compact twice, Undo twice": {func(c *conversation) {
			for range 2 {
				c.Compact("")
				c.play(2)
			}
			c.Undo(1)
			c.Undo(1)
		}, 6, 8, 12},
		"Compact, Pin":    {func(c *conversation) { c.Compact(""); c.Pin(2) }, 0, 2, 6},
		"Rewind":          {func(c *conversation) { c.Rewind(3) }, 2, 4, 0},
		"Compact, Rewind": {func(c *conversation) { c.Compact(""); c.play(1); c.Rewind(3) }, 2, 4, 6},
		"ResetToPrompt":   {func(c *conversation) { c.ResetToPrompt(); c.user("on") }, 0, 2, 6},
		"ResetStage":      {func(c *conversation) { c.ResetStage(); c.user("on") }, 0, 2, 6},
		"Shrink":          {func(c *conversation) { c.Shrink(1_500) }, 0, 2, 6},
	} {
		t.Run(name, func(t *testing.T) {
			f := converse(t, 100_000, nil)
			f.play(6)
			c.change(f)
			f.wantParts("after the change", c.parts)
			f.reload()
			if _, err := f.Fit(); err != nil {
				t.Fatal(err)
			}
			f.play(2)
			f.reload()
			f.wantParts("two rounds later", c.after)
		})
		t.Run(name+", reported", func(t *testing.T) {
			f := converse(t, 100_000, nil)
			f.play(6)
			c.change(f)
			f.Fit()
			lost := 0
			for _, x := range f.Compactions() {
				lost += x.ProviderData
			}
			if lost != c.lost {
				t.Errorf("%d parts reported lost, want %d: %v", lost, c.lost, f.Compactions())
			}
		})
	}
}

// TestUseBetweenRequestAndAnswer uses a window while the model answers.
func TestUseBetweenRequestAndAnswer(t *testing.T) {
	c := converse(t, 100_000, nil)
	c.play(2)
	answer := c.ask()
	c.Note("status", "while you were writing")
	c.Note("nudge", "and again")
	c.add(answer)
	c.wantParts("after notes", 3)
	view := c.View()
	at := slices.IndexFunc(view, func(m transcript.Message) bool { return strings.Contains(m.Text, "while you were writing") })
	if at < 1 || view[at-1].ProviderData == nil || !strings.Contains(view[at].Text, "and again") {
		t.Errorf("the notes are in message %d of %+v", at, view)
	}
	c.reload()

	c.View()
	c.Note("status", "before a request that is sent again")
	answer = c.ask()
	c.add(answer)
	c.wantParts("after a request that was sent again", 4)

	answer = c.ask()
	c.user("a message that the model has not seen")
	c.add(answer)
	c.wantParts("after a message", 4)

	answer = c.ask()
	if _, err := c.Compact(""); err != nil {
		t.Fatal(err)
	}
	c.add(answer)
	c.wantParts("after a compaction", 0)
	if _, undone := c.Undo(1); !undone {
		t.Fatal("nothing undone")
	}
	c.wantParts("after its undo", 5)
	c.play(1)
	c.reload()
	c.wantParts("in the end", 6)
}

// TestHistoryKeepsWhatFits hands the messages of one window to another one.
func TestHistoryKeepsWhatFits(t *testing.T) {
	c := converse(t, 100_000, nil)
	c.play(3)
	for name, tt := range map[string]struct {
		system string
		change func(*transcript.Message)
		parts  int
	}{
		"as it was":             {"system", func(*transcript.Message) {}, 3},
		"another system prompt": {"other", func(*transcript.Message) {}, 0},
		"without its prefix":    {"system", func(m *transcript.Message) { m.ProviderData.Prefix = "" }, 2},
		"an edited message":     {"system", func(m *transcript.Message) { m.Text += "." }, 2},
		"with a forged prefix":  {"system", func(m *transcript.Message) { m.ProviderData.Prefix = "no number" }, 2},
		"plain reasoning":       {"other", func(m *transcript.Message) { m.ProviderData.Prefix, m.ProviderData.Unbound = "", true }, 1},
	} {
		w := contextwindow.New(contextwindow.Budget{Limit: 100_000}, nil)
		w.Open(contextwindow.Prefix{System: tt.system})
		history := slices.Clone(c.View())
		last := &history[5]
		data := *last.ProviderData
		last.ProviderData = &data
		tt.change(last)
		for i := range history {
			history[i].Origin = transcript.History
		}
		units, err := transcript.Units(history)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			appendAll(t, w, u[0], u[1:]...)
		}
		parts := 0
		for _, m := range w.View() {
			if m.ProviderData != nil {
				parts++
			}
		}
		if parts != tt.parts {
			t.Errorf("%s: %d parts, want %d", name, parts, tt.parts)
		}
	}
}

// TestLogWithoutPrefixes loads a log of a version that did not write them.
func TestLogWithoutPrefixes(t *testing.T) {
	c := converse(t, 100_000, nil)
	c.play(6)
	if _, err := c.Compact(""); err != nil {
		t.Fatal(err)
	}
	c.play(2)
	saved, err := json.Marshal(c.Entries(0))
	if err != nil {
		t.Fatal(err)
	}
	old := string(saved)
	for before, rest, found := strings.Cut(old, `,"prefix":"`); found; before, rest, found = strings.Cut(old, `,"prefix":"`) {
		old = before + rest[strings.Index(rest, `"`)+1:]
	}
	var entries, again []contextwindow.Entry
	if err := errors.Join(json.Unmarshal([]byte(old), &entries), json.Unmarshal([]byte(old), &again)); err != nil {
		t.Fatal(err)
	}
	loaded, err := contextwindow.Load(entries, c.budget, nil)
	if err != nil || !reflect.DeepEqual(entries, again) {
		t.Fatalf("%v, or the entries were modified", err)
	}
	c.Window = loaded
	c.wantParts("loaded", 2)
	c.Undo(1)
	c.wantParts("after an undo", 6)
	c.play(1)
}

// lostStore takes texts and gives none back.
type lostStore struct{}

func (lostStore) Put(string, string) error   { return nil }
func (lostStore) Get(string) (string, error) { return "", contextwindow.ErrNoBody }

func TestStoreWithoutBodies(t *testing.T) {
	c := converse(t, 1_200, &contextwindow.Options{Store: lostStore{}})
	c.play(60)
	if len(c.Compactions()) < 3 {
		t.Errorf("%d compactions", len(c.Compactions()))
	}
	for range 3 {
		c.Undo(1)
		c.play(1)
		c.reload()
	}
}
